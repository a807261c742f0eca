/**
 * The proxy as a child process. It is never restarted: the agent ends with it.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { passOn } from "./log_tail.ts";

/** A running proxy. */
export interface ProxyProcess {
  readonly pid: number;
  /** Exit status; never rejects. */
  readonly exited: Promise<Deno.CommandStatus>;
  /** The last lines of its log. After the exit, waits a moment for those that are on the way. */
  lastLines(): Promise<readonly string[]>;
  /** Sends SIGTERM, and SIGKILL after the grace time. Resolves when the process has exited. */
  stop(graceMs: number): Promise<void>;
}

const log = scope("default");

/** The proxy's program. */
export interface ProxyCommand {
  readonly binary: string;
  readonly args: readonly string[];
  /** Variables in addition to the agent's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** True: core dumps may be as large as the hard limit of the agent's process. */
  readonly coreDumps: boolean;
}

/**
 * Starts the proxy. It writes to the agent's output; its log goes through the agent, which keeps the
 * last lines. If a second signal ends the agent at once, the
 * proxy is killed too.
 *
 * @throws MeshError `proxy-start` if the program cannot be started
 */
export function startProxy(command: ProxyCommand): ProxyProcess {
  const { binary } = command;
  const child = command.coreDumps ? spawnWithCoreDumps(command) : spawn(command);
  log.info("started the proxy", { pid: child.pid, binary });
  const killNow = () => signal(child, "SIGKILL");
  addEventListener("unload", killNow);
  const exited = child.status.finally(() => removeEventListener("unload", killNow));
  const tail = passOn(child.stderr, Deno.stderr);
  return {
    pid: child.pid,
    exited,
    lastLines: tail.lastLines,
    async stop(graceMs) {
      signal(child, "SIGTERM");
      const timer = setTimeout(killNow, graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The runtime cannot change limits of a process; the shell can. */
const SHELL = "/bin/sh";
/** Raises the soft limit to the hard one, and becomes the program that the arguments name. */
const RAISE_LIMIT = 'ulimit -S -c "$(ulimit -H -c)"; exec "$0" "$@"';

function spawnWithCoreDumps(command: ProxyCommand): Deno.ChildProcess {
  const { binary, args, environment } = command;
  try {
    return spawn({ binary: SHELL, args: ["-c", RAISE_LIMIT, binary, ...args], environment });
  } catch (error) {
    log.warn("MESH_DATAPROXY_ENABLE_CORE_DUMP has no effect: a shell cannot be run", {
      shell: SHELL,
      reason: messageOf(error instanceof MeshError ? error.cause : error),
    });
    return spawn(command);
  }
}

function spawn(
  { binary, args, environment }: Omit<ProxyCommand, "coreDumps">,
): Deno.ChildProcess {
  try {
    return new Deno.Command(binary, {
      args: [...args],
      env: { ...environment },
      // A separate process group: Ctrl-C in a terminal reaches only the agent, which drains.
      detached: true,
      stdin: "null",
      stdout: "inherit",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    throw new MeshError("proxy-start", `the proxy ${binary} cannot be run`, {
      remedy: "Set binaryPath of the proxy configuration to the proxy's program.",
      cause,
    });
  }
}

/** A process that has exited needs no signal. */
function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    log.debug("the proxy was gone already", { pid: child.pid, error });
  }
}
