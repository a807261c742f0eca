/**
 * What the listeners that proxies get leave out, because something older has
 * its place: read off the mesh when somebody asks, and no part of what is served.
 *
 * @module
 */
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import {
  type GatewayPort,
  gatewayPortKey,
  type Mesh,
  objectRef,
  type PortKey,
  portKeys,
  protocolOf,
} from "../../derive/mod.ts";
import {
  byAge,
  type ConfigObject,
  isHttp,
  isTls,
  mayBeTcp,
  objectKey,
  type Service,
} from "../../model/mod.ts";

/** Something that has no listener of its own where it asked for one. */
export interface ListenerConflict {
  /** `tcp`: a service of an outbound port; `gateway`: a server of a Gateway. */
  readonly kind: "tcp" | "gateway";
  /** `Kind/namespace/name` of the object that is left out. */
  readonly object: string;
  /** Where it stands there: `spec.servers[1]`; empty: the object as a whole. */
  readonly field: string;
  readonly port: number;
  /** What happens, one sentence without a full stop. */
  readonly message: string;
}

/**
 * All conflicts, those of services first, each by object.
 *
 * @param scoped Gateways serve workloads of their own namespace alone
 */
export function listenerConflicts(mesh: Mesh, scoped = false): ListenerConflict[] {
  return [...tcpConflicts(mesh), ...gatewayConflicts(mesh, scoped)];
}

/**
 * Of several TCP services of a port that nothing tells apart, neither addresses
 * nor TLS names, the first is served.
 */
function tcpConflicts(mesh: Mesh): ListenerConflict[] {
  const found = new Map<string, ListenerConflict>();
  for (const { namespace, port } of tcpPorts(mesh)) {
    const hosts = new Set([
      ...mesh.indexes.tcpHosts.peek({ namespace: "", port }),
      ...mesh.indexes.tcpHosts.peek({ namespace, port }),
    ]);
    const [served, ...rest] = openServices(mesh, namespace, port, hosts);
    for (const { host, source } of rest) {
      found.set(JSON.stringify([port, host, source, served!.source]), {
        kind: "tcp",
        object: source,
        field: "",
        port,
        message: `connections to port ${port} of ${host} go to ${served!.host}, which is older: ` +
          "neither addresses nor TLS names tell the two apart",
      });
    }
  }
  return [...found.values()].sort((a, b) => a.object < b.object ? -1 : 1);
}

/** Namespaces (`""`: all) and ports of which there are services with TCP. */
function tcpPorts({ tables, indexes }: Mesh): Iterable<PortKey> {
  const found = new Map<string, PortKey>();
  for (const key of tables.serviceEntries.keys()) {
    const row = tables.serviceEntries.peek(key);
    for (const { number: port } of row?.spec.ports ?? []) {
      for (const namespace of ["", row!.meta.namespace]) {
        const bucket = { namespace, port };
        if (indexes.tcpHosts.peek(bucket).length > 0) found.set(portKeys.encode(bucket), bucket);
      }
    }
  }
  return found.values();
}

/** Services whose connections only the port tells, in the order in which the listener takes them. */
function openServices(
  { graph, services }: Mesh,
  namespace: string,
  port: number,
  hosts: Iterable<string>,
): Service[] {
  const found: Service[] = [];
  for (const host of hosts) {
    const key = graph.peek(services.resolve, { namespace, host });
    const service = key === undefined ? undefined : graph.peek(services.service, key);
    const protocol = service?.ports.find((p) => p.number === port)?.protocol;
    if (service === undefined || protocol === undefined || !mayBeTcp(protocol)) continue;
    const told = service.headless === true && protocol !== "Unsupported";
    if (!told && !isTls(protocol) && service.addresses.length === 0) found.push(service);
  }
  const age = (s: Service): number => s.creationTime || Number.MAX_SAFE_INTEGER;
  return found.sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** Servers that are told apart otherwise than the oldest one of their port. */
function gatewayConflicts({ graph, gatewayPorts, indexes, tables }: Mesh, scoped: boolean) {
  const found = new Map<string, ListenerConflict>();
  const gateways = indexes.gateways.peek("all").flatMap((key) => tables.gateways.peek(key) ?? []);
  for (const row of gateways.sort(byAge)) {
    const scope = { namespace: scoped ? row.meta.namespace : "", labels: row.spec.selector };
    const ports = new Map(graph.peek(gatewayPorts, scope).map((p) => [gatewayPortKey(p), p]));
    for (const conflict of leftOut(row, ports)) {
      found.set(JSON.stringify([conflict.object, conflict.field]), conflict);
    }
  }
  return [...found.values()];
}

function leftOut(
  row: ConfigObject<Gateway>,
  ports: ReadonlyMap<string, GatewayPort>,
): ListenerConflict[] {
  return row.spec.servers.flatMap((server, i) => {
    const number = server.port?.number ?? 0;
    const port = ports.get(server.bind === "" ? `${number}` : `${number}@${server.bind}`);
    const family = familyOf(server.port?.protocol ?? "");
    if (port === undefined || family === undefined || family === port.family) return [];
    const first = port.gateways[0] ?? "";
    const by = first === objectKey(row.meta) ? "an earlier server" : `Gateway ${first}`;
    return [{
      kind: "gateway" as const,
      object: objectRef(row),
      field: `spec.servers[${i}]`,
      port: number,
      message: `this server is not served: port ${number} is ${NAMES[port.family]} by ${by}, ` +
        `and this one would be ${NAMES[family]}`,
    }];
  });
}

const NAMES: Readonly<Record<GatewayPort["family"], string>> = {
  http: "told apart by hosts of requests",
  tls: "told apart by TLS server names",
  tcp: "not told apart (TCP)",
};

/** How servers of a protocol are told apart; `undefined` for UDP, which nothing serves. */
function familyOf(text: string): GatewayPort["family"] | undefined {
  const protocol = protocolOf(text);
  if (isHttp(protocol)) return "http";
  if (protocol === "UDP") return undefined;
  return isTls(protocol) ? "tls" : "tcp";
}
