/**
 * The proxy as a child process. It is never restarted: the agent ends with it.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { scope } from "../log/mod.ts";

/** A running proxy. */
export interface ProxyProcess {
  readonly pid: number;
  /** Exit status; never rejects. */
  readonly exited: Promise<Deno.CommandStatus>;
  /** Sends SIGTERM, and SIGKILL after the grace time. Resolves when the process has exited. */
  stop(graceMs: number): Promise<void>;
}

const log = scope("default");

/**
 * Starts the proxy. It writes to the agent's output. If a second signal ends the agent at once, the
 * proxy is killed too.
 *
 * @param environment variables in addition to the agent's own
 * @throws MeshError `proxy-start` if the program cannot be started
 */
export function startProxy(
  binary: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): ProxyProcess {
  const child = spawn(binary, args, environment);
  log.info("started the proxy", { pid: child.pid, binary });
  const killNow = () => signal(child, "SIGKILL");
  addEventListener("unload", killNow);
  const exited = child.status.finally(() => removeEventListener("unload", killNow));
  return {
    pid: child.pid,
    exited,
    async stop(graceMs) {
      signal(child, "SIGTERM");
      const timer = setTimeout(killNow, graceMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

function spawn(
  binary: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Deno.ChildProcess {
  try {
    return new Deno.Command(binary, {
      args: [...args],
      env: { ...env },
      // A separate process group: Ctrl-C in a terminal reaches only the agent, which drains.
      detached: true,
      stdin: "null",
      stdout: "inherit",
      stderr: "inherit",
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
