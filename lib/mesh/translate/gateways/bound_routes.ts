/**
 * VirtualServices that are bound to ports of gateways, and the TCP and TLS connections they route.
 *
 * @module
 */
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { type GatewayPort, type GatewayServer, onlyServer, servedHosts } from "../../derive/mod.ts";
import {
  type RouteSource,
  type TcpChain,
  translateTcpRoutes,
  translateTlsRoutes,
} from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import { isConverted } from "../../gateway_api/mod.ts";
import { type ConfigObject, fullHost, gatewayKey } from "../../model/mod.ts";
import { knownProtocol } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { chainsOf } from "../destinations/mod.ts";

/** A VirtualService that is bound to a gateway's port. */
export interface BoundRoute {
  readonly row: ConfigObject<VirtualService>;
  /** The port's Gateways that it names, oldest first; at least one. */
  readonly gateways: readonly string[];
  /** All Gateways that it names. */
  readonly bound: ReadonlySet<string>;
}

/** The VirtualServices bound to a gateway's port, oldest first. */
export function boundRoutes(
  read: Read,
  { mesh }: Context,
  namespace: string,
  port: Pick<GatewayPort, "gateways">,
): BoundRoute[] {
  const routes = read.get(mesh.routes.gatewayRoutes, {
    namespace,
    gateways: port.gateways,
  });
  return routes.flatMap((key) => {
    const row = read.get(mesh.tables.virtualServices, key);
    if (row === undefined) return [];
    const bound = new Set(row.spec.gateways.map((g) => gatewayKey(g, row.meta.namespace)));
    const gateways = port.gateways.filter((g) => bound.has(g));
    return gateways.length === 0 ? [] : [{ row, gateways, bound }];
  });
}

/** The chains of a gateway's TCP port: the rules of all VirtualServices bound to it, the oldest's first. */
export function gatewayTcpChains(
  read: Read,
  context: Context,
  source: RouteSource,
  port: GatewayPort,
): TcpChain[] {
  return boundRoutes(read, context, source.namespace, port).flatMap(({ row, gateways }) => {
    const rules = { row, gateways, port: port.number, translate: translateTcpRoutes };
    const server = port.servers.find(({ gateway }) => gateways.includes(gateway));
    const protocol = server && knownProtocol(context.features, server.protocol);
    return chainsOf(read, context, source, rules).map((chain) => ({ ...chain, protocol }));
  });
}

/**
 * The chains of a gateway's server that forwards the bytes inside of TLS, or TLS connections as they
 * are. The latter are routed by TLS rules, for server names of the server. TLS rules of the Gateway API
 * also route the bytes inside of TLS.
 */
export function gatewayServerChains(
  read: Read,
  context: Context,
  source: RouteSource,
  { port, server }: { readonly port: GatewayPort; readonly server: GatewayServer },
): TcpChain[] {
  const { mesh } = context;
  const only = onlyServer(port, server);
  return boundRoutes(read, context, source.namespace, only).flatMap(({ row, gateways, bound }) => {
    const owner = row.meta.namespace;
    const rules = { row, gateways, port: port.number };
    const accepted = only.hosts.filter(({ gateway }) => bound.has(gateway));
    const serves = (names: readonly string[]): string[] =>
      servedHosts(accepted, names, owner).map(([host]) => host);
    const named = () =>
      chainsOf(read, context, source, { ...rules, translate: translateTlsRoutes })
        .map((chain) => ({ ...chain, sniHosts: serves(lowerCase(chain.sniHosts ?? [])) }))
        .filter((chain) => chain.sniHosts.length > 0);
    if (server.kind === "passthrough") return named();
    if (isConverted(row.meta) && row.spec.tls.length > 0) return named();
    const hosts = serves(row.spec.hosts.map((h) => fullHost(h, owner, mesh.domain)));
    if (hosts.length === 0) return [];
    const sniHosts = server.hosts.map(({ host }) => host);
    return chainsOf(read, context, source, { ...rules, translate: translateTcpRoutes })
      .map((chain) => ({ ...chain, sniHosts }));
  });
}

function lowerCase(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}
