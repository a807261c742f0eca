import assert from "node:assert/strict";
import { parseArgv } from "../../lib/kit/cli/mod.ts";
import { useEnvironment } from "../../lib/kit/env/mod.ts";
import { testAgainstSpec } from "../../tests/support/flag_table.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { type ProxyOptions, proxyOptions } from "./options.ts";
import { PILOT_AGENT } from "./program.ts";

await testAgainstSpec(PILOT_AGENT, {
  "pilot-agent wait": { "": "templates of injection call it in a hook of the container" },
  "pilot-agent proxy": { "<role>": "the description has it in the text of the command" },
});

function parse(...argv: string[]): ProxyOptions {
  return proxyOptions(parseArgv(PILOT_AGENT, ["proxy", ...argv]).flags);
}

const ran = (...argv: string[]) => runInProcess(PILOT_AGENT, argv);

Deno.test("proxy without flags has the documented defaults", () => {
  const expected: ProxyOptions = {
    role: "sidecar",
    concurrency: 0,
    domain: "",
    meshConfig: "./etc/mesh/config/mesh",
    outlierLogPath: "",
    profiling: false,
    proxyComponentLogLevel: "",
    proxyLogLevel: "warning,misc:error",
    serviceCluster: "mesh-proxy",
    stsPort: 0,
    templateFile: "",
    tokenManagerPlugin: "",
    logging: {
      asJson: false,
      outputLevel: "",
      caller: "",
      stacktraceLevel: "default:none",
      targets: ["stdout"],
      klogVerbosity: 0,
    },
    given: new Set(),
  };
  assert.deepEqual(parse(), expected);
});

Deno.test("each flag of proxy reaches its option", () => {
  const options = parse(
    "--concurrency=4",
    "--domain=d",
    "--meshConfig=m",
    "--outlierLogPath=o",
    "--profiling",
    "--proxyComponentLogLevel=c:debug",
    "--proxyLogLevel=info",
    "--serviceCluster=s",
    "--stsPort=15463",
    "--templateFile=t",
    "--tokenManagerPlugin=p",
    "--log_output_level=xdsproxy:debug",
    "--vklog=2",
  );
  const { logging, given, ...own } = options;
  assert.deepEqual(own, {
    role: "sidecar",
    concurrency: 4,
    domain: "d",
    meshConfig: "m",
    outlierLogPath: "o",
    profiling: true,
    proxyComponentLogLevel: "c:debug",
    proxyLogLevel: "info",
    serviceCluster: "s",
    stsPort: 15463,
    templateFile: "t",
    tokenManagerPlugin: "p",
  });
  assert.equal(logging.outputLevel, "xdsproxy:debug");
  assert.equal(logging.klogVerbosity, 2);
  assert.equal(given.size, 13);
});

Deno.test("proxy takes a role that there is", async () => {
  const { flags, args } = parseArgv(PILOT_AGENT, ["proxy", "router"]);
  assert.equal(proxyOptions(flags, args[0]).role, "router");
  const [, err, status] = await ran("proxy", "ztunnel");
  assert.match(err, /invalid argument "ztunnel" for <role>: must be sidecar or router or waypoint/);
  assert.equal(status, 1);
});

Deno.test("request refuses ports that are not meant for it", async () => {
  const [out, err, status] = await ran("request", "--debug-port", "22", "GET", "/");
  assert.equal(out, "");
  assert.match(err, /^Error: debug port 22 is not in allowed list \[15000 15021 15020 15004\]\n/);
  assert.equal(status, 1);
});

Deno.test("request reaches the agent at a status port of the pod's own", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response("drained"),
  );
  const { port } = server.addr;
  const request = () => ran("request", `--debug-port=${port}`, "POST", "drain");
  const [, refused] = await request();
  assert.match(refused, /is not in allowed list/);
  using _ = useEnvironment(new Map([["PROXY_CONFIG", `statusPort: ${port}`]]));
  const [out, err, status] = await request();
  assert.deepEqual([out, err, status], ["drained", "", 0]);
});

for (const command of ["mesh-iptables", "mesh-clean-iptables"]) {
  Deno.test(`${command} refuses an unknown flag`, async () => {
    const [, usage, status] = await ran(command, "--dry-run", "--nosuch");
    assert.match(usage, /unknown flag: --nosuch/);
    assert.equal(status, 64);
  });
}

/** Every command that carries the logging flags, with the arguments it needs. */
const COMMANDS: readonly (readonly string[])[] = [
  ["proxy"],
  ["request", "GET", "/"],
  ["mesh-iptables", "--dry-run"],
  ["mesh-clean-iptables", "--dry-run"],
  ["version"],
  ["completion", "bash"],
  ["completion", "zsh"],
];

/** Wrong values of the logging flags, with the expected messages. */
const WRONG_LOGGING: readonly [flag: string, says: RegExp][] = [
  ["--log_output_level=ads:loud", /"ads:loud" is wrong in --log_output_level\n.*debug, info/],
  ["--log_stacktrace_level=ads", /"ads" is wrong in --log_stacktrace_level\n/],
  ["--log_caller=nosuch", /--log_caller names an unknown scope nosuch\nThe scopes are: all, /],
  ["--log_target=/nosuch/dir/file", /cannot write the log to \/nosuch\/dir\/file.*\nGive stdout/],
  ["--log_as_json=maybe", /invalid argument "maybe" for "--log_as_json" flag/],
  ["--vklog=x", /invalid argument "x" for "--vklog" flag: must be a whole number/],
];

for (const command of COMMANDS) {
  Deno.test(`${command.join(" ")} refuses wrong logging flags`, async () => {
    for (const [flag, says] of WRONG_LOGGING) {
      const [out, err, status] = await ran(...command, flag);
      assert.match(err, says);
      assert.deepEqual([out, status], ["", 1], flag);
    }
  });
}
