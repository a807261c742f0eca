import assert from "node:assert/strict";
import { inClusterAccess } from "./in_cluster.ts";

Deno.test("in-cluster: a pod connects with the token and the authority of its service account", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await assert.rejects(inClusterAccess(undefined, dir), { code: "orch-not-in-cluster" });
    await Deno.writeTextFile(`${dir}/token`, "of-the-pod\n");
    await Deno.writeTextFile(`${dir}/ca.crt`, "CA");
    await Deno.writeTextFile(`${dir}/namespace`, "mesh-system\n");
    const access = await inClusterAccess(undefined, dir);
    assert.equal(access.server, "https://kubernetes.default.svc");
    assert.equal(access.namespace, "mesh-system");
    assert.equal(await access.token?.current(), "of-the-pod");
    assert.deepEqual(await access.tls(), { ca: "CA" });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
