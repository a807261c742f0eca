import assert from "node:assert/strict";
import { serverNames } from "./server_names.ts";

Deno.test("the certificate of a revision has the names of its Service beside the usual ones", () => {
  const options = {
    namespace: "mesh-system",
    domain: "cluster.local",
    custom: "a.example,10.0.0.1",
  };
  const usual = serverNames({ ...options, revision: "default" });
  assert.deepEqual(usual, serverNames(options));
  const { dnsNames, ips } = serverNames({ ...options, revision: "canary" });
  assert.deepEqual(dnsNames.filter((name) => !usual.dnsNames.includes(name)), [
    "meshd-canary",
    "meshd-canary.mesh-system",
    "meshd-canary.mesh-system.svc",
    "meshd-canary.mesh-system.svc.cluster.local",
  ]);
  assert.deepEqual(ips, ["127.0.0.1", "::1", "10.0.0.1"]);
});
