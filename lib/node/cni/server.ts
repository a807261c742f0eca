/**
 * The listeners for the plugin on the node.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { PluginDeps } from "./types.ts";

/** Options of {@link servePlugin}. */
export interface ServePluginOptions extends PluginDeps {
  /** `pluginevent.sock`: calls of the helper. */
  readonly socketPath: string;
  /** `log.sock`: lines that the helper wants in the log. */
  readonly logSocketPath: string;
  /** Ends the listeners. Calls in progress are answered first, within a few seconds. */
  readonly signal: AbortSignal;
}

/** The running listeners. */
export interface PluginServer {
  /** Resolves after the signal, when the listeners have ended and their sockets are removed. */
  readonly finished: Promise<void>;
}

/**
 * Listens on both sockets. Sockets that an agent before this one left behind are replaced.
 *
 * @throws {MeshError} `cni-socket` when a socket cannot be made
 */
export function servePlugin(options: ServePluginOptions): Promise<PluginServer> {
  throw new MeshError("cni-socket", `${options.socketPath}: not served yet`);
}
