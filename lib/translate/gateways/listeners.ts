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
  type Tell,
  type Workload,
} from "../../derive/mod.ts";
import {
  gatewayHttpListener,
  gatewayQuicListener,
  gatewayTcpListener,
  type GatewayTlsChain,
  gatewayTlsListener,
  type RouteSource,
  SHARED,
} from "../../envoy/mod.ts";
import type { Read, Resource } from "../../graph/mod.ts";
import { type Context, type Flavour, parseFlavour, wildcard } from "../context/mod.ts";
import { encodeResource } from "../resources/mod.ts";
import { guardOf, mutualServer } from "../security/mod.ts";
import { managerDefaults, overTlsDefaults } from "../settings/mod.ts";
import { automaticChains } from "./automatic.ts";
import { gatewayServerChains, gatewayTcpChains } from "./bound_routes.ts";
import { listenedPort, takesQuic } from "./ports.ts";

/**
 * Name of the route table of a gateway's port: of all servers of an HTTP port
 * together, or of the only server that the port is given with.
 */
export function gatewayRouteName(port: GatewayPort): string {
  const { number, bind, family, servers } = port;
  const [server] = servers;
  if (family === "tls" && server !== undefined) {
    return `https.${number}.${gatewayServerKey(server)}`;
  }
  return bind === "" ? `http.${number}` : `http.${number}.${bind}`;
}

/**
 * The listener of a port, and the one beside it that takes HTTP/3; none while no connection would lead
 * anywhere.
 *
 * @param ports all that the Gateways name, this one among them
 */
export function gatewayListeners(
  read: Read,
  context: Context,
  flavourText: string,
  workload: Workload,
  port: GatewayPort,
  ports: readonly GatewayPort[],
  tell?: Tell,
): Resource[] {
  const flavour = parseFlavour(flavourText);
  const place = {
    ...(port.bind !== ""
      ? { bind: port.bind }
      : wildcard({ family: flavour.family, bound: false })),
    port: listenedPort(read, context, flavour, port, ports, tell),
    manager: { ...managerDefaults(read, context, flavour, tell), found: flavour.certified },
    guard: guardOf(read, context, workload, {}, tell),
  };
  return listenersAt(read, context, workload, flavour, port, place, tell)
    .map((listener) => encodeResource(listener.name, ListenerSchema, listener));
}

type Place = Omit<Parameters<typeof gatewayTcpListener>[0], "chains">;

function listenersAt(
  read: Read,
  context: Context,
  source: RouteSource,
  flavour: Flavour,
  port: GatewayPort,
  place: Place,
  tell: Tell | undefined,
): Listener[] {
  switch (port.family) {
    case "http":
      return [gatewayHttpListener({ ...place, routeName: gatewayRouteName(port) })];
    case "tls": {
      const mutual = flavour.certified ? mutualServer(read, context, SHARED) : undefined;
      const chains = port.servers.flatMap((s) =>
        tlsChains(read, context, source, port, s, mutual, tell)
      );
      if (chains.length === 0) return [];
      const http3 = takesQuic(read, context, flavour, place.port, tell)
        ? gatewayQuicListener({ ...place, chains, alternative: port.number })
        : undefined;
      const alternative = http3 === undefined ? undefined : port.number;
      const tls = gatewayTlsListener({ ...place, chains, alternative });
      return http3 === undefined ? [tls] : [tls, http3];
    }
    case "tcp": {
      const chains = gatewayTcpChains(read, context, source, port, tell);
      return chains.length === 0 ? [] : [gatewayTcpListener({ ...place, chains })];
    }
  }
}

/** @param mutual ends the TLS of servers for workloads of the mesh; without it they let nobody in */
function tlsChains(
  read: Read,
  context: Context,
  source: RouteSource,
  port: GatewayPort,
  server: GatewayServer,
  mutual: TransportSocket | undefined,
  tell: Tell | undefined,
): GatewayTlsChain[] {
  const { kind, hosts } = server;
  if (kind === "auto") return automaticChains(read, context, source.namespace, server, tell);
  const ofMesh = server.tls?.mode === TlsMode.MESH_MUTUAL;
  if (ofMesh && mutual === undefined) return [];
  const tls = ofMesh
    ? { mutual }
    : { tls: server.tls && overTlsDefaults(read, context.mesh, server.tls) };
  if (kind === "https") {
    const routeName = gatewayRouteName(onlyServer(port, server));
    return [{ sniHosts: hosts.map(({ host }) => host), ...tls, to: { routeName } }];
  }
  return gatewayServerChains(read, context, source, port, server, tell).map((tcp) => ({
    sniHosts: tcp.sniHosts ?? [],
    destinationCidrs: tcp.destinationCidrs,
    ...tls,
    to: { tcp },
  }));
}
