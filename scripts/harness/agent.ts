/**
 * A `pilot-agent` with a real Envoy on loopback.
 *
 * @module
 */
import { toYaml } from "../../lib/kit/text/mod.ts";
import { eventually, freePorts } from "./ports.ts";
import { engineFlags } from "../engine_flags.ts";
import { type Program, startCommand, startProgram } from "./process.ts";

/** A running agent and its Envoy. */
export interface Agent extends AsyncDisposable {
  readonly program: Program;
  readonly name: string;
  /** Base URL of Envoy's admin API. */
  readonly admin: string;
  /** Base URL of the agent's status server. */
  readonly status: string;
  /** Counters and gauges of Envoy whose names match a regular expression. */
  stats(filter: string): Promise<Record<string, number>>;
  /** Names of the dynamic resources of a kind in Envoy. */
  held(kind: HeldKind): Promise<string[]>;
  /**
   * Envoy's configuration dump with endpoints; with an expression, only resources with matching
   * names.
   */
  configDump(nameRegex?: string): Promise<ConfigDump>;
}

/** Kinds of resources in Envoy's dump. */
export type HeldKind = "cluster" | "listener" | "route";

/** The used part of Envoy's `/config_dump`. */
export interface ConfigDump {
  readonly configs: readonly Readonly<Record<string, unknown>>[];
}

export interface AgentOptions {
  readonly role: "sidecar" | "router" | "waypoint";
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Address of the proxy: a loopback address of its own. */
  readonly ip: string;
  /** `host:port` of the daemon's xDS listener. */
  readonly xds: string;
  /**
   * The listener is the secured one, which is the agent's default. Default: false; the agent has
   * `controlPlaneAuthPolicy: NONE`.
   */
  readonly secured?: boolean | undefined;
  /** Path of the Envoy binary. */
  readonly envoy: string;
  /** Folder for its files; the caller removes it. */
  readonly dir: string;
  /**
   * `REDIRECT`: listeners bind to the ports of interception, which are fixed unless the mesh
   * configuration has others. With fixed ports the agent needs a network namespace of its own.
   * Default: `NONE`.
   */
  readonly interception?: "NONE" | "REDIRECT";
  /** Use delta xDS. Default: true. */
  readonly delta?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Further proxy configuration, as in `defaultConfig` of the mesh. */
  readonly proxyConfig?: Readonly<Record<string, unknown>>;
  /** Further flags of `pilot-agent proxy`. */
  readonly args?: readonly string[];
  /** Permission flags of Deno. Default: all permissions. */
  readonly permissions?: readonly string[];
  /** First module of a bundle to run instead of `main.ts`. */
  readonly module?: string;
  /** The `main.ts` of other sources. */
  readonly main?: string | undefined;
  /** Do not wait for readiness. */
  readonly noWait?: boolean;
}

/** Starts an agent and waits until its Envoy is ready. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const [adminPort, statusPort, readyPort, metricsPort] = freePorts(4);
  const dir = `${options.dir}/${options.name}`;
  await Deno.mkdir(dir, { recursive: true });
  const program = startAgentProgram(
    options,
    {
      PROXY_CONFIG: toYaml({
        binaryPath: options.envoy,
        configPath: `${dir}/etc`,
        discoveryAddress: options.xds,
        ...!options.secured && { controlPlaneAuthPolicy: "NONE" },
        proxyAdminPort: adminPort,
        statusPort,
        terminationDrainDuration: "1s",
        ...options.proxyConfig,
      }),
      POD_NAME: options.name,
      POD_NAMESPACE: options.namespace ?? "default",
      INSTANCE_IP: options.ip,
      DATAPROXY_STATUS_PORT: `${readyPort}`,
      DATAPROXY_PROMETHEUS_PORT: `${metricsPort}`,
      PROXY_XDS_DEBUG_VIA_AGENT: "false",
      MESH_DELTA_XDS: `${options.delta ?? true}`,
      MESH_META_INTERCEPTION_MODE: options.interception ?? "NONE",
      MESH_METAJSON_LABELS: JSON.stringify(options.labels ?? {}),
      ...options.env,
    },
    dir,
  );
  const admin = `http://127.0.0.1:${adminPort}`;
  const status = `http://127.0.0.1:${statusPort}`;
  const agent: Agent = {
    program,
    name: options.name,
    admin,
    status,
    stats: (filter) => readStats(admin, filter),
    held: async (kind) => heldNames(await readDump(admin), kind),
    configDump: (nameRegex) => readDump(admin, nameRegex),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
  if (options.noWait) return agent;
  try {
    await eventually(`${options.name} to be ready`, async () => {
      const answer = await fetch(`${status}/healthz/ready`);
      await answer.body?.cancel();
      return answer.status === 200;
    });
  } catch (e) {
    await agent[Symbol.asyncDispose]();
    throw new Error(`${options.name} did not become ready:\n${program.output()}`, { cause: e });
  }
  return agent;
}

function startAgentProgram(
  { role, args = [], permissions, module, main }: AgentOptions,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Program {
  const flags = engineFlags("pilot-agent");
  const all = ["proxy", role, ...args];
  if (module === undefined) {
    return startProgram(["pilot-agent", ...all], env, cwd, { permissions, flags, main });
  }
  const may = permissions ?? ["-A"];
  const plain = ["--no-config", "--unstable-no-legacy-abort"];
  const command = ["run", "-q", ...plain, ...may, ...flags, module];
  return startCommand(Deno.execPath(), [...command, ...all], env, cwd);
}

async function readStats(admin: string, filter: string): Promise<Record<string, number>> {
  const url = `${admin}/stats?format=json&filter=${encodeURIComponent(filter)}`;
  const answer = await (await fetch(url)).json() as {
    stats: { name?: string; value?: number }[];
  };
  const found: Record<string, number> = {};
  for (const { name, value } of answer.stats) {
    if (name !== undefined && value !== undefined) found[name] = value;
  }
  return found;
}

async function readDump(admin: string, nameRegex?: string): Promise<ConfigDump> {
  const names = nameRegex === undefined ? "" : `&name_regex=${encodeURIComponent(nameRegex)}`;
  const answer = await fetch(`${admin}/config_dump?include_eds${names}`);
  return await answer.json() as ConfigDump;
}

/**
 * Location of the dynamic resources of a kind in the dump: the list, and the path from an item to
 * its resource.
 */
const HELD: Readonly<Record<HeldKind, readonly [string, readonly string[]]>> = {
  cluster: ["dynamic_active_clusters", ["cluster"]],
  listener: ["dynamic_listeners", ["active_state", "listener"]],
  route: ["dynamic_route_configs", ["route_config"]],
};

function heldNames({ configs }: ConfigDump, kind: HeldKind): string[] {
  const [list, path] = HELD[kind];
  const items = configs.flatMap((config) => (config[list] ?? []) as Record<string, unknown>[]);
  return items.flatMap((item) => {
    let at: unknown = item;
    for (const step of path) at = (at as Record<string, unknown> | undefined)?.[step];
    const name = (at as { name?: string } | undefined)?.name;
    return name === undefined ? [] : [name];
  }).sort();
}
