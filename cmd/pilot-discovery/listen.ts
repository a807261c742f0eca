/**
 * The listeners of the daemon, and what they serve.
 *
 * @module
 */
import { XDS_AUTH_PLAINTEXT } from "../../lib/cluster/authn/mod.ts";
import { lazily, MeshError } from "../../lib/kit/base/mod.ts";
import {
  ENABLE_DEBUG_ON_HTTP,
  rootChangeRoutes,
  withRemoteCallers,
} from "../../lib/insight/debug/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import { monitoringRoutes, type Readiness } from "../../lib/insight/monitor/mod.ts";
import { boundsInForce, type RpcServer, transportInForce } from "../../lib/kit/rpc/mod.ts";
import { MAX_RECEIVE, MAX_STREAMS, type XdsServer } from "../../lib/mesh/xds/mod.ts";
import type { DebugViews } from "./debug_views.ts";
import { type Identity, whenCertified } from "./identity.ts";
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
  /** Ends the daemon with an error of a listener that was opened later. */
  readonly fail: (error: unknown) => void;
}

const log = scope("default");

/** The reason for not being ready before a signer has signed the daemon's certificate. */
export const UNCERTIFIED =
  "waiting for the certificate of the secured listener (PILOT_CERT_PROVIDER)";

/**
 * Opens the other listeners. They are closed in the reverse order, each with its grace time.
 *
 * @returns a function that closes those for proxies earlier
 */
export async function listen(
  served: Served,
  stack: AsyncDisposableStack,
): Promise<() => Promise<void>> {
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
  const drain = lazily(async () => {
    readiness.set(false);
    // Streams end one by one over half of the time; the rest are aborted then.
    await xds.drain(grace / 2);
    await servers.stop(grace / 2);
  });
  stack.defer(drain);
  return drain;
}

/**
 * Opens the listeners for proxies. The second one that fails closes the first one. The daemon is ready
 * when all are open.
 */
async function openDiscovery(served: Served): Promise<DiscoveryServers> {
  const { settings: { options }, identity: { tls, certificates }, xds, readiness } = served;
  const servers = discoveryServers();
  let isWaiting = tls !== undefined;
  if (tls) {
    const services = certificates ? [...xds.services, certificates] : xds.services;
    const address = options.secureGrpcAddr;
    const isLate = tls.current() === undefined;
    await whenCertified(tls, async (first) => {
      const server = await startRpc({ ...shared(options), address, services, tls: first });
      if (!servers.add(server)) return;
      tls.onChange(() => server.setTls(tls.current() ?? first));
      log.info("serving discovery over TLS", { address: server.address });
      isWaiting = false;
      if (!isLate) return;
      readiness.set(true);
      log.info("ready");
    }, served.fail);
  }
  if (options.grpcAddr !== "") {
    // Tokens and certificates cross the network in clear text here, which only this setting allows.
    const isTrusted = certificates && XDS_AUTH_PLAINTEXT.get();
    const services = isTrusted ? [...xds.services, certificates] : xds.services;
    try {
      const server = await startRpc({ ...shared(options), address: options.grpcAddr, services });
      servers.add(server);
      log.info("serving discovery", { address: server.address });
    } catch (error) {
      await servers.stop(0);
      throw error;
    }
  }
  readiness.explain(() => isWaiting ? [{ text: UNCERTIFIED }] : []);
  readiness.set(!isWaiting);
  return servers;
}

/** Settings of all listeners for proxies. */
function shared(options: Settings["options"]) {
  return {
    transport: transportInForce(),
    bounds: boundsInForce(),
    limits: { maxReceive: MAX_RECEIVE.get(), maxStreams: MAX_STREAMS.get() },
    keepalive: {
      interval: options.keepaliveIntervalMs,
      timeout: options.keepaliveTimeoutMs,
      maxAge: options.keepaliveMaxServerConnectionAgeMs,
    },
  };
}

/** Open listeners for proxies; the secured one may be opened while the daemon ends. */
interface DiscoveryServers {
  /** False: the daemon ends; the server is stopped. */
  add(server: RpcServer): boolean;
  stop(graceMs: number): Promise<void>;
}

function discoveryServers(): DiscoveryServers {
  const servers: RpcServer[] = [];
  let isStopping = false;
  return {
    add(server) {
      if (isStopping) void server.stop(0);
      else servers.push(server);
      return !isStopping;
    },
    async stop(graceMs) {
      isStopping = true;
      await Promise.all(servers.map((server) => server.stop(graceMs)));
    },
  };
}
