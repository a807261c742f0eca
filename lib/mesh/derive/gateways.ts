/**
 * Ports of gateways: the servers of all Gateways that select a proxy, merged by port.
 *
 * @module
 */
import type { DecisionLog } from "../../kit/base/mod.ts";
import type { Derived, Read } from "../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  fromObject,
  intersectHosts,
  isHttp,
  isTls,
  namespaceOf,
  objectKey,
  objectKeys,
  type Protocol,
} from "../model/mod.ts";
import {
  type Gateway,
  type Server,
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as TlsMode,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { type LabelsKey, labelsKeys, protocolOf } from "./inputs/mod.ts";
import { isSelectedBy } from "./gateway_selection.ts";
import type { MeshInputs } from "./indexes/mod.ts";
import { isConverted } from "../gateway_api/mod.ts";

/** A host that a gateway server accepts, and the namespaces whose routes may use it. */
export interface GatewayHost {
  /** Key of the Gateway. */
  readonly gateway: string;
  /** `*`: any namespace; else the name of one. */
  readonly namespace: string;
  readonly host: string;
  /** True if plain HTTP requests are redirected to HTTPS. */
  readonly redirect: boolean;
  /** True: requests for the host are for this server alone, also if no route takes them. */
  readonly exclusive: boolean;
}

/**
 * Handling of connections by a server: the property by which it routes them, and TLS termination.
 * `auto` forwards them to the cluster that their TLS server name (SNI) names.
 */
export type ServerKind = "http" | "https" | "tls" | "passthrough" | "auto" | "tcp" | "udp";

export interface GatewayServer {
  readonly kind: ServerKind;
  /** Key of the Gateway. */
  readonly gateway: string;
  /** Name of its port, unique in the Gateway. */
  readonly portName: string;
  /** Protocol of its port. */
  readonly protocol: Protocol;
  readonly hosts: readonly GatewayHost[];
  /** Set for kinds `https` and `tls`. */
  readonly tls: ServerTLSSettings | undefined;
}

/** All servers of one port and bind address, merged. */
export interface GatewayPort {
  readonly number: number;
  /** Bind address; `""`: all addresses. */
  readonly bind: string;
  /** Property that distinguishes its servers: the request's host, the TLS server name, or none. */
  readonly family: "http" | "tls" | "tcp" | "udp";
  /** Oldest first. */
  readonly servers: readonly GatewayServer[];
  /** Hosts of all servers. */
  readonly hosts: readonly GatewayHost[];
  /** Keys of the Gateways with a server here, oldest first. */
  readonly gateways: readonly string[];
}

/** Name of a port among those of a proxy: `80`, `80@10.0.0.1` with a bind address, `53/udp`. */
export function gatewayPortKey({ number, bind, family }: GatewayPort): string {
  const name = family === "udp" ? `${number}/udp` : `${number}`;
  return bind === "" ? name : `${name}@${bind}`;
}

/** Name of a server among those of a proxy's port: `PORTNAME.GATEWAY.NAMESPACE`. */
export function gatewayServerKey({ portName, gateway }: GatewayServer): string {
  const { namespace, name } = objectKeys.decode(gateway);
  return `${portName}.${name}.${namespace}`;
}

/** The port as if a server of it were the only one. */
export function onlyServer(port: GatewayPort, server: GatewayServer): GatewayPort {
  return { ...port, servers: [server], hosts: server.hosts, gateways: [server.gateway] };
}

/**
 * Creates the table: labels of a workload, in its namespace → merged ports, sorted by number and bind address. Of
 * two servers of one port that are distinguished in different ways, or of two with
 * TLS for one host, the oldest Gateway's wins.
 */
export function deriveGateways(
  inputs: MeshInputs,
  options: GatewayOptions,
): Derived<readonly GatewayPort[], LabelsKey> {
  return inputs.graph.derive(
    "gateway.ports",
    labelsKeys,
    (read, key): readonly GatewayPort[] =>
      mergeServers(selectGateways(read, inputs, key, options), read),
  );
}

/** Options of the selection of proxies by Gateways. */
export interface GatewayOptions {
  /** True: those of other namespaces do not; default of the mesh: they do. */
  readonly scoped: boolean;
}

function selectGateways(
  read: Read,
  inputs: MeshInputs,
  workload: LabelsKey,
  { scoped }: GatewayOptions,
): ConfigObject<Gateway>[] {
  const { namespace } = workload;
  const rows: ConfigObject<Gateway>[] = [];
  for (const key of read.members(inputs.indexes.gateways, "all")) {
    if (scoped && namespace !== "" && namespaceOf(key) !== namespace) continue;
    const row = read.get(inputs.tables.gateways, key);
    if (row === undefined) continue;
    if (isSelectedBy(read, inputs, row, workload)) rows.push(row);
  }
  return rows.sort(byAge);
}

const FAMILIES: Readonly<Record<ServerKind, GatewayPort["family"]>> = {
  http: "http",
  https: "tls",
  tls: "tls",
  passthrough: "tls",
  auto: "tls",
  tcp: "tcp",
  udp: "udp",
};

function mergeServers(
  rows: readonly ConfigObject<Gateway>[],
  log: DecisionLog,
): GatewayPort[] {
  const ports = new Map<string, Merging>();
  for (const row of rows) {
    for (const [i, server] of row.spec.servers.entries()) {
      const kind = serverKind(server, row.meta);
      if (kind === undefined) continue;
      const merging = mergingOf(ports, server, FAMILIES[kind]);
      const why = addServer(merging, gatewayServer(row, server, kind));
      const source = fromObject(row, `spec.servers[${i}]`);
      const decision = { of: [gatewayPortKey(merging.port)], group: "server" };
      if (why === undefined) {
        log.decide?.({ ...decision, ...source, value: server.hosts.join(", ") });
      } else log.decide?.({ ...decision, source: "built-in", passedOver: [{ ...source, why }] });
    }
  }
  return [...ports.values()].map(({ port }) => port)
    .sort((a, b) => a.number - b.number || (a.bind < b.bind ? -1 : 1));
}

/** A port, while servers are added. */
interface Merging {
  readonly port: GatewayPort & {
    readonly servers: GatewayServer[];
    readonly hosts: GatewayHost[];
    readonly gateways: string[];
  };
  readonly hosts: Set<string>;
  /** Keys of the Gateways with a server here. */
  readonly gateways: Set<string>;
}

/** The port of a server, created for its first server. */
function mergingOf(
  ports: Map<string, Merging>,
  server: Server,
  family: GatewayPort["family"],
): Merging {
  const number = server.port?.number ?? 0;
  const port = { number, bind: server.bind, family, servers: [], hosts: [], gateways: [] };
  const key = gatewayPortKey(port);
  const known = ports.get(key);
  if (known !== undefined) return known;
  const created = { port, hosts: new Set<string>(), gateways: new Set<string>() };
  ports.set(key, created);
  return created;
}

function gatewayServer(
  row: ConfigObject<Gateway>,
  server: Server,
  kind: ServerKind,
): GatewayServer {
  const gateway = objectKey(row.meta);
  return {
    kind,
    gateway,
    portName: server.port?.name ?? "",
    protocol: protocolOf(server.port?.protocol ?? ""),
    hosts: server.hosts.map((host) => gatewayHost(host, row.meta, server)),
    tls: kind === "https" || kind === "tls" ? server.tls : undefined,
  };
}

/** Adds a server to a port. Returns the reason when it cannot be added. */
function addServer({ port, ...taken }: Merging, server: GatewayServer): string | undefined {
  if (FAMILIES[server.kind] !== port.family) {
    return `servers of Gateway ${port.gateways[0]} tell connections apart by other means there`;
  }
  // Servers with TLS are distinguished by their hosts alone.
  const hosts = port.family === "tls"
    ? server.hosts.filter(({ host }) => !taken.hosts.has(host))
    : server.hosts;
  if (hosts.length === 0) return "others have all its hosts";
  port.servers.push({ ...server, hosts });
  for (const one of hosts) {
    port.hosts.push(one);
    taken.hosts.add(one.host);
  }
  if (!taken.gateways.has(server.gateway)) port.gateways.push(server.gateway);
  taken.gateways.add(server.gateway);
  return undefined;
}

/**
 * The kind of a server; `undefined` for those that are not served: TLS without certificates, and UDP but
 * for listeners of the Gateway API.
 */
function serverKind(
  { port, tls }: Server,
  meta: ConfigObject["meta"],
): ServerKind | undefined {
  // Waypoints accept such connections; there are none.
  if (port?.protocol === "HBONE") return undefined;
  const protocol = protocolOf(port?.protocol ?? "");
  if (isHttp(protocol)) return "http";
  if (protocol === "UDP") return isConverted(meta) ? "udp" : undefined;
  if (!isTls(protocol)) return "tcp";
  switch (tls?.mode) {
    case TlsMode.PASSTHROUGH:
      return "passthrough";
    case TlsMode.AUTO_PASSTHROUGH:
      return "auto";
    case TlsMode.SIMPLE:
    case TlsMode.MUTUAL:
    case TlsMode.OPTIONAL_MUTUAL:
      return hasCertificates(tls) ? protocol === "HTTPS" ? "https" : "tls" : undefined;
    case TlsMode.MESH_MUTUAL:
      return protocol === "HTTPS" ? "https" : "tls";
    default:
      return undefined;
  }
}

function hasCertificates(tls: ServerTLSSettings): boolean {
  const named = tls.credentialName !== "" || tls.credentialNames.length > 0;
  const authorities = tls.mode === TlsMode.SIMPLE || tls.caCertificates !== "" ||
    tls.caCertCredentialName !== "" || named;
  const own = named || tls.serverCertificate !== "" || tls.tlsCertificates.length > 0;
  return authorities && own;
}

/** Reads `namespace/host` or `host`; the namespace may be `*` or `.`. */
function gatewayHost(
  text: string,
  meta: ConfigObject["meta"],
  { tls }: Server,
): GatewayHost {
  const slash = text.indexOf("/");
  const namespace = slash < 0 ? "*" : text.slice(0, slash);
  return {
    gateway: objectKey(meta),
    namespace: namespace === "." ? meta.namespace : namespace,
    host: text.slice(slash + 1).toLowerCase(),
    redirect: tls?.httpsRedirect ?? false,
    exclusive: isConverted(meta),
  };
}

/**
 * The hosts under which a VirtualService is served: where its own hosts and those of the Gateways
 * that it is bound to meet, the narrower of both.
 *
 * @param accepted hosts of these Gateways at a port
 * @returns each host, sorted, with whether callers are sent to HTTPS
 */
export function servedHosts(
  accepted: readonly GatewayHost[],
  routeHosts: readonly string[],
  routeNamespace: string,
): [host: string, redirect: boolean][] {
  const served = new Map<string, boolean>();
  for (const { namespace, host: pattern, redirect } of accepted) {
    if (namespace !== "*" && namespace !== routeNamespace) continue;
    for (const host of routeHosts) {
      const both = intersectHosts(pattern, host);
      if (both !== undefined) served.set(both, redirect || served.get(both) === true);
    }
  }
  return [...served].sort(([a], [b]) => (a < b ? -1 : 1));
}
