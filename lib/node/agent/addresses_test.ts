import assert from "node:assert/strict";
import { addressesOf } from "./addresses.ts";

const CASES: readonly (readonly [string | undefined, string[], string[]])[] = [
  [undefined, [], ["127.0.0.1"]],
  [undefined, ["127.0.0.1", "::1", "fe80::1", "169.254.1.1"], ["127.0.0.1"]],
  [undefined, ["2001:db8::1", "10.0.0.1", "10.0.0.2"], ["10.0.0.1", "10.0.0.2", "2001:db8::1"]],
  ["10.0.0.2", ["10.0.0.1", "10.0.0.2"], ["10.0.0.2", "10.0.0.1"]],
  ["2001:DB8:0::1", ["10.0.0.1"], ["2001:db8::1", "10.0.0.1"]],
  ["127.0.0.7", ["10.0.0.1"], ["127.0.0.7"]],
  ["", ["10.0.0.1"], ["10.0.0.1"]],
];
for (const [declared, found, ips] of CASES) {
  Deno.test(`declared ${declared}, found ${found}`, () => {
    assert.deepEqual(addressesOf(declared, found).ips, ips);
  });
}

Deno.test("families are distinguished", () => {
  assert.equal(addressesOf("2001:db8::1", []).ipv6Only, true);
  assert.deepEqual(addressesOf("10.0.0.1", ["2001:db8::1"]).both, true);
  assert.deepEqual(addressesOf("10.0.0.1", []), {
    ips: ["10.0.0.1"],
    ipv6Only: false,
    both: false,
    loopbackOnly: false,
  });
});

Deno.test("only a declared loopback address makes the workload loopback-only", () => {
  assert.equal(addressesOf("127.0.0.7", ["10.0.0.1"]).loopbackOnly, true);
  assert.equal(addressesOf("::1", []).loopbackOnly, true);
  assert.equal(addressesOf(undefined, []).loopbackOnly, false);
  assert.equal(addressesOf("169.254.1.1", []).loopbackOnly, false);
});

Deno.test("an INSTANCE_IP that is no address is refused", () => {
  assert.throws(() => addressesOf("host", []), { code: "agent-instance-ip" });
});
