/**
 * Settings of the proxy that the agent runs, as the real Envoy reports them, and agents with a proxy
 * that ends or a daemon that is away.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Agent,
  type AgentOptions,
  eventually,
  freePort,
  type Program,
  programWords,
  startAgent,
  startCommand,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { answeringListener, LISTENER, startAds } from "../support/ads.ts";

/** Runs a test with a folder, a function that starts agents of a daemon, and the daemon's port. */
async function inWorld(
  run: (world: {
    readonly dir: string;
    readonly daemonPort: number;
    start(chosen?: Partial<AgentOptions>): Promise<Agent>;
    /** Starts the daemon. */
    serve(): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-agent-proxy-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const [daemonPort, port] = [freePort(), freePort()];
  const envoy = await envoyPath();
  await run({
    dir,
    daemonPort,
    serve: async () => {
      const listeners = { answer: answeringListener("answer", port, "hello") };
      stack.use(await startAds({ [LISTENER]: listeners }, daemonPort));
    },
    start: async (chosen = {}) =>
      stack.use(
        await startAgent({
          role: "sidecar",
          name: "app",
          ip: "127.0.0.1",
          xds: `127.0.0.1:${daemonPort}`,
          envoy,
          dir,
          ...chosen,
        }),
      ),
  });
}

async function json<T>(url: string): Promise<T> {
  return await (await fetch(url)).json() as T;
}

interface Bootstrap {
  readonly node: { readonly locality?: object; readonly metadata: Record<string, unknown> };
  readonly cluster_manager?: { readonly outlier_detection?: { readonly event_log_path: string } };
  readonly stats_flush_interval?: string;
  readonly admin: { readonly profile_path?: string };
}

/** The bootstrap configuration that Envoy has, overrides included. */
async function bootstrapOf({ admin }: Agent): Promise<Bootstrap> {
  const dump = await json<{ configs: { bootstrap?: Bootstrap }[] }>(`${admin}/config_dump`);
  return dump.configs.find(({ bootstrap }) => bootstrap)!.bootstrap!;
}

async function workersOf({ admin }: Agent): Promise<number> {
  const info = await json<{ command_line_options: { concurrency: number } }>(
    `${admin}/server_info`,
  );
  return info.command_line_options.concurrency;
}

Deno.test("flags, variables and overrides reach the proxy", () =>
  inWorld(async ({ dir, start, serve }) => {
    await serve();
    const override = `${dir}/override.yaml`;
    await Deno.writeTextFile(override, "stats_flush_interval: 7s\n");
    const agent = await start({
      args: [
        "--concurrency=3",
        "--proxyLogLevel=info,upstream:debug",
        "--proxyComponentLogLevel=http:trace,upstream:error",
        `--outlierLogPath=${dir}/outliers.log`,
      ],
      env: {
        MESH_BOOTSTRAP_OVERRIDE: override,
        MESH_CPU_LIMIT: "2",
        CLOUDPLAT_METADATA: "shops|4711|cluster-1|europe-west1-c",
      },
    });
    assert.equal(await workersOf(agent), 3, "the flag wins over the limit");
    const levels = await (await fetch(`${agent.admin}/logging`, { method: "POST" })).text();
    for (const level of ["http: trace", "upstream: debug", "admin: info"]) {
      assert.match(levels, new RegExp(`^\\s*${level}$`, "m"));
    }
    const bootstrap = await bootstrapOf(agent);
    assert.equal(bootstrap.stats_flush_interval, "7s");
    assert.equal(
      bootstrap.cluster_manager?.outlier_detection?.event_log_path,
      `${dir}/outliers.log`,
    );
    assert.ok((await Deno.stat(`${dir}/outliers.log`)).isFile);
    assert.deepEqual(bootstrap.node.locality, { region: "europe-west1", zone: "europe-west1-c" });
    assert.deepEqual(bootstrap.node.metadata.PLATFORM_METADATA, {
      gcp_project: "shops",
      gcp_project_number: "4711",
      gcp_gke_cluster_name: "cluster-1",
      gcp_location: "europe-west1-c",
    });
  }));

/** Sources of the number of workers, from the weakest; each is set with those before it. */
const WORKERS: readonly (readonly [
  what: string,
  options: Partial<AgentOptions>,
  annotation: string,
])[] = [
  ["MESH_CPU_LIMIT", { env: { MESH_CPU_LIMIT: "4" } }, ""],
  ["PROXY_CONFIG", { proxyConfig: { concurrency: 3 } }, ""],
  ["the annotation", {}, "concurrency: 1"],
];

Deno.test("workers come from the CPU limit, the configuration and the annotation, the last one wins", () =>
  inWorld(async ({ dir, start, serve }) => {
    await serve();
    const expected = [4, 3, 1];
    let options: Partial<AgentOptions> = {};
    for (const [index, [what, more, annotation]] of WORKERS.entries()) {
      options = { ...options, ...more, name: `app-${index}` };
      if (annotation) {
        await Deno.mkdir(`${dir}/app-${index}/etc/mesh/pod`, { recursive: true });
        await Deno.writeTextFile(
          `${dir}/app-${index}/etc/mesh/pod/annotations`,
          `proxy.mesh.io/config=${JSON.stringify(annotation)}\n`,
        );
      }
      const agent = await start(options);
      assert.equal(await workersOf(agent), expected[index], what);
      await agent[Symbol.asyncDispose]();
    }
  }));

Deno.test("CLOUD_PLATFORM names the platform that is asked; the agent starts without an answer, too", () =>
  inWorld(async ({ start, serve }) => {
    await serve();
    const agent = await start({ env: { CLOUD_PLATFORM: "aws" } });
    // The machine of the test may belong to the platform.
    assert.match(
      agent.program.output(),
      /(warn.*gave no metadata|belongs to a cloud platform).*platform=aws/,
    );
    const none = await start({ name: "none", env: { CLOUD_PLATFORM: "none" } });
    assert.doesNotMatch(none.program.output(), /platform/);
  }));

Deno.test("an agent whose daemon is away waits for it, and its proxy becomes ready then", () =>
  inWorld(async ({ start, serve }) => {
    const agent = await start({ noWait: true });
    await agent.program.printed("started the proxy");
    const ready = async () => {
      const answer = await fetch(`${agent.status}/healthz/ready`);
      await answer.body?.cancel();
      return answer.status;
    };
    await eventually("the status server", async () => await ready() === 503);
    await serve();
    await eventually("the proxy to be ready", async () => await ready() === 200);
  }));

/** An agent with a script as its proxy, whose soft limit of core dumps is 0. */
function withScript(dir: string, env: Readonly<Record<string, string>>): Program {
  const deno = [Deno.execPath(), ...programWords("pilot-agent"), "proxy"].join(" ");
  return startCommand("/bin/sh", ["-c", `ulimit -S -c 0; exec ${deno}`], {
    INSTANCE_IP: "127.0.0.1",
    PROXY_XDS_DEBUG_VIA_AGENT: "false",
    PROXY_CONFIG: JSON.stringify({
      binaryPath: `${dir}/proxy.sh`,
      configPath: `${dir}/etc`,
      discoveryAddress: "127.0.0.1:1",
      controlPlaneAuthPolicy: "NONE",
      statusPort: freePort(),
    }),
    ...env,
  }, dir);
}

async function limit(kind: "H" | "S", before = ""): Promise<string> {
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", `${before}ulimit -${kind} -c`],
  }).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test("a proxy that ends by itself ends the agent with its status, and MESH_DATAPROXY_ENABLE_CORE_DUMP raises its limit", () =>
  inWorld(async ({ dir }) => {
    const hard = await limit("H", "ulimit -S -c 0; ");
    for (const [enabled, expected] of [["true", hard], ["false", "0"]] as const) {
      const script = `#!/bin/sh\nulimit -S -c > ${dir}/limit\necho "$@" > ${dir}/args\nexit 3\n`;
      await Deno.writeTextFile(`${dir}/proxy.sh`, script, { mode: 0o755 });
      await using agent = withScript(dir, { MESH_DATAPROXY_ENABLE_CORE_DUMP: enabled });
      assert.equal((await agent.status).code, 1, agent.output());
      assert.match(agent.output(), /Error: the proxy ended with exit status 3/);
      assert.equal((await Deno.readTextFile(`${dir}/limit`)).trim(), expected);
      assert.match(
        await Deno.readTextFile(`${dir}/args`),
        /^-c .*dataproxy-rev\.json --drain-time/,
      );
    }
  }));

/** The reason why a process leaves no core file in its working directory here, or `undefined`. */
function missingCores(): string | undefined {
  const pattern = Deno.build.os === "linux"
    ? Deno.readTextFileSync("/proc/sys/kernel/core_pattern").trim()
    : "|";
  if (pattern === "" || /[|/]/.test(pattern)) return "needs a core_pattern that is a file name";
  const { success } = new Deno.Command("/bin/sh", {
    args: ["-c", '[ "$(ulimit -H -c)" != 0 ]'],
  }).outputSync();
  return success ? undefined : "needs a hard limit of core dumps above 0";
}

/** Type `ET_CORE` of ELF files, and the offset of the type. */
const [CORE, TYPE_OFFSET] = [4, 16];

/** Names of the core files in a folder. */
async function coresIn(dir: string): Promise<string[]> {
  const found = [];
  for await (const { name, isFile } of Deno.readDir(dir)) {
    if (!isFile) continue;
    const bytes = await Deno.readFile(`${dir}/${name}`);
    const isElf = new TextDecoder().decode(bytes.subarray(1, 4)) === "ELF";
    if (isElf && bytes[TYPE_OFFSET] === CORE) found.push(name);
  }
  return found;
}

const NO_CORES = missingCores();

Deno.test({
  name: "a proxy that a signal kills leaves a core file in the working directory of the agent, " +
    "if MESH_DATAPROXY_ENABLE_CORE_DUMP is true" +
    (NO_CORES === undefined ? "" : ` [${NO_CORES}]`),
  ignore: NO_CORES !== undefined,
  fn: () =>
    inWorld(async ({ dir }) => {
      const cases = [["true", "ABRT", 1], ["true", "SEGV", 1], ["false", "ABRT", 0]] as const;
      for (const [enabled, signal, expected] of cases) {
        await Deno.writeTextFile(`${dir}/proxy.sh`, `#!/bin/sh\nkill -${signal} $$\n`, {
          mode: 0o755,
        });
        await using agent = withScript(dir, { MESH_DATAPROXY_ENABLE_CORE_DUMP: enabled });
        assert.equal((await agent.status).code, 1, agent.output());
        assert.match(agent.output(), new RegExp(`the proxy ended by SIG${signal}`));
        const cores = await coresIn(dir);
        assert.equal(cores.length, expected, `${enabled} ${signal}: ${cores}`);
        for (const name of cores) await Deno.remove(`${dir}/${name}`);
      }
    }),
});
