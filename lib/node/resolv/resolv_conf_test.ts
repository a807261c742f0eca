import assert from "node:assert/strict";
import { parseResolvConf } from "./mod.ts";

Deno.test("resolv.conf is read", () => {
  const text = "; comment\nsearch old.test\nnameserver 10.0.0.2\nnameserver 10.0.0.2\n" +
    "nameserver not-an-address\nnameserver fe80::1%eth0\nnameserver fd00::2 # two\n" +
    "search Shop.Svc.Cluster.Local. corp.test\noptions ndots:5\n";
  assert.deepEqual(parseResolvConf(text), {
    nameservers: ["10.0.0.2", "fd00::2"],
    search: ["shop.svc.cluster.local", "corp.test"],
  });
  assert.deepEqual(parseResolvConf(""), { nameservers: [], search: [] });
});
