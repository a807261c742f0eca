import assert from "node:assert/strict";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { discoveryOptions } from "./options.ts";
import { connectOrchestrator, isOrchestrated, orchestratorAccess } from "./orchestrator.ts";
import { PILOT_DISCOVERY } from "./program.ts";

Deno.test("a pod without --configDir uses its service account, at the server of ORCH_SERVICE_HOST", async () => {
  const dir = await Deno.makeTempDir({ prefix: "mesh-account-" });
  const serverOf = async (host?: string, configDir = ""): Promise<string | undefined> => {
    using _ = useEnvironment(host === undefined ? {} : { ORCH_SERVICE_HOST: host });
    const access = orchestratorAccess({ orchConfig: "", configDir }, dir);
    return (await access)?.server;
  };
  try {
    const selected = (configDir: string) => isOrchestrated({ orchConfig: "", configDir }, dir);
    assert.equal(await serverOf(), undefined, "not in a pod");
    assert.equal(await selected(""), false);
    await Deno.writeTextFile(`${dir}/token`, "t");
    assert.equal(await serverOf(), "https://kubernetes.default.svc");
    assert.equal(await serverOf("10.0.0.1:6443"), "https://10.0.0.1:6443");
    assert.equal(await serverOf(undefined, "/config"), undefined, "configuration from files");
    assert.equal(await selected(""), true);
    assert.equal(await selected("/config"), false);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("a file of --orchconfig that cannot be read is an error", async () => {
  const options = { orchConfig: "/nowhere/config", configDir: "" };
  await assert.rejects(orchestratorAccess(options), { code: "orch-config" });
});

Deno.test("--orchApiQPS and --orchApiBurst limit the requests of the daemon", async () => {
  let count = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => {
    count++;
    return Response.json({});
  });
  const config = await Deno.makeTempFile({ prefix: "mesh-config-" });
  await Deno.writeTextFile(
    config,
    JSON.stringify({
      clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${server.addr.port}` } }],
      contexts: [{ name: "a", context: { cluster: "a" } }],
      "current-context": "a",
    }),
  );
  try {
    await using stack = new AsyncDisposableStack();
    const connect = (...flags: string[]) => {
      const argv = ["discovery", "--configDir=", `--orchconfig=${config}`, ...flags];
      return connectOrchestrator(discoveryOptions(parseArgv(PILOT_DISCOVERY, argv).flags), stack);
    };
    const limited = await connect("--orchApiQPS=0.001", "--orchApiBurst=2");
    const unlimited = await connect("--orchApiQPS=0");
    for (let i = 0; i < 2; i++) await limited!.text({ path: "/" });
    const stop = new AbortController();
    const third = limited!.text({ path: "/", signal: stop.signal });
    const rejected = assert.rejects(third, /not waited for/);
    // The third request waits, while those of a client without a limit are answered.
    for (let i = 0; i < 5; i++) await unlimited!.text({ path: "/" });
    stop.abort(new Error("not waited for"));
    await rejected;
    assert.equal(count, 7);
  } finally {
    await Deno.remove(config);
  }
});
