import assert from "node:assert/strict";
import { useEnvironment } from "../../lib/env/mod.ts";
import { orchestratorAccess } from "./orchestrator.ts";

Deno.test("a pod without --configDir uses its service account, at the server of ORCH_SERVICE_HOST", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-account-" });
  const serverOf = async (host?: string, configDir = ""): Promise<string | undefined> => {
    using _ = useEnvironment(host === undefined ? {} : { ORCH_SERVICE_HOST: host });
    const access = orchestratorAccess({ orchConfig: "", configDir }, dir);
    return (await access)?.server;
  };
  try {
    assert.equal(await serverOf(), undefined, "not in a pod");
    await Deno.writeTextFile(`${dir}/token`, "t");
    assert.equal(await serverOf(), "https://kubernetes.default.svc");
    assert.equal(await serverOf("10.0.0.1:6443"), "https://10.0.0.1:6443");
    assert.equal(await serverOf(undefined, "/config"), undefined, "configuration from files");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("a file of --orchconfig that cannot be read is an error", async () => {
  const options = { orchConfig: "/nowhere/config", configDir: "" };
  await assert.rejects(orchestratorAccess(options), { code: "orch-config" });
});
