/**
 * Indexes over VirtualServices.
 *
 * @module
 */
import { type Graph, type Index, type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import { type ConfigObject, fullHost, gatewayKey } from "../../model/mod.ts";
import type { VirtualService } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import {
  boundToMesh,
  destinationsOf,
  isParticular,
  seenBy,
  selectsConnections,
  selectsLabels,
  type Tables,
} from "../inputs/mod.ts";

/** VirtualServices of a Gateway. */
export interface RoutesOfGateway {
  /** Row key of the Gateway. */
  readonly gateway: string;
  /** Those that this namespace sees; `""`: everybody. */
  readonly seenBy: string;
  /** Those of this namespace; `*`: of any. */
  readonly owner: string;
}

const routesOfGateways: KeyCodec<RoutesOfGateway> = keyOf<RoutesOfGateway>({
  gateway: text,
  seenBy: text,
  owner: text,
});

/** Indexes over VirtualServices; those "of the mesh" apply to sidecars. */
export interface RouteIndexes {
  /** Host or pattern → row keys of the mesh's VirtualServices that name it. */
  readonly meshRoutesByHost: Index;
  /** Namespace (`""`: everybody) → hosts and patterns of the mesh's VirtualServices that it sees. */
  readonly meshRouteHostsSeenBy: Index;
  /** Destination → hosts and patterns of the mesh's VirtualServices that route to it. */
  readonly routeHostsByDestination: Index;
  /** Row key of a Gateway → row keys of the VirtualServices bound to it. */
  readonly routesByGateway: Index;
  /** Host or pattern → row keys of the VirtualServices bound to Gateways that name it. */
  readonly gatewayRoutesByHost: Index;
  /** VirtualServices of a Gateway → hosts and patterns that they name. */
  readonly hostsByGateway: Index<RoutesOfGateway>;
  /** `all` → hosts of the mesh's VirtualServices with delegates or with rules that match a source namespace. */
  readonly particularRouteHosts: Index;
  /** `all` → hosts of the mesh's VirtualServices with HTTP rules that match source labels. */
  readonly sourceLabelRouteHosts: Index;
  /** `all` → hosts of the mesh's VirtualServices with TCP or TLS rules that match source labels. */
  readonly sourceLabelConnectionHosts: Index;
}

type Row = ConfigObject<VirtualService>;

/** Creates the indexes. */
export function routeIndexes(
  graph: Graph,
  { virtualServices: table }: Tables,
  domain: string,
): RouteIndexes {
  const over = (
    name: string,
    entries: (row: Row, key: string) => Iterable<readonly [bucket: string, member: string]>,
  ): Index => graph.index(table, `VirtualService.${name}`, { bucket: text, member: text }, entries);
  const hostsOf = (row: Row): string[] =>
    row.spec.hosts.map((host) => fullHost(host, row.meta.namespace, domain));
  const meshHosts = (name: string, wanted: (spec: VirtualService) => boolean): Index =>
    over(name, function* (row) {
      if (!boundToMesh(row.spec) || !wanted(row.spec)) return;
      for (const host of hostsOf(row)) yield ["all", host];
    });
  return {
    meshRoutesByHost: over("host", function* (row, key) {
      if (!boundToMesh(row.spec)) return;
      for (const host of hostsOf(row)) yield [host, key];
    }),
    meshRouteHostsSeenBy: over("seenBy", function* (row) {
      if (!boundToMesh(row.spec)) return;
      for (const namespace of seenBy(row)) for (const host of hostsOf(row)) yield [namespace, host];
    }),
    routeHostsByDestination: over("destination", function* (row) {
      if (!boundToMesh(row.spec)) return;
      for (const destination of destinationsOf(row.spec)) {
        const target = fullHost(destination.host, row.meta.namespace, domain);
        for (const host of hostsOf(row)) yield [target, host];
      }
    }),
    routesByGateway: over("gateway", function* (row, key) {
      for (const gateway of gatewaysOf(row)) yield [gateway, key];
    }),
    gatewayRoutesByHost: over("gatewayHost", function* (row, key) {
      if (gatewaysOf(row).length === 0) return;
      for (const host of hostsOf(row)) yield [host, key];
    }),
    hostsByGateway: graph.index(
      table,
      "VirtualService.gatewayHosts",
      { bucket: routesOfGateways, member: text },
      function* (row) {
        const hosts = hostsOf(row);
        for (const routes of routesWith(row)) {
          for (const host of hosts) yield [routes, host] as const;
        }
      },
    ),
    particularRouteHosts: meshHosts("particular", isParticular),
    sourceLabelRouteHosts: meshHosts("sourceLabels", selectsLabels),
    sourceLabelConnectionHosts: meshHosts("sourceLabelConnections", selectsConnections),
  };
}

/** Row keys of the Gateways that a VirtualService is bound to. */
function gatewaysOf(row: Row): string[] {
  return row.spec.gateways.filter((name) => name !== "mesh")
    .map((name) => gatewayKey(name, row.meta.namespace));
}

/** The VirtualServices of Gateways that a row is among. */
function* routesWith(row: Row): Iterable<RoutesOfGateway> {
  for (const gateway of gatewaysOf(row)) {
    for (const reader of seenBy(row)) {
      yield { gateway, seenBy: reader, owner: "*" };
      yield { gateway, seenBy: reader, owner: row.meta.namespace };
    }
  }
}
