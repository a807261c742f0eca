import assert from "node:assert/strict";
import { parseArgv, runProgram } from "../../lib/kit/cli/mod.ts";
import { declaredEnv, useEnvironment } from "../../lib/kit/env/mod.ts";
import { freePort } from "../../scripts/harness/mod.ts";
import { discoveryOptions } from "./options.ts";
import { PILOT_DISCOVERY } from "./program.ts";

/** Starts the daemon in-process, asked to end from the first; what it said, and its exit status. */
async function started(
  environment: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<{ err: string; log: string; status: number }> {
  using _ = useEnvironment(environment);
  const folder = await Deno.makeTempDir({ prefix: "mesh-environment-" });
  try {
    const log = `${folder}/log`;
    let err = "";
    const status = await runProgram(PILOT_DISCOVERY, [
      "discovery",
      `--configDir=${folder}`,
      "--grpcAddr=127.0.0.1:0",
      "--secureGRPCAddr=",
      "--httpAddr=",
      "--monitoringAddr=",
      `--ctrlz_port=${freePort()}`,
      `--log_target=${log}`,
      ...flags,
    ], { io: { out: () => {}, err: (text) => void (err += text) }, signal: AbortSignal.abort() });
    return { err, log: await textOf(log), status };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Empty when the daemon did not come to write any. */
async function textOf(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** A variable that acts, ones that do not, one read for a flag, one that is the agent's. */
const BAD: readonly [name: string, value: string, form: RegExp][] = [
  ["PILOT_DEBOUNCE_AFTER", "10", /takes a duration such as/],
  ["ENABLE_LEADER_ELECTION", "maybe", /takes true or false/],
  ["MUTEX_PROFILE_FRACTION", "1.5", /takes a whole number/],
  ["PILOT_TRACE_SAMPLING", "x", /takes a number/],
  ["GRPC_KEEPALIVE_INTERVAL", "10", /a duration such as/],
  ["GRPC_KEEPALIVE_TIMEOUT", "0s", /of at least 1ms/],
  ["PILOT_PUSH_THROTTLE", "-1", /takes a whole number of at least 0/],
  ["MESH_DELTA_XDS", "on", /takes true or false/],
  ["COMPLIANCE_POLICY", "fips", /takes fips-140-2\n/],
  ["EXTERNAL_CA", "vault", /takes MESHD_RA_ORCH_API\n/],
];

for (const [name, value, form] of BAD) {
  Deno.test(`${name}=${value} ends the daemon at its start with a sentence`, async () => {
    const { err, status } = await started({ [name]: value });
    assert.equal(status, 1);
    assert.match(err, /^Error: /);
    assert(err.includes(name), err);
    assert(err.includes(JSON.stringify(value)), err);
    assert.match(err, form);
  });
}

Deno.test("variables stand in for the flags that are not given", () => {
  using _ = useEnvironment({
    CLUSTER_ID: "west",
    GRPC_KEEPALIVE_INTERVAL: "1m",
    GRPC_KEEPALIVE_TIMEOUT: "5s",
  });
  const parsed = (...argv: string[]) =>
    discoveryOptions(parseArgv(PILOT_DISCOVERY, ["discovery", ...argv]).flags);
  const { clusterId, keepaliveIntervalMs, keepaliveTimeoutMs } = parsed();
  assert.deepEqual([clusterId, keepaliveIntervalMs, keepaliveTimeoutMs], ["west", 60_000, 5_000]);
  assert.equal(parsed("--clusterID=east").clusterId, "east");
});

Deno.test("the daemon warns only of variables without effect", async () => {
  const { log, err, status } = await started({
    PILOT_DEBOUNCE_AFTER: "10ms",
    ENABLE_VTPROTOBUF: "false",
    SECRET_TTL: "1h",
  });
  assert.equal(status, 0, err);
  const warned = log.split("\n").filter((line) => /this variable has no effect/.test(line));
  assert.equal(warned.length, 1, log);
  assert(warned.some((line) => /warn.*no effect.*ENABLE_VTPROTOBUF.*one codec/.test(line)), log);
});

Deno.test("the daemon's permissions let it read every variable it takes", async () => {
  const file = new URL("../../deno.json", import.meta.url);
  const { permissions } = JSON.parse(await Deno.readTextFile(file));
  const allowed: readonly string[] = permissions["pilot-discovery"].env;
  const covers = (pattern: string, name: string): boolean =>
    pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
  const taken = declaredEnv().filter(({ programs }) => programs.includes("pilot-discovery"));
  const refused = taken.filter(({ name }) => !allowed.some((pattern) => covers(pattern, name)));
  assert.deepEqual(refused.map(({ name }) => name), []);
});

Deno.test("ENABLE_CA_SERVER and PILOT_CERT_PROVIDER decide if the daemon issues its own certificate", async () => {
  const secured = "--secureGRPCAddr=127.0.0.1:0";
  assert.equal((await started({}, secured)).status, 0);
  const without: Readonly<Record<string, string>>[] = [
    { ENABLE_CA_SERVER: "false" },
    { PILOT_CERT_PROVIDER: "orch.io/x" },
  ];
  for (const environment of without) {
    const { err, status } = await started(environment, secured);
    assert.equal(status, 1, JSON.stringify(environment));
    assert.match(err, /there is no certificate for it/);
  }
});

Deno.test("MESH_INPUT_LOG records the configuration in a file", async () => {
  const file = await Deno.makeTempFile({ prefix: "mesh-input-" });
  try {
    assert.equal((await started({ MESH_INPUT_LOG: file })).status, 0);
    assert.notEqual(await Deno.readTextFile(file), "");
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("a variable of the agent is named when it is set for the daemon", async () => {
  const { log } = await started({ PKCS8_KEY: "true" });
  assert.match(log, /PKCS8_KEY/);
  assert.doesNotMatch((await started({})).log, /PKCS8_KEY/);
});
