import assert from "node:assert/strict";
import { HostAddresses } from "./host_addresses.ts";
import { hostText } from "./host_rules.ts";

const PODS = [
  { uid: "u1", addresses: ["10.0.0.5", "fd00::5"] },
  { uid: "u2", addresses: ["10.0.0.6"] },
  { uid: "u3", addresses: [] },
];

Deno.test("rules of the node: a rule for each address of the version", () => {
  const text = hostText(PODS, "169.254.7.127", 4, false);
  assert.deepEqual(text.split("\n"), [
    "*nat",
    ":MESH_POSTRT - [0:0]",
    "-I POSTROUTING 1 -j MESH_POSTRT",
    "-A MESH_POSTRT -d 10.0.0.5/32 -p tcp -m owner --socket-exists -m comment --comment u1 -j SNAT --to-source 169.254.7.127",
    "-A MESH_POSTRT -d 10.0.0.6/32 -p tcp -m owner --socket-exists -m comment --comment u2 -j SNAT --to-source 169.254.7.127",
    "COMMIT",
    "",
  ]);
  const six = hostText(PODS, "fd16::1", 6, true);
  assert.match(six, /-d fd00::5\/128 .* --to-source fd16::1\n/);
  assert.doesNotMatch(six, /POSTROUTING|10\.0\.0/);
});

Deno.test("rules of the node: changes that come together are written once", async () => {
  const written: string[] = [];
  const first = Promise.withResolvers<void>();
  const host = new HostAddresses({
    async replace(pods) {
      written.push(pods.map(({ uid }) => uid).join());
      await first.promise;
    },
    remove: () => Promise.resolve(),
  });
  const puts = [host.put("u1", ["10.0.0.1"])];
  await Promise.resolve();
  for (const n of [2, 3, 4]) puts.push(host.put(`u${n}`, [`10.0.0.${n}`]));
  await Promise.resolve();
  first.resolve();
  await Promise.all(puts);
  await host.put("u1", ["10.0.0.1"]);
  assert.ok(written.length <= 2, written.join(" | "));
  assert.equal(written.at(-1), "u1,u2,u3,u4");
  await host.delete("u2");
  assert.equal(written.at(-1), "u1,u3,u4");
});

Deno.test("rules of the node: a failed change is told, and the next one has all", async () => {
  const written: string[] = [];
  let fails = true;
  const host = new HostAddresses({
    replace(pods) {
      if (fails) return Promise.reject(new Error("no iptables"));
      written.push(pods.map(({ uid }) => uid).join());
      return Promise.resolve();
    },
    remove: () => Promise.resolve(),
  });
  await assert.rejects(host.put("u1", ["10.0.0.1"]), /no iptables/);
  fails = false;
  await host.put("u2", ["10.0.0.2"]);
  assert.deepEqual(written, ["u1,u2"]);
});
