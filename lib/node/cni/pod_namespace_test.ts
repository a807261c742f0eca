import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runner } from "../capture/mod.ts";
import type { CniPod } from "./types.ts";
import { namespaceOfPod } from "./pod_namespace.ts";

const UID = "6f1c7a2e-0000-4000-8000-000000000001";

function pod(...addresses: string[]): CniPod {
  return {
    metadata: { name: "a", namespace: "shop", uid: UID },
    status: { podIPs: addresses.map((ip) => ({ ip })) },
  };
}

/** A node of files: control groups by process, addresses by named namespace. */
async function node(
  groups: Readonly<Record<string, string>>,
  addresses: Readonly<Record<string, readonly string[]>>,
) {
  const hostRoot = await Deno.makeTempDir();
  for (const [process, text] of Object.entries(groups)) {
    await Deno.mkdir(join(hostRoot, "proc", process), { recursive: true });
    await Deno.writeTextFile(join(hostRoot, "proc", process, "cgroup"), text);
  }
  const names = join(hostRoot, "var/run/netns");
  await Deno.mkdir(names, { recursive: true });
  for (const name of Object.keys(addresses)) await Deno.writeTextFile(join(names, name), "");
  const runnerFor = (seen: string): Runner => ({
    run({ argv }) {
      assert.deepEqual(argv, ["ip", "-o", "addr", "show"]);
      const own = addresses[seen.slice(names.length + 1)] ?? [];
      const lines = own.map((one) => `2: eth0    inet${one.includes(":") ? "6" : ""} ${one}/24 x`);
      return Promise.resolve({ code: 0, stdout: lines.join("\n"), stderr: "" });
    },
  });
  return {
    find: async (pod: CniPod) =>
      (await namespaceOfPod(pod, { hostRoot, runnerFor }))?.slice(hostRoot.length),
    [Symbol.asyncDispose]: () => Deno.remove(hostRoot, { recursive: true }),
  };
}

Deno.test("the namespace of a pod is that of a process in its control group", async () => {
  const systemd = `0::/kubepods.slice/kubepods-burstable-pod${
    UID.replaceAll("-", "_")
  }.slice/cri-x.scope`;
  for (const group of [`0::/kubepods/burstable/pod${UID}/x\n`, systemd]) {
    await using one = await node({ "7": "0::/system.slice\n", "12": group }, {
      "cni-1": ["10.0.0.5"],
    });
    assert.equal(await one.find(pod("10.0.0.5")), "/proc/12/ns/net");
  }
});

Deno.test("without the pod's id in control groups, the addresses tell its namespace", async () => {
  const groups = { "7": "0::/\n" };
  const addresses = { "cni-1": ["10.0.0.4", "fd00::4"], "cni-2": ["10.0.0.5", "fd00::5"] };
  {
    await using one = await node(groups, addresses);
    assert.equal(await one.find(pod("10.0.0.5", "fd00::5")), "/var/run/netns/cni-2");
    // An address of another pod, none, and no address yet.
    assert.equal(await one.find(pod("10.0.0.5", "fd00::4")), undefined);
    assert.equal(await one.find(pod("10.0.0.6")), undefined);
    assert.equal(await one.find(pod()), undefined);
  }
  // One of the two is left over from a pod that has ended.
  await using two = await node(groups, { ...addresses, "cni-3": ["10.0.0.5", "fd00::5"] });
  assert.equal(await two.find(pod("10.0.0.5", "fd00::5")), undefined);
});
