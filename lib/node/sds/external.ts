/**
 * Another provider of the workload's secrets, on the socket that `WORKLOAD_IDENTITY_SOCKET_FILE`
 * names.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** Name of the agent's own socket. */
export const OWN_SOCKET = "socket";

/**
 * Reports if another program serves secrets on the socket. A socket file at which nothing listens is
 * a left-over.
 *
 * @param path the socket; its last part is the name in `WORKLOAD_IDENTITY_SOCKET_FILE`
 * @throws MeshError `workload-socket` when a socket with another name than `socket` is not served
 */
export async function isServed(path: string): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch (cause) {
    if (path.endsWith(`/${OWN_SOCKET}`)) return false;
    throw new MeshError("workload-socket", `${path}: no program serves secrets there`, {
      remedy: "Start the provider that WORKLOAD_IDENTITY_SOCKET_FILE names, or unset the variable.",
      cause,
    });
  }
}
