import assert from "node:assert/strict";
import { runProgram } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { freePorts } from "../../scripts/harness/mod.ts";
import { PILOT_AGENT } from "./program.ts";

/** Starts an agent without a proxy, asked to end from the first. */
async function started(
  environment: Readonly<Record<string, string>>,
): Promise<{ err: string; log: string; status: number }> {
  const folder = await Deno.makeTempDir({ prefix: "mesh-environment-" });
  const [status, daemon] = freePorts(2);
  const config = [
    `configPath: ${folder}`,
    `statusPort: ${status}`,
    `discoveryAddress: 127.0.0.1:${daemon}`,
    "controlPlaneAuthPolicy: NONE",
  ];
  using _ = useEnvironment({
    DISABLE_DATAPROXY: "true",
    INSTANCE_IP: "127.0.0.1",
    PROXY_CONFIG: config.join("\n"),
    ...environment,
  });
  try {
    const log = `${folder}/log`;
    await Deno.writeTextFile(log, "");
    let err = "";
    const io = { out: () => {}, err: (text: string) => void (err += text) };
    const signal = AbortSignal.abort();
    const exit = await runProgram(PILOT_AGENT, ["proxy", `--log_target=${log}`], { io, signal });
    return { err, log: await Deno.readTextFile(log), status: exit };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** One that acts, one that waits, one of the daemon's that the agent takes as well. */
const BAD: readonly [name: string, value: string, form: string][] = [
  ["DATAPROXY_STATUS_PORT", "70000", "a whole number from 1 to 65535"],
  ["FILE_DEBOUNCE_DURATION", "10", "a duration such as 100ms or 1h30m of at least 0s"],
  ["CLOUD_PLATFORM", "moon", "aws, azure, gcp or none"],
  ["PILOT_MAX_REQUESTS_PER_SECOND", "x", "a number"],
];

for (const [name, value, form] of BAD) {
  Deno.test(`${name}=${value} ends the agent at its start with a sentence`, async () => {
    const { err, status } = await started({ [name]: value });
    assert.equal(status, 1);
    assert(err.startsWith(`Error: environment variable ${name} is set to "${value}"; it takes`));
    assert(err.includes(`it takes ${form}\nSet ${name} to `), err);
  });
}

Deno.test("the agent warns only of variables without effect", async () => {
  const { log, err, status } = await started({
    XDS_AUTH_PROVIDER: "provider",
    MUTEX_PROFILE_FRACTION: "5",
    PILOT_TRACE_SAMPLING: "5",
    ENABLE_DEFERRED_STATS_CREATION: "false",
  });
  assert.equal(status, 0, err);
  const warned = log.split("\n").filter((line) => /this variable has no effect/.test(line));
  assert.equal(warned.length, 2, log);
  assert(
    warned.some((line) => /warn.*not implemented.*XDS_AUTH_PROVIDER.*certificates/.test(line)),
    log,
  );
  assert(warned.some((line) => /warn.*no effect.*MUTEX_PROFILE.*no mutexes/.test(line)), log);
});
