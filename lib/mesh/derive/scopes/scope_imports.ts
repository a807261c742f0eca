/**
 * Imports of a Sidecar: the hosts that its patterns select, and hosts that are
 * imported with them.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { type ConfigObject, covers, fromObject, fullHost, isWildcard } from "../../model/mod.ts";
import type { Sidecar } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import { destinationsOf, type HostKey } from "../inputs/mod.ts";
import type { Routes } from "../routes/mod.ts";
import type { Services } from "../services/mod.ts";

/** The tables that imports are computed from. */
export interface Imports {
  readonly inputs: MeshInputs;
  readonly services: Services;
  readonly routes: Routes;
}

/** The proxies of a namespace that a Sidecar applies to. */
export interface ImportingProxies {
  readonly namespace: string;
  readonly row: ConfigObject<Sidecar>;
}

/** A pattern of the form `namespace/host` in a Sidecar. */
interface EgressPattern {
  readonly pattern: string;
  /** The namespace of the proxies: it differs from the Sidecar's for the mesh-wide default. */
  readonly namespace: string;
}

/** Reports if an egress pattern imports a host from a namespace. */
export function isImported(egress: EgressPattern, owner: string, host: string): boolean {
  const { namespace, wanted } = splitPattern(egress);
  return namespace !== "~" && (namespace === "*" || namespace === owner) && covers(wanted, host);
}

/**
 * Splits a pattern: the namespace is a name, `*` (all), `.` (that of the
 * proxies) or `~` (none); without one, all are meant. The host is a name or a wildcard.
 */
function splitPattern(
  { pattern, namespace: own }: EgressPattern,
): { namespace: string; wanted: string } {
  const slash = pattern.indexOf("/");
  const namespace = slash < 0 ? "*" : pattern.slice(0, slash);
  return {
    namespace: namespace === "." ? own : namespace,
    wanted: pattern.slice(slash + 1).toLowerCase(),
  };
}

/** The hosts that the patterns of an egress listener import, sorted. */
export function importHosts(
  read: Read,
  { inputs, services }: Imports,
  { namespace, row }: ImportingProxies,
  listener: number,
): string[] {
  const patterns = row.spec.egress[listener]?.hosts ?? [];
  const found = new Set<string>();
  for (const [i, pattern] of patterns.entries()) {
    const { namespace: owner, wanted } = splitPattern({ pattern, namespace });
    if (owner === "~") continue;
    const candidates = isWildcard(wanted)
      ? [wanted, ...read.members(inputs.indexes.hostsByNamespace, owner)]
      : [wanted];
    for (const host of candidates) {
      if (!covers(wanted, host)) continue;
      const service = read.get(services.resolve, { namespace, host });
      if (service === undefined || (owner !== "*" && service.namespace !== owner)) continue;
      found.add(host);
      const field = `spec.egress[${listener}].hosts[${i}]`;
      read.decide?.({ of: [host], group: "import", ...fromObject(row, field), value: pattern });
    }
  }
  return [...found].sort();
}

/** Adds the egress proxy of a Sidecar's outbound traffic policy: it is imported whatever the patterns are. */
export function addEgressProxy(
  read: Read,
  { inputs, services }: Imports,
  { namespace, row }: ImportingProxies,
  into: Set<string>,
): void {
  const proxy = row.spec.outboundTrafficPolicy?.egressProxy;
  if (proxy === undefined) return;
  const host = fullHost(proxy.host, row.meta.namespace, inputs.domain);
  if (read.get(services.resolve, { namespace, host }) === undefined) return;
  into.add(host);
  const source = fromObject(row, "spec.outboundTrafficPolicy.egressProxy");
  read.decide?.({ of: [host], group: "import", ...source, value: proxy.host });
}

/** Adds the hosts that imported aliases stand for. */
export function addAliasTargets(
  read: Read,
  { inputs, services }: Imports,
  namespace: string,
  into: Set<string>,
): void {
  const aliases = ["", namespace].flatMap((ns) => read.members(inputs.indexes.aliasHosts, ns));
  for (const host of aliases) {
    if (!into.has(host)) continue;
    const key = read.get(services.resolve, { namespace, host });
    const service = key && read.get(services.service, key);
    if (service?.alias === undefined) continue;
    into.add(service.alias);
    const source = { source: "object", object: service.source, value: `alias ${host}` } as const;
    read.decide?.({ of: [service.alias], group: "import", field: "spec.externalName", ...source });
  }
}

/** Adds the destinations of an imported host's routes: they are imported with it. */
export function addDestinations(
  read: Read,
  { inputs, services, routes }: Imports,
  { namespace, host }: HostKey,
  into: Set<string>,
): void {
  const key = read.get(routes.meshRoute, { namespace, host });
  const row = key === "" ? undefined : read.get(inputs.tables.virtualServices, key);
  if (row === undefined) return;
  for (const destination of destinationsOf(read.get(routes.spec, key) ?? row.spec)) {
    const target = fullHost(destination.host, row.meta.namespace, inputs.domain);
    if (read.get(services.resolve, { namespace, host: target }) === undefined) continue;
    into.add(target);
    const value = `destination of ${host}`;
    read.decide?.({ of: [target], group: "import", ...fromObject(row, "spec.http"), value });
  }
}
