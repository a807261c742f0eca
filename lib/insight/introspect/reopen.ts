/**
 * SIGUSR1: opens the files of the log again, after they were moved away.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { reopenLogging, scope } from "../../kit/log/mod.ts";

const log = scope("default");

/** Description of the signal, for the page of the command line. */
export const USER_SIGNAL =
  "Opens the files of --log_target again, as is needed after they were moved away.";

/** Handles SIGUSR1 until it is disposed of. */
export function reopenOnSignal(): Disposable {
  Deno.addSignalListener("SIGUSR1", reopen);
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGUSR1", reopen) };
}

function reopen(): void {
  try {
    reopenLogging();
    log.info("opened the log's targets again, on SIGUSR1");
  } catch (error) {
    log.error("the open files of the log stay in use", { error: messageOf(error) });
  }
}
