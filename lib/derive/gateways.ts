/**
 * What the Gateways that select a proxy ask it to listen for.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type { ConfigObject } from "../model/mod.ts";
import { isHttp, isTls, objectKey } from "../model/mod.ts";
import {
  type Gateway,
  type Server,
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as TlsMode,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { intersectHosts } from "./hosts.ts";
import { protocolOf } from "./protocol.ts";
import { parseLabels } from "./scopes.ts";
import { byAge, hasLabels } from "./services.ts";
import type { Indexes } from "./indexes.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject, type Tell } from "./tell.ts";

/** A host that a gateway server accepts, and from which namespaces routes may claim it. */
export interface GatewayHost {
  /** Key of the Gateway. */
  readonly gateway: string;
  /** `*` any namespace, else the name of the one. */
  readonly namespace: string;
  readonly host: string;
  /** Whether callers are sent to HTTPS. */
  readonly redirect: boolean;
}

/**
 * What a server does with connections: what it routes them by, and whether it ends their TLS first.
 * `auto` sends them on to the cluster that their TLS server name tells.
 */
export type ServerKind = "http" | "https" | "tls" | "passthrough" | "auto" | "tcp";

/** A server of a Gateway. */
export interface GatewayServer {
  readonly kind: ServerKind;
  /** Key of the Gateway. */
  readonly gateway: string;
  /** Name of its port, unique in the Gateway. */
  readonly portName: string;
  readonly hosts: readonly GatewayHost[];
  /** Of kinds `https` and `tls`. */
  readonly tls: ServerTLSSettings | undefined;
}

/** All servers of one port and bind address, merged. */
export interface GatewayPort {
  readonly number: number;
  /** Bind address; `""`: all addresses. */
  readonly bind: string;
  /** How its servers are told apart: by the request's host, by TLS server name, or not at all. */
  readonly family: "http" | "tls" | "tcp";
  /** Oldest first. */
  readonly servers: readonly GatewayServer[];
  /** Hosts of all servers. */
  readonly hosts: readonly GatewayHost[];
  /** Keys of the Gateways with a server here, oldest first. */
  readonly gateways: readonly string[];
}

/** Key of a port among those of a proxy: `80`, or `80@10.0.0.1` with a bind address. */
export function gatewayPortKey(port: GatewayPort): string {
  return port.bind === "" ? `${port.number}` : `${port.number}@${port.bind}`;
}

/** Key of a server among those of a proxy's port: `PORTNAME.GATEWAY.NAMESPACE`. */
export function gatewayServerKey({ portName, gateway }: GatewayServer): string {
  const slash = gateway.indexOf("/");
  return `${portName}.${gateway.slice(slash + 1)}.${gateway.slice(0, slash)}`;
}

/** The port as if a server of it were the only one. */
export function onlyServer(port: GatewayPort, server: GatewayServer): GatewayPort {
  return { ...port, servers: [server], hosts: server.hosts, gateways: [server.gateway] };
}

/**
 * Creates the table: `NS|labels` (with `NS` empty unless gateways are scoped to
 * their namespace) → merged ports, sorted by number and bind address. Of two
 * servers of one port that are told apart in different ways the oldest Gateway's
 * wins, and of two with TLS for one host.
 */
export function deriveGateways(
  graph: Graph,
  tables: Tables,
  indexes: Indexes,
): Derived<readonly GatewayPort[]> {
  return deriveTelling<readonly GatewayPort[]>(graph, "gateway.ports", (read, key, tell) => {
    const bar = key.indexOf("|");
    const rows = selectGateways(
      read,
      tables,
      indexes,
      key.slice(0, bar),
      parseLabels(key.slice(bar + 1)),
    );
    return mergeServers(rows, tell);
  });
}

function selectGateways(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  onlyNamespace: string,
  labels: Readonly<Record<string, string>>,
): ConfigObject<Gateway>[] {
  const rows: ConfigObject<Gateway>[] = [];
  for (const key of read.members(indexes.gateways, "all")) {
    if (onlyNamespace !== "" && !key.startsWith(onlyNamespace + "/")) continue;
    const row = read.get(tables.gateways, key);
    if (row !== undefined && hasLabels(labels, row.spec.selector)) rows.push(row);
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
};

function mergeServers(
  rows: readonly ConfigObject<Gateway>[],
  tell: Tell | undefined,
): GatewayPort[] {
  const ports = new Map<string, Merging>();
  for (const row of rows) {
    const gateway = objectKey(row.meta);
    for (const [i, server] of row.spec.servers.entries()) {
      const kind = serverKind(server);
      if (kind === undefined) continue;
      const number = server.port?.number ?? 0;
      const key = `${number}|${server.bind}`;
      let port = ports.get(key);
      if (port === undefined) {
        const family = FAMILIES[kind];
        port = { number, bind: server.bind, family, servers: [], hosts: [], gateways: [] };
        ports.set(key, port);
      }
      const why = addServer(port, {
        kind,
        gateway,
        portName: server.port?.name ?? "",
        hosts: server.hosts.map((h) => gatewayHost(h, gateway, row.meta.namespace, server)),
        tls: kind === "https" || kind === "tls" ? server.tls : undefined,
      });
      const source = fromObject(row, `spec.servers[${i}]`);
      const told = { of: [gatewayPortKey(port)], group: "server" };
      if (why === undefined) tell?.({ ...told, ...source, value: server.hosts.join(", ") });
      else tell?.({ ...told, source: "built-in", passedOver: [{ ...source, why }] });
    }
  }
  return [...ports.values()].sort((a, b) => a.number - b.number || (a.bind < b.bind ? -1 : 1));
}

type Merging = GatewayPort & {
  readonly servers: GatewayServer[];
  readonly hosts: GatewayHost[];
  readonly gateways: string[];
};

/** Adds a server to a port; why not, where it is not. */
function addServer(port: Merging, server: GatewayServer): string | undefined {
  if (FAMILIES[server.kind] !== port.family) {
    return `servers of Gateway ${port.gateways[0]} tell connections apart by other means there`;
  }
  // Servers with TLS are told apart by their hosts alone.
  const hosts = port.family === "tls"
    ? server.hosts.filter(({ host }) => !port.hosts.some((taken) => taken.host === host))
    : server.hosts;
  if (hosts.length === 0) return "others have all its hosts";
  port.servers.push({ ...server, hosts });
  port.hosts.push(...hosts);
  if (!port.gateways.includes(server.gateway)) port.gateways.push(server.gateway);
  return undefined;
}

/** What a server is; `undefined` for those that nothing serves: UDP, and TLS without certificates. */
function serverKind({ port, tls }: Server): ServerKind | undefined {
  const protocol = protocolOf(port?.protocol ?? "");
  if (isHttp(protocol)) return "http";
  if (protocol === "UDP") return undefined;
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
  gateway: string,
  namespace: string,
  { tls }: Server,
): GatewayHost {
  const slash = text.indexOf("/");
  const place = slash < 0 ? "*" : text.slice(0, slash);
  return {
    gateway,
    namespace: place === "." ? namespace : place,
    host: text.slice(slash + 1).toLowerCase(),
    redirect: tls?.httpsRedirect ?? false,
  };
}

/**
 * The hosts under which a VirtualService is served at a port: where its own hosts
 * and those of the Gateways it is bound to meet, the narrower of both.
 *
 * @param bound keys of the Gateways that the VirtualService names
 * @returns each host, sorted, with whether callers are sent to HTTPS
 */
export function servedHosts(
  port: Pick<GatewayPort, "hosts">,
  bound: ReadonlySet<string>,
  routeHosts: readonly string[],
  routeNamespace: string,
): [host: string, redirect: boolean][] {
  const served = new Map<string, boolean>();
  for (const accepted of port.hosts) {
    if (!bound.has(accepted.gateway)) continue;
    if (accepted.namespace !== "*" && accepted.namespace !== routeNamespace) continue;
    for (const host of routeHosts) {
      const both = intersectHosts(accepted.host, host);
      if (both !== undefined) served.set(both, accepted.redirect || served.get(both) === true);
    }
  }
  return [...served].sort(([a], [b]) => (a < b ? -1 : 1));
}
