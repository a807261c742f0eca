/**
 * Virtual hosts on demand: a proxy asks for `table/authority` when a request needs it, and is sent a
 * virtual host of that name for that authority alone. An authority that no host of the table has is
 * answered with what the outbound traffic policy says, and with the host when it appears.
 *
 * Envoy asks only where no virtual host matches, so the tables of these proxies have none, not even
 * the catch-all one.
 *
 * @module
 */
import { type VirtualHost, VirtualHostSchema } from "#envoy/config/route/v3/route_components_pb.ts";
import { groupAt, type SidecarKey } from "../../derive/mod.ts";
import {
  askedVirtualHost,
  authorityOf,
  catchAllVirtualHost,
  matchedDomain,
  routeConfiguration,
} from "../../envoy/mod.ts";
import { integer, type KeyCodec, keyOf, type Read, type Resource, text } from "../../graph/mod.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { type Context, findService } from "../context/mod.ts";
import { outboundPolicy } from "../destinations/mod.ts";
import type { Egress, EgressTable } from "../egress/mod.ts";
import { encodeResource, resourceOf, resourceTable } from "../resources/mod.ts";
import { isRouted, routedPorts } from "./routed_hosts.ts";
import {
  type AskedHosts,
  type AskedKey,
  askedKeys,
  type PlainRoutes,
  type SourceLabelRoutes,
  type VirtualHostKey,
} from "./keys.ts";

/** A host that a table may have. */
interface CandidateKey extends SidecarKey {
  readonly listener: number;
  readonly port: number;
  readonly host: string;
}

const candidateKeys: KeyCodec<CandidateKey> = keyOf<CandidateKey>({
  namespace: text,
  sidecar: text,
  listener: integer,
  port: integer,
  host: text,
});

/** Creates the tables. */
export function deriveAskedHosts(
  context: Context,
  plain: PlainRoutes,
  sourceLabels: SourceLabelRoutes,
): AskedHosts {
  const { graph } = context.mesh;
  /** Reports if a table has a host: a cell of its own, so that other hosts of a Sidecar change nothing. */
  const has = graph.derive("vhds.asked.candidate", candidateKeys, (read, key) => {
    const { namespace, sidecar, listener, port, host } = key;
    return sidecar === ""
      ? host !== "*" && routedPorts(read, context, { namespace, host }).includes(port)
      : read.get(plain.egress.httpHosts, { namespace, sidecar, listener, port }).includes(host);
  });
  const virtualHostOf = (read: Read, key: AskedKey, at: VirtualHostKey): Resource | undefined => {
    const { namespace, host } = at;
    const differs = read.get(context.mesh.scopes.sourceLabelHosts, namespace).includes(host);
    return (differs
      ? read.get(sourceLabels.hosts, { ...at, labels: key.labels })
      : read.get(plain.virtualHosts, at))[0];
  };
  const hostOf = graph.derive("vhds.asked.host", askedKeys, (read, key) => {
    const { namespace, sidecar, name } = key;
    const at = tableOf(read, plain.egress, key);
    if (at === undefined) return "";
    const { listener, port } = at;
    const authority = authorityOf(name);
    let best = { rank: Infinity, host: "" };
    for (const host of candidates(read, context, namespace, authority)) {
      if (!read.get(has, { namespace, sidecar, listener, port, host })) continue;
      const found = virtualHostOf(read, key, { namespace, port, host });
      if (found === undefined) continue;
      const { domains } = fromBinary(VirtualHostSchema, found.bytes);
      const rank = matchedDomain(domains, authority);
      if (rank < best.rank) best = { rank, host };
    }
    return best.host;
  });
  const unmatched = (read: Read, { sidecar, name }: AskedKey): VirtualHost => {
    const policy = outboundPolicy(read.within(name), context, sidecar);
    return catchAllVirtualHost(policy, context.settings(read, "routes"));
  };
  /** The virtual host that a whole table has for an authority; `undefined`: there is no such table. */
  const wholeOf = (read: Read, key: AskedKey): VirtualHost | undefined => {
    const { namespace } = key;
    const at = tableOf(read, plain.egress, key);
    if (at === undefined) return undefined;
    const { port } = at;
    const host = read.get(hostOf, key) || "*";
    const star = host !== "*" || isStarRouted(read, context, plain.egress, { ...key, ...at });
    const found = star ? virtualHostOf(read, key, { namespace, port, host }) : undefined;
    return found === undefined ? unmatched(read, key) : fromBinary(VirtualHostSchema, found.bytes);
  };
  const partOf = (name: string, whole: VirtualHost): Resource =>
    encodeResource(name, VirtualHostSchema, askedVirtualHost(whole, name));
  return {
    hostOf,
    hosts: resourceTable(graph, "vhds.asked", askedKeys, (read, key) => {
      const whole = wholeOf(read, key);
      return whole === undefined ? [] : [partOf(key.name, whole)];
    }),
    parents: resourceTable(graph, "vhds.asked.parent", askedKeys, (read, key) => {
      const whole = wholeOf(read, key);
      if (whole === undefined) return [];
      whole.name = `${tableNameOf(key.name)}/${whole.name}`;
      return [encodeResource(whole.name, VirtualHostSchema, whole)];
    }),
    partOf: (read, key, whole) =>
      partOf(
        key.name,
        whole === undefined ? unmatched(read, key) : fromBinary(VirtualHostSchema, whole.bytes),
      ),
    bare: resourceTable(graph, "rds.bare", text, (_read, table) => {
      const options = { ignorePortInHostMatching: true, virtualHostsApart: true };
      return [resourceOf(table, routeConfiguration(table, [], options))];
    }),
  };
}

/** The table of a name `table/authority`. */
function tableNameOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/"));
}

/** The egress listener and port of a table; `undefined` for a table that there is not. */
function tableOf(
  read: Read,
  egress: Egress,
  { namespace, sidecar, name }: AskedKey,
): EgressTable | undefined {
  const table = tableNameOf(name);
  if (sidecar !== "") {
    return read.get(egress.routeMembers, { namespace, sidecar }).find((at) => at.table === table);
  }
  return /^\d{1,5}$/.test(table) ? { listener: 0, port: Number(table), table } : undefined;
}

/** Reports if a host `*` has routes in the table of a name. */
function isStarRouted(
  read: Read,
  context: Context,
  egress: Egress,
  { namespace, sidecar, listener, port }: AskedKey & EgressTable,
): boolean {
  const host = "*";
  if (findService(read, context, namespace, host) !== undefined) return true;
  return sidecar === ""
    ? isRouted(read, context, { namespace, host })
    : read.get(egress.httpHosts, { namespace, sidecar, listener, port }).includes(host);
}

/** Characters of a name in DNS (RFC 1035, section 2.3.4), and a dot at its end. */
const MAX_AUTHORITY = 254;

/**
 * Hosts that may have an authority among their domains: by their full names, by the search path of a
 * namespace, as instances of a headless service, as patterns, by their addresses. Hosts that no object
 * names are left out, so that an authority costs what matches it.
 */
function candidates(
  read: Read,
  { mesh: { domain, indexes } }: Context,
  namespace: string,
  authority: string,
): Set<string> {
  const found = new Set<string>();
  if (authority.length > MAX_AUTHORITY) return found;
  const add = (host: string): void => {
    const isNamed = read.any(indexes.entriesByHost, host) ||
      read.any(indexes.meshRoutesByHost, host);
    if (isNamed) found.add(host);
  };
  const address = authority.replace(/^\[|\]$/g, "");
  for (const host of read.members(indexes.hostsByVip, address)) found.add(host);
  const group = groupAt(address);
  if (group !== undefined) {
    for (const host of read.members(indexes.autoAddressHosts, group)) found.add(host);
  }
  const ends = [domain, `svc.${domain}`, `${namespace}.svc.${domain}`];
  const labels = authority.split(".");
  for (let i = 0; i < labels.length; i++) {
    const written = labels.slice(i).join(".");
    const name = written.endsWith(".") ? written.slice(0, -1) : written;
    if (name === "") continue;
    const names = [...new Set([written, name])];
    for (const one of names) add(one);
    for (const end of ends) add(`${name}.${end}`);
    if (i > 0) { for (const one of names) add(`*.${one}`); }
  }
  return found;
}
