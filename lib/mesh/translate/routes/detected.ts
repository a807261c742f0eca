/**
 * Route tables of ports whose protocol is detected. Their connections have separate listeners, by
 * address, so that the host that is meant is known before a request is read: its table has that host
 * alone, for requests with any `Host` header.
 *
 * @module
 */
import { VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { sidecarKeys } from "../../derive/mod.ts";
import { routeConfiguration } from "../../envoy/mod.ts";
import { type Read, type Resource, text } from "../../graph/mod.ts";
import { fromBinary, toBinary } from "../../../kit/proto/mod.ts";
import { type Context, detectedTable, findService, hasOwnListeners } from "../context/mod.ts";
import {
  type HostPort,
  hostPorts,
  overlayOf,
  resourceOf,
  resourceTable,
  type RouteTable,
  sameResources,
  sortedKeys,
} from "../resources/mod.ts";
import {
  clientHostKeys,
  type DetectedTables,
  type PlainRoutes,
  type SourceLabelRoutes,
  type VirtualHostKey,
  virtualHostKeys,
} from "./keys.ts";

/** Creates the tables. */
export function deriveDetectedTables(
  context: Context,
  { virtualHosts, egress }: PlainRoutes,
  sourceLabels: SourceLabelRoutes,
): DetectedTables {
  const { mesh } = context;
  const { graph } = mesh;
  const tables: RouteTable<VirtualHostKey> = resourceTable(
    graph,
    "rds.detected",
    virtualHostKeys,
    (read, key) => {
      if (!isDetected(read, context, key)) return [];
      const mine = read.within(detectedTable(key.host, key.port)).follow(virtualHosts, key);
      if (key.namespace !== "" && read.decide === undefined) {
        // Routes that all namespaces see exist once.
        const shared = { ...key, namespace: "" };
        const theirs = sameResources(mine, read.get(virtualHosts, shared))
          ? read.get(tables, shared)
          : [];
        if (theirs.length > 0) return theirs;
      }
      return mine.map((one) => tableOf(key, one));
    },
  );
  return {
    tables: { base: tables, overlay: overlayOf(context, "rds.detected.overlay", tables) },
    overlayMembers: graph.derive("detected.overlay", text, (read, namespace) => {
      const found = read.get(mesh.scopes.overlayHosts, namespace).flatMap((host) =>
        read.members(mesh.indexes.detectedPorts, host).map((port): HostPort => ({ host, port }))
      );
      return sortedKeys(hostPorts, found);
    }),
    egressMembers: graph.derive("detected.egress", sidecarKeys, (read, scope) => {
      const { namespace } = scope;
      const found = read.get(egress.virtualHostMembers, scope)
        .filter(({ host, port }) => detectedPorts(read, context, namespace, host).includes(port))
        .map(({ host, port }): HostPort => ({ host, port }));
      return sortedKeys(hostPorts, unique(found));
    }),
    sourceLabels: resourceTable(graph, "rds.detected.labels", clientHostKeys, (read, key) => {
      if (!isDetected(read, context, key)) return [];
      return read.within(detectedTable(key.host, key.port)).follow(sourceLabels.hosts, key)
        .map((one) => tableOf(key, one));
    }),
  };
}

function unique(found: readonly HostPort[]): HostPort[] {
  return [...new Map(found.map((one) => [hostPorts.encode(one), one])).values()];
}

/** The ports of a host whose protocol is detected. */
function detectedPorts(read: Read, context: Context, namespace: string, host: string): number[] {
  const ports = findService(read, context, namespace, host)?.ports ?? [];
  return ports.filter(({ protocol }) => protocol === "Unsupported").map(({ number }) => number);
}

/** Reports if the protocol of a port is detected, at addresses that belong to the host. */
function isDetected(read: Read, context: Context, { namespace, port, host }: VirtualHostKey) {
  const service = findService(read, context, namespace, host);
  return service !== undefined && detectedPorts(read, context, namespace, host).includes(port) &&
    hasOwnListeners(read, context, service, { autoAddresses: true, family: "dual" });
}

/** The route table that has a virtual host alone, for all names. */
function tableOf({ host, port }: HostPort, virtualHost: Resource): Resource {
  const message = fromBinary(VirtualHostSchema, virtualHost.bytes);
  message.domains = ["*"];
  const name = detectedTable(host, port);
  const options = { ignorePortInHostMatching: true };
  return resourceOf(
    name,
    routeConfiguration(name, [toBinary(VirtualHostSchema, message)], options),
  );
}
