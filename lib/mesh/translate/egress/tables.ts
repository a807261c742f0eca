/**
 * Egress listeners of Sidecar resources: the ports they open, and the hosts they import.
 *
 * @module
 */
import type { MeshEgressListener } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { protocolOf, type SidecarKey, sidecarKeys } from "../../derive/mod.ts";
import type { Derived, Graph, KeyCodec, Read } from "../../graph/mod.ts";
import { isHttp, mayBeHttp, mayBeTcp, type Service, type ServicePort } from "../../model/mod.ts";
import {
  egressOf,
  findService,
  hasOwnListeners,
  importedHosts,
  type MeshContext,
  routeName,
} from "../context/mod.ts";
import { sortedKeys } from "../resources/mod.ts";
import {
  type Egress,
  type EgressHost,
  egressHosts,
  egressKeys,
  type EgressKind,
  type EgressMember,
  egressMembers,
  egressPorts,
  type EgressTable,
  egressTables,
} from "./keys.ts";

/** Creates the tables. */
export function deriveEgress(context: MeshContext): Egress {
  const { graph } = context.mesh;
  const listenerMembers = list(graph, "egress.listeners", egressKeys, (read, key) => {
    const { namespace, sidecar, autoAddresses } = key;
    const scope = { namespace, sidecar };
    const members = portsOf(read, context, scope)
      .map(({ listener, port, kind }): EgressMember => ({ listener, port, kind, host: undefined }));
    const all = [...members, ...addressMembers(read, context, scope, autoAddresses)];
    return sortedKeys(egressMembers, all);
  });
  const routeMembers = list(graph, "egress.routes", sidecarKeys, (read, scope) => {
    const ports = portsOf(read, context, scope).filter(({ http }) => http);
    const tables = ports.map(({ listener, port }): EgressTable => {
      const bind = egressOf(read, context, scope)[listener]?.bind ?? "";
      return { listener, port, table: routeName(bind, port) };
    });
    return sortedKeys(egressTables, tables);
  });
  const httpHosts = list(graph, "egress.httpHosts", egressPorts, (read, key) => {
    const { namespace, sidecar, listener, port } = key;
    const served = importedHosts(read, context, { namespace, sidecar }, listener)
      .filter((host) =>
        findService(read, context, namespace, host)?.ports
          .some((p) => isPort(p.number, port) && mayBeHttp(p.protocol)) === true
      );
    if (!isPort(80, port)) return served;
    // Hosts that VirtualServices name are served at port 80, too.
    const routed = read.get(context.mesh.scopes.egressRouteHosts, { namespace, sidecar, listener });
    return [...new Set([...served, ...routed])];
  });
  const virtualHostMembers = list(graph, "egress.virtualHosts", sidecarKeys, (read, scope) => {
    const seen = new Set<string>();
    const hosts = read.get(routeMembers, scope).flatMap(({ listener, port, table }) => {
      // Listeners may share a table; it belongs to the first.
      if (seen.has(table)) return [];
      seen.add(table);
      return read.get(httpHosts, { ...scope, listener, port })
        .map((host): EgressHost => ({ port, table, host }));
    });
    return sortedKeys(egressHosts, hosts);
  });
  return { listenerMembers, routeMembers, httpHosts, virtualHostMembers };
}

function list<K, E>(
  graph: Graph,
  name: string,
  codec: KeyCodec<K>,
  compute: (read: Read, key: K) => readonly E[],
): Derived<readonly E[], K> {
  return graph.derive<readonly E[], K>(name, codec, compute);
}

/**
 * Reports if a listener's table has the hosts of a port: the table of a Unix socket (0) has those
 * of all ports.
 */
function isPort(number: number, listener: number): boolean {
  return listener === 0 || number === listener;
}

/** A port that an egress listener opens. */
interface EgressPort {
  readonly listener: number;
  readonly port: number;
  readonly kind: EgressKind;
  /** True if it may carry HTTP. */
  readonly http: boolean;
}

/**
 * The ports of all egress listeners. A listener without a port has every port of the hosts it imports
 * that no other listener has.
 */
function portsOf(read: Read, context: MeshContext, scope: SidecarKey): EgressPort[] {
  return egressOf(read, context, scope).flatMap((egress, listener): EgressPort[] => {
    if (egress.port === undefined) return openPorts(read, context, scope, listener);
    const protocol = protocolOf(egress.port.protocol);
    const kind = isHttp(protocol) ? "http" : mayBeHttp(protocol) ? "mixed" : "raw";
    return [{ listener, port: egress.port.number, kind, http: kind !== "raw" }];
  });
}

function openPorts(
  read: Read,
  context: MeshContext,
  scope: SidecarKey,
  listener: number,
): EgressPort[] {
  const taken = takenPorts(read, context, scope);
  const found = new Map<number, { declared: boolean; tcp: boolean; http: boolean }>();
  for (const service of importedServices(read, context, scope, listener)) {
    for (const { number, protocol } of service.ports) {
      const mayBeServed = service.alias === undefined ? protocol !== "UDP" : mayBeHttp(protocol);
      if (!mayBeServed || taken.has(number)) continue;
      const port = found.get(number) ?? { declared: false, tcp: false, http: false };
      port.declared ||= isHttp(protocol);
      // Connections to an alias go to the addresses of the other host, which has the listeners.
      port.tcp ||= service.alias === undefined && mayBeTcp(protocol);
      port.http ||= mayBeHttp(protocol);
      found.set(number, port);
    }
  }
  return [...found].map(([port, { declared, tcp, http }]) => {
    const kind = !declared ? "tcp" : tcp ? "mixed" : "http";
    return { listener, port, kind, http };
  });
}

/**
 * Listeners of single addresses. An egress listener with a port has those of that port, unless it is
 * for HTTP, or binds an address itself.
 */
function addressMembers(
  read: Read,
  context: MeshContext,
  scope: SidecarKey,
  autoAddresses: boolean,
): EgressMember[] {
  const taken = takenPorts(read, context, scope);
  const use = { autoAddresses, family: "dual" } as const;
  return egressOf(read, context, scope).flatMap((egress, listener) => {
    const wanted = addressPorts(egress, taken);
    if (wanted === undefined) return [];
    return importedServices(read, context, scope, listener)
      .filter((service) => hasOwnListeners(read, context, service, use))
      .flatMap(({ host, ports }) =>
        ports.filter(wanted)
          .map(({ number }): EgressMember => ({ listener, port: number, kind: "address", host }))
      );
  });
}

/** The ports with listeners of single addresses; `undefined`: none. */
function addressPorts(
  { port, bind }: MeshEgressListener,
  taken: ReadonlySet<number>,
): ((one: ServicePort) => boolean) | undefined {
  if (port === undefined) return (one) => mayBeTcp(one.protocol) && !taken.has(one.number);
  const protocol = protocolOf(port.protocol);
  if (bind !== "" || isHttp(protocol)) return undefined;
  // The protocol of the listener counts, not that of the service.
  const carried = mayBeHttp(protocol) ? mayBeTcp : (one: ServicePort["protocol"]) => one !== "UDP";
  return (one) => one.number === port.number && carried(one.protocol);
}

function importedServices(
  read: Read,
  context: MeshContext,
  scope: SidecarKey,
  listener: number,
): Service[] {
  return importedHosts(read, context, scope, listener)
    .flatMap((host) => findService(read, context, scope.namespace, host) ?? []);
}

/** Ports that egress listeners have for themselves. */
function takenPorts(read: Read, context: MeshContext, scope: SidecarKey): Set<number> {
  return new Set(egressOf(read, context, scope).flatMap(({ port }) => port?.number ?? []));
}
