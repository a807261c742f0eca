import assert from "node:assert/strict";
import { runProgram } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { eventually, freePorts } from "../../scripts/harness/mod.ts";
import { PILOT_AGENT } from "./program.ts";

/** Runs an agent without a proxy, and asks for a page of its status server once it answers. */
async function statusOf(path: string, flags: readonly string[]): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-profiling-" });
  const [port, daemon] = freePorts(2);
  const config = [
    `configPath: ${folder}`,
    `statusPort: ${port}`,
    `discoveryAddress: 127.0.0.1:${daemon}`,
    "controlPlaneAuthPolicy: NONE",
  ];
  using _ = useEnvironment({
    DISABLE_DATAPROXY: "true",
    INSTANCE_IP: "127.0.0.1",
    PROXY_CONFIG: config.join("\n"),
  });
  const ending = new AbortController();
  const io = { out: () => {}, err: () => {} };
  const argv = ["proxy", `--log_target=${folder}/log`, ...flags];
  const ended = runProgram(PILOT_AGENT, argv, { io, signal: ending.signal });
  try {
    return await eventually("the status server to answer", async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      await answer.body?.cancel();
      return answer.status;
    });
  } finally {
    ending.abort();
    await ended;
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("--profiling serves profiles at the status port, which has none without it", async () => {
  assert.equal(await statusOf("/debug/pprof/cmdline", ["--profiling"]), 200);
  assert.equal(await statusOf("/debug/pprof/heap?debug=1", ["--profiling"]), 200);
  assert.equal(await statusOf("/debug/pprof/cmdline", []), 404);
});
