import { MeshError } from "../base/mod.ts";
import { type Holder, holderOf } from "./holder.ts";

/** A listener that the user configured. */
export interface AskedListener {
  /** The flag or purpose of the address: `--httpAddr`. */
  readonly by: string;
  /** The configured text: `:8080`. */
  readonly address: string;
  /** Remedy: disabling the listener, or choosing another address; a sentence. */
  readonly remedy?: string;
}

/**
 * Opens a listener; when that fails, says which one it was and why, and who has the port where that
 * can be known.
 *
 * @throws {MeshError} with the code that `open` gave, `listen-failed` otherwise.
 */
export async function openListener<T>(asked: AskedListener, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const code = error instanceof MeshError ? error.code : "listen-failed";
    const fault = faultOf(errnoOf(error), asked.address);
    if (fault !== undefined) {
      const [why, remedy] = fault;
      const message = `cannot listen on ${asked.address} (${asked.by}): ${why}`;
      throw failed(asked, { code, message, remedy });
    }
    if (!(error instanceof MeshError)) throw error;
    const message = error.message.includes(asked.by)
      ? error.message
      : `${asked.by}: ${error.message}`;
    const { remedy, cause } = error;
    throw failed(asked, { code, message, remedy, cause });
  }
}

function failed(
  asked: AskedListener,
  { code, message, remedy, cause }: Pick<MeshError, "code" | "message" | "remedy" | "cause">,
): MeshError {
  const whatToDo = [remedy, asked.remedy].filter(Boolean).join(" ");
  return new MeshError(code, message, { remedy: whatToDo === "" ? undefined : whatToDo, cause });
}

/** Returns the problem and the remedy for known causes. */
function faultOf(
  errno: string,
  address: string,
): readonly [why: string, remedy: string] | undefined {
  switch (errno) {
    case "EADDRINUSE": {
      const port = Number(/:(\d+)$/.exec(address)?.[1] ?? 0);
      return [
        `the address is in use ${heldBy(holderOf(port))}`,
        "End the process that has it, or choose another address.",
      ];
    }
    case "EADDRNOTAVAIL":
    // The runtime gives this in place of the one above.
    case "EINVAL":
      return ["this machine has no such address", "Choose an address of this machine."];
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EAI_NODATA":
      return ["the host name is not known", "Give an address of this machine."];
    case "EACCES":
    case "EPERM":
      return [
        "it is not permitted",
        "Choose a port above 1023, or give the program the right to it.",
      ];
    default:
      return undefined;
  }
}

function heldBy(holder: Holder): string {
  switch (holder.kind) {
    case "program":
      return `by ${holder.name} (process ${holder.pid})`;
    case "own":
      return "by this program itself, for another of its listeners";
    case "unknown":
      return `(by whom is not known: ${holder.why})`;
  }
}

/** The system's name of an error, from the error or one of its causes; empty when it has none. */
function errnoOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && /^E[A-Z_]+$/.test(String(at.code))) return String(at.code);
    // The runtime gives this error no code when it resolves the name itself.
    if (at.message.startsWith("failed to lookup address information")) return "ENOTFOUND";
  }
  return "";
}
