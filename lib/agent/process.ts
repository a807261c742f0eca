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
  /** How it ended; never rejects. */
  readonly exited: Promise<Deno.CommandStatus>;
  /** Asks it to end, and ends it by force after so long. Resolves when it is gone. */
  stop(graceMs: number): Promise<void>;
}

const log = scope("default");

/**
 * Starts the proxy. Its output goes to the agent's own. Should the agent be ended at once, by a
 * second signal, the proxy is killed with it.
 *
 * @param environment variables beside the agent's own
 * @throws MeshError `proxy-start` when the program cannot be run
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
      // In a process group of its own: Ctrl-C at a terminal reaches the agent only, which drains.
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

/** A process that is gone needs no signal. */
function signal(child: Deno.ChildProcess, name: Deno.Signal): void {
  try {
    child.kill(name);
  } catch (error) {
    log.debug("the proxy was gone already", { pid: child.pid, error });
  }
}
