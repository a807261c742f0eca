/**
 * The listener of the status server, on all interfaces: probes come from outside.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { StatusHandler } from "./status.ts";

/** A running listener. */
export interface StatusServer {
  readonly port: number;
  stop(): Promise<void>;
}

const log = scope("healthcheck");

/**
 * Starts listening, on both families where the machine has IPv6.
 *
 * @throws MeshError `agent-status-port` when the port cannot be had
 */
export function serveStatus(port: number, handler: StatusHandler): StatusServer {
  const serve = (hostname: string) =>
    Deno.serve({
      hostname,
      port,
      onListen: () => {},
      onError: (error) => {
        log.error("a status request failed", { error });
        return new Response(null, { status: 500 });
      },
    }, (request, { remoteAddr }) => handler(request, remoteAddr.hostname));
  const server = bind(port, serve);
  return { port: server.addr.port, stop: () => server.shutdown() };
}

function bind<T>(port: number, serve: (hostname: string) => T): T {
  try {
    try {
      return serve("::");
    } catch (error) {
      if (error instanceof Deno.errors.AddrInUse) throw error;
      return serve("0.0.0.0");
    }
  } catch (cause) {
    throw new MeshError("agent-status-port", `the status server cannot listen on port ${port}`, {
      remedy: "Set statusPort of the proxy configuration to a free port.",
      cause,
    });
  }
}
