/**
 * Services and servers without a listener, because an older object uses its port. They are computed
 * on request and are not part of served resources.
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

/** An object, or a part of it, without its own listener. */
export interface ListenerConflict {
  /** `tcp`: a service of an outbound port; `gateway`: a server of a Gateway. */
  readonly kind: "tcp" | "gateway";
  /** `Kind/namespace/name` of the object that is left out. */
  readonly object: string;
  /** Field path: `spec.servers[1]`; empty: the whole object. */
  readonly field: string;
  readonly port: number;
  /** The effect, one sentence without a full stop. */
  readonly message: string;
}

/**
 * Returns all conflicts, those of services first, each by object.
 *
 * @param scoped Gateways select only workloads of their own namespace
 */
export function listenerConflicts(mesh: Mesh, scoped = false): ListenerConflict[] {
  return [...tcpConflicts(mesh), ...gatewayConflicts(mesh, scoped)];
}

/**
 * If several TCP services of a port cannot be distinguished by address or server name, only the
 * first one is served.
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

/** Services that are distinguished only by port, in the order of the listener. */
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
    // Instances of a headless service have separate listeners.
    if (service.headless === true || isTls(protocol)) continue;
    if (service.addresses.length === 0) found.push(service);
  }
  const age = (s: Service): number => s.creationTime || Number.MAX_SAFE_INTEGER;
  return found.sort((a, b) => age(a) - age(b) || (a.host < b.host ? -1 : 1));
}

/** Servers with a different family than the oldest one of their port. */
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
  http: "distinguished by hosts of requests",
  tls: "distinguished by TLS server names",
  tcp: "not distinguished (TCP)",
  udp: "not distinguished (UDP)",
};

/**
 * Returns how servers of a protocol are distinguished; `undefined` for UDP, which is not served.
 */
function familyOf(text: string): GatewayPort["family"] | undefined {
  const protocol = protocolOf(text);
  if (isHttp(protocol)) return "http";
  if (protocol === "UDP") return undefined;
  return isTls(protocol) ? "tls" : "tcp";
}
