/**
 * The debug tap: a port of loopback on which programs of this machine ask the daemon debug queries,
 * over HTTP and gRPC.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { startRpc } from "../../../kit/rpc/mod.ts";
import { startWeb } from "../../../kit/web/mod.ts";
import { tapMethods } from "./grpc.ts";
import { tapRoutes } from "./http.ts";
import type { DaemonLink } from "./question.ts";
import { sharePort } from "./shared_port.ts";

const log = scope("xdsproxy");

export interface TapOptions extends DaemonLink {
  /** A loopback address. */
  readonly hostname: string;
  /** 0: one that the system chooses. */
  readonly port: number;
  /** Path of the Unix socket of the gRPC side. */
  readonly socket: string;
}

/** A running tap. */
export interface Tap {
  readonly port: number;
  stop(): Promise<void>;
}

/** Requests in progress, and connections, of HTTP. A query may make the daemon write megabytes. */
const MAX_REQUESTS = 8;
const MAX_CONNECTIONS = 32;
/** Limits of the gRPC side: queries are short. */
const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_STREAMS = 8;
const KEEPALIVE = { interval: 30_000, timeout: 10_000 };

/**
 * Starts the tap.
 *
 * @throws MeshError `listen-failed` if the port is in use, `rpc-bind` without a socket
 */
export async function startTap(options: TapOptions): Promise<Tap> {
  await using starting = new AsyncDisposableStack();
  const rpc = await startRpc({
    address: `unix:${options.socket}`,
    services: tapMethods(options),
    limits: { maxReceive: MAX_REQUEST_BYTES, maxStreams: MAX_STREAMS },
    keepalive: KEEPALIVE,
  });
  starting.defer(async () => {
    await rpc.stop(0);
    await Deno.remove(options.socket).catch(() => {});
  });
  const web = await startWeb({
    name: "debug-tap",
    address: "127.0.0.1:0",
    routes: tapRoutes(options),
    limits: {
      maxRequests: MAX_REQUESTS,
      maxConnections: MAX_CONNECTIONS,
      maxPerAddress: MAX_CONNECTIONS,
    },
  });
  starting.defer(() => web.stop(0));
  const shared = sharePort({
    hostname: options.hostname,
    port: options.port,
    http2: () => Deno.connect({ transport: "unix", path: options.socket }),
    http1: () => Deno.connect({ ...web.address }),
  });
  starting.defer(() => shared.stop());
  const started = starting.move();
  return { port: shared.port, stop: () => started.disposeAsync() };
}

/**
 * The same for an agent: without the port there is no tap, but the proxy runs. Several agents on one
 * machine cannot all have it.
 */
export async function openTap(options: TapOptions): Promise<Tap | undefined> {
  try {
    return await startTap(options);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    log.warn("the debug tap is not available; set PROXY_XDS_DEBUG_VIA_AGENT_PORT to a free port", {
      reason: error.message,
    });
    return undefined;
  }
}
