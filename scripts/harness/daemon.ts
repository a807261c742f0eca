/**
 * A `pilot-discovery` on loopback with free ports.
 *
 * @module
 */
import { engineFlags, engineVariables } from "../engine_flags.ts";
import { eventually, freePorts } from "./ports.ts";
import { type Program, startCommand, startProgram } from "./process.ts";

/** A running daemon. */
export interface Daemon extends AsyncDisposable {
  readonly program: Program;
  /** `host:port` of the plain xDS listener. */
  readonly xds: string;
  /** Base URL of the debug pages. */
  readonly http: string;
  /** Base URL of metrics and version. */
  readonly monitoring: string;
  /** Base URL of the introspection pages. */
  readonly introspection: string;
  /** The JSON of a debug page. */
  debug<T>(path: string): Promise<T>;
}

export interface DaemonOptions {
  readonly configDir: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Ports of an earlier daemon, to replace it: xDS, HTTP, monitoring, introspection. */
  readonly ports?: readonly [number, number, number, number];
  /** Port of the secured xDS listener. Default: there is none. */
  readonly secured?: number;
  /** Permission flags of Deno. Default: all permissions. */
  readonly permissions?: readonly string[];
  /** Working directory. Default: that of the tests. */
  readonly cwd?: string;
  /** Do not wait for readiness. */
  readonly noWait?: boolean;
  /** A built program to run instead of `main.ts`, with its own permissions. */
  readonly binary?: string;
  /** A bundled module to run instead of `main.ts`. */
  readonly module?: string;
  /** The `main.ts` of other sources. */
  readonly main?: string | undefined;
}

/** Starts a daemon and waits until it is ready. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const ports = options.ports ?? freePorts(4);
  const [xds, http, monitoring, introspection] = ports;
  const args = [
    "discovery",
    `--configDir=${options.configDir}`,
    `--grpcAddr=127.0.0.1:${xds}`,
    `--secureGRPCAddr=${options.secured === undefined ? "" : `127.0.0.1:${options.secured}`}`,
    `--httpAddr=127.0.0.1:${http}`,
    // Webhooks are off unless a test gives their address.
    "--httpsAddr=",
    `--monitoringAddr=127.0.0.1:${monitoring}`,
    `--ctrlz_port=${introspection}`,
    ...options.args ?? [],
  ];
  const program = startDiscovery(options, args);
  const base = `http://127.0.0.1:${http}`;
  try {
    if (!options.noWait) {
      await eventually("the daemon to be ready", async () => {
        const answer = await fetch(`${base}/ready`);
        await answer.body?.cancel();
        return answer.status === 200;
      });
    }
  } catch (e) {
    await program[Symbol.asyncDispose]();
    throw new Error(`the daemon did not become ready:\n${program.output()}`, { cause: e });
  }
  return {
    program,
    xds: `127.0.0.1:${xds}`,
    http: base,
    monitoring: `http://127.0.0.1:${monitoring}`,
    introspection: `http://127.0.0.1:${introspection}`,
    debug: async <T>(path: string): Promise<T> => {
      const answer = await fetch(`${base}/debug/${path}`);
      if (!answer.ok) throw new Error(`/debug/${path}: ${answer.status} ${await answer.text()}`);
      return await answer.json() as T;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

function startDiscovery(options: DaemonOptions, args: readonly string[]): Program {
  const { binary, module, main, cwd, permissions } = options;
  const variables = engineVariables("pilot-discovery").map((one) => one.split("="));
  const env = { ...Object.fromEntries(variables), ...options.env };
  if (binary !== undefined) return startCommand(binary, args, env, cwd);
  const flags = engineFlags("pilot-discovery");
  if (module === undefined) {
    return startProgram(["pilot-discovery", ...args], env, cwd, { permissions, flags, main });
  }
  const may = permissions ?? ["-A"];
  return startCommand(Deno.execPath(), ["run", "-q", ...may, ...flags, module, ...args], env, cwd);
}

/** The ports of a daemon, to replace it. */
export function portsOf(daemon: Daemon): [number, number, number, number] {
  const port = (url: string): number => Number(url.slice(url.lastIndexOf(":") + 1));
  return [port(daemon.xds), port(daemon.http), port(daemon.monitoring), freePorts(1)[0]!];
}
