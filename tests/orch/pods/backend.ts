/**
 * The program of a pod: `backend.ts NAME ADDRESS PORT`. It prints `ready`, and runs until a signal.
 *
 * @module
 */
import { startBackend } from "../../../scripts/harness/mod.ts";

if (import.meta.main) {
  const [name = "", address = "", port = ""] = Deno.args;
  startBackend(name, address, Number(port));
  console.log("ready");
}
