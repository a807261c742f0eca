/**
 * The listeners of the daemon, and what they serve.
 *
 * @module
 */
import { XDS_AUTH_PLAINTEXT } from "../../lib/authn/mod.ts";
import { MeshError } from "../../lib/base/mod.ts";
import { ENABLE_DEBUG_ON_HTTP, rootChangeRoutes, withRemoteCallers } from "../../lib/debug/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { monitoringRoutes, type Readiness } from "../../lib/monitor/mod.ts";
import { boundsInForce, type RpcServer, transportInForce } from "../../lib/rpc/mod.ts";
import { MAX_RECEIVE, MAX_STREAMS, type XdsServer } from "../../lib/serve/mod.ts";
import type { DebugViews } from "./debug_views.ts";
import type { Identity } from "./identity.ts";
import { startRpc, startWeb } from "./listeners.ts";
import { httpGrace, type HttpListener } from "./ready.ts";
import type { Settings } from "./settings.ts";

/** Everything that the listeners serve from. */
export interface Served {
  readonly settings: Settings;
  readonly identity: Identity;
  readonly views: DebugViews;
  readonly xds: XdsServer;
  readonly readiness: Readiness;
  /** The listener of `--httpAddr`; unset without one. */
  readonly http: HttpListener | undefined;
}

const log = scope("default");

/** Opens the other listeners. They are closed in the reverse order, each with its grace time. */
export async function listen(served: Served, stack: AsyncDisposableStack): Promise<void> {
  const { settings: { options }, xds, readiness, http } = served;
  const grace = options.shutdownDurationMs;
  const { rootChange, debugCallers } = served.identity;
  const debugPages = ENABLE_DEBUG_ON_HTTP.get()
    ? withRemoteCallers([...rootChangeRoutes(rootChange), ...served.views.routes], debugCallers)
    : [];
  if (options.monitoringAddr !== "") {
    const web = await startWeb({
      name: "monitoring",
      address: options.monitoringAddr,
      routes: [...monitoringRoutes(), ...debugPages],
    });
    stack.defer(() => web.stop(httpGrace(options)));
  }
  if (http !== undefined) {
    // The debug pages answer every other path below /debug.
    http.add(debugPages);
    stack.defer(() => http.close());
    if (debugPages.length > 0) {
      log.info("debug pages", { address: `http://localhost:${http.port}/debug` });
    }
  }
  if (options.grpcAddr === "" && options.secureGrpcAddr === "") {
    throw new MeshError(
      "no-listener",
      "no proxy could connect: --grpcAddr and --secureGRPCAddr are empty",
      {
        remedy:
          "Give --secureGRPCAddr an address such as :15012, or --grpcAddr one such as :15010.",
      },
    );
  }
  const servers = await openDiscovery(served);
  readiness.set(true);
  stack.defer(async () => {
    readiness.set(false);
    // Streams end one by one over half of the time; the rest are aborted then.
    await xds.drain(grace / 2);
    await Promise.all(servers.map((server) => server.stop(grace / 2)));
  });
}

/** Opens the listeners for proxies. The second one that fails closes the first one. */
async function openDiscovery(
  { settings: { options }, identity, xds }: Served,
): Promise<RpcServer[]> {
  const { tls, certificates } = identity;
  const shared = {
    transport: transportInForce(),
    bounds: boundsInForce(),
    limits: { maxReceive: MAX_RECEIVE.get(), maxStreams: MAX_STREAMS.get() },
    keepalive: {
      interval: options.keepaliveIntervalMs,
      timeout: options.keepaliveTimeoutMs,
      maxAge: options.keepaliveMaxServerConnectionAgeMs,
    },
  };
  const servers: RpcServer[] = [];
  if (tls) {
    const services = certificates ? [...xds.services, certificates] : xds.services;
    const address = options.secureGrpcAddr;
    const server = await startRpc({ ...shared, address, services, tls: tls.current() });
    tls.onChange(() => server.setTls(tls.current()));
    log.info("serving discovery over TLS", { address: server.address });
    servers.push(server);
  }
  if (options.grpcAddr === "") return servers;
  // Tokens and certificates cross the network in clear text here, which only this setting allows.
  const isTrusted = certificates && XDS_AUTH_PLAINTEXT.get();
  const services = isTrusted ? [...xds.services, certificates] : xds.services;
  try {
    const server = await startRpc({ ...shared, address: options.grpcAddr, services });
    log.info("serving discovery", { address: server.address });
    return [...servers, server];
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop(0)));
    throw error;
  }
}
