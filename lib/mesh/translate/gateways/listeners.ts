/**
 * Listeners of gateways, by port.
 *
 * @module
 */
import type { TransportSocket } from "#envoy/config/core/v3/base_pb.ts";
import { type Listener, ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { ServerTLSSettings_TLSmode as TlsMode } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  type GatewayPort,
  type GatewayServer,
  gatewayServerKey,
  onlyServer,
  type Workload,
} from "../../derive/mod.ts";
import {
  AGENT,
  gatewayHttpListener,
  gatewayQuicListener,
  gatewayTcpListener,
  type GatewayTlsChain,
  gatewayTlsListener,
  gatewayUdpListener,
  SHARED,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { type ListenerVariant, wildcard } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { encodeInParts } from "../resources/mod.ts";
import { mutualServer, overTlsDefaults, securityOf } from "../security/mod.ts";
import { managerDefaults } from "../listeners/mod.ts";
import { automaticChains } from "./automatic.ts";
import { gatewayServerChains, gatewayTcpChains } from "./bound_routes.ts";
import { datagramBackends, datagramClusterName } from "./datagrams.ts";
import { listenedPort, takesQuic } from "./ports.ts";

/**
 * Name of the route table of a gateway's port: of all servers of an HTTP port, or of the only server
 * that is given with the port.
 */
export function gatewayRouteName(port: GatewayPort): string {
  const { number, bind, family, servers } = port;
  const [server] = servers;
  if (family === "tls" && server !== undefined) {
    return `https.${number}.${gatewayServerKey(server)}`;
  }
  return bind === "" ? `http.${number}` : `http.${number}.${bind}`;
}

/** A port of a gateway's workload. */
export interface ServedPort {
  readonly variant: ListenerVariant;
  readonly workload: Workload;
  readonly port: GatewayPort;
}

/**
 * The listener of a port, and its HTTP/3 listener; none while no connection has a destination.
 *
 * @param ports all ports that the Gateways name
 */
export function gatewayListeners(
  read: Read,
  context: Context,
  served: ServedPort,
  ports: readonly GatewayPort[],
): Resource[] {
  const { variant, workload, port } = served;
  const base = {
    ...(port.bind !== ""
      ? { bind: port.bind }
      : wildcard({ family: variant.family, bound: false })),
    port: listenedPort(read, context, variant, { port, ports }),
    manager: { ...managerDefaults(read, context, variant), found: variant.certified !== undefined },
    security: securityOf(read, context, workload, { options: {} }),
  };
  return listenersAt(read, context, served, { base, ports })
    .map((listener) => encodeInParts(read, listener.name, ListenerSchema, listener));
}

/** Common input of all listeners. */
type ListenerBase = Omit<Parameters<typeof gatewayTcpListener>[0], "chains">;

function listenersAt(
  read: Read,
  context: Context,
  served: ServedPort,
  { base, ports }: { readonly base: ListenerBase; readonly ports: readonly GatewayPort[] },
): Listener[] {
  const { variant, workload: source, port } = served;
  switch (port.family) {
    case "http":
      return [gatewayHttpListener({
        ...base,
        routeName: gatewayRouteName(port),
        ...(port.servers.some(({ protocol }) => protocol === "GRPC-Web")
          ? { protocol: "GRPC-Web" }
          : {}),
      })];
    case "tls": {
      const mutual = variant.certified &&
        mutualServer(read, context, variant.certified === "agent" ? AGENT : SHARED);
      const sockets = { agent: variant.certified === "agent", external: variant.external };
      const chains = port.servers.flatMap((s) =>
        tlsChains(read, context, served, { server: s, mutual })
      ).map((chain) => ({ ...chain, sockets }));
      if (chains.length === 0) return [];
      const isFree = !ports.some(({ family, number }) =>
        family === "udp" && number === port.number
      );
      const http3 = isFree && takesQuic(read, context, variant, base.port)
        ? gatewayQuicListener({ ...base, chains, alternative: port.number })
        : undefined;
      const alternative = http3 === undefined ? undefined : port.number;
      const tls = gatewayTlsListener({ ...base, chains, alternative, parts: read });
      return http3 === undefined ? [tls] : [tls, http3];
    }
    case "udp": {
      const backends = datagramBackends(read, context, source.namespace, port);
      return backends.length === 0 ? [] : [gatewayUdpListener(base, datagramClusterName(port))];
    }
    case "tcp": {
      const chains = gatewayTcpChains(read, context, source, port);
      return chains.length === 0 ? [] : [gatewayTcpListener({ ...base, chains })];
    }
  }
}

/** @param mutual TLS of servers for workloads of the mesh; without it these servers have no chains */
function tlsChains(
  read: Read,
  context: Context,
  { workload: source, port }: ServedPort,
  { server, mutual }: {
    readonly server: GatewayServer;
    readonly mutual: TransportSocket | undefined;
  },
): GatewayTlsChain[] {
  const { kind, hosts } = server;
  if (kind === "auto") return automaticChains(read, context, source.namespace, server);
  const ofMesh = server.tls?.mode === TlsMode.MESH_MUTUAL;
  if (ofMesh && mutual === undefined) return [];
  const tls = ofMesh
    ? { mutual }
    : { tls: server.tls && overTlsDefaults(read, context, server.tls) };
  if (kind === "https") {
    const routeName = gatewayRouteName(onlyServer(port, server));
    return [{ sniHosts: hosts.map(({ host }) => host), ...tls, to: { routeName } }];
  }
  return gatewayServerChains(read, context, source, { port, server }).map((tcp) => ({
    sniHosts: tcp.sniHosts ?? [],
    destinationCidrs: tcp.destinationCidrs,
    ...tls,
    to: { tcp },
  }));
}
