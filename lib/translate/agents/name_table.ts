/**
 * The name table: what a proxy's agent answers DNS queries from. One cell for each host, encoded; the
 * table is put together from those, so that an edit of one host encodes one host.
 *
 * An entry of a table is a table of that entry alone, and tables one after the other are one table of
 * all their entries: that is how protocol buffers merge messages.
 *
 * @module
 */
import {
  type NameTable_NameInfo,
  NameTable_NameInfoSchema,
  NameTableSchema,
} from "#mesh/networking/nds/v1/nds_pb.ts";
import { isRange, isWildcard } from "../../derive/mod.ts";
import { shortNames } from "../../envoy/mod.ts";
import type { Collection, Derived, Read, Resource } from "../../graph/mod.ts";
import type { Endpoint, ProxyClass, Service } from "../../model/mod.ts";
import { create } from "../../proto/mod.ts";
import {
  addressesOf,
  type Context,
  type Family,
  familyOf,
  pickService,
  usesGiven,
} from "../context/mod.ts";
import {
  encodeResource,
  type Layered,
  overlayOf,
  resourceOf,
  sameResources,
  splitKey,
} from "../resources/mod.ts";

/** Name of the one resource of the type. */
export const NAME_TABLE = "name-table";

/** Where hosts of ServiceEntries are known from, as agents tell them from an orchestrator's services. */
const REGISTRY = "External";

/** What a name table depends on in a class, besides what its namespace sees. */
interface Look {
  readonly family: Family;
  /** As `Flavour.given`. */
  readonly given: boolean;
  /** The proxy's network: endpoints of others are not reached by their addresses. */
  readonly network: string;
}

/** The tables of tables. */
export interface NameTables {
  /** The layers of a class; `sidecar` as in `Placement`. */
  layers(cls: ProxyClass, sidecar: string): readonly Collection[];
}

/** A look as a key part. */
function lookKey(cls: ProxyClass): string {
  const given = usesGiven(cls) ? "given" : "";
  return `${familyOf(cls)},${given},${encodeURIComponent(cls.network)}`;
}

function parseLook(key: string): Look {
  const [family = "", given = "", network = ""] = key.split(",");
  return {
    family: family as Family,
    given: given !== "",
    network: decodeURIComponent(network),
  };
}

/** Creates the tables. */
export function deriveNameTables(context: Context): NameTables {
  const { graph, scopes, indexes } = context.mesh;
  const options = { equal: sameResources };
  const base = graph.derive<readonly Resource[]>("nds.entry", (read, key) => {
    const [look = "", namespace = "", host = ""] = splitKey(key, 3);
    return entriesOf(read, context, parseLook(look), namespace, host);
  }, options);
  const entries: Layered = { base, overlay: overlayOf(context, "nds.overlay", base, 3, 1) };
  const publicEntries = (look: string): Collection =>
    graph.collection(`names/${look}/public`, () => ({
      members: { index: indexes.hostsSeenBy, buckets: [""] },
      resources: entries.base,
      keyOf: (host) => `${look}||${host}`,
    }));
  const ownEntries = (look: string, ns: string): Collection =>
    graph.collection(`names/${look}/overlay/${ns}`, () => ({
      members: { listFrom: [scopes.overlayHosts, ns] },
      resources: entries.overlay,
      keyOf: (host) => `${look}|${ns}|${host}`,
    }));
  const imported = (look: string, ns: string, sidecar: string): Collection =>
    graph.collection(`names/${look}/egress/${ns}|${sidecar}`, () => ({
      members: { listFrom: [scopes.egressHosts, { namespace: ns, sidecar, listener: undefined }] },
      resources: entries.base,
      keyOf: (host) => `${look}|${ns}|${host}`,
    }));
  const shared = graph.derive<readonly Resource[]>(
    "nds.public",
    (read, look) => [assemble(read.content(publicEntries(look)))],
    options,
  );
  const own = graph.derive<readonly Resource[]>("nds.own", (read, key) => {
    const [look = "", ns = ""] = splitKey(key, 2);
    const mine = read.content(ownEntries(look, ns));
    if (mine.size === 0) return [];
    const all = new Map(read.content(publicEntries(look)));
    for (const [name, resource] of mine) {
      if (resource.tombstone === true) all.delete(name);
      else all.set(name, resource);
    }
    return [assemble(all)];
  }, options);
  const egress = graph.derive<readonly Resource[]>("nds.egress", (read, key) => {
    const [look = "", ns = "", sidecar = ""] = splitKey(key, 3);
    return [assemble(read.content(imported(look, ns, sidecar)))];
  }, options);
  const layer = (table: Derived<readonly Resource[]>, key: string): Collection =>
    graph.collection(`${table.name}/${key}`, () => ({
      members: { list: [key] },
      resources: table,
    }));
  return {
    layers: (cls, sidecar) => {
      const look = lookKey(cls);
      return sidecar === ""
        ? [layer(own, `${look}|${cls.namespace}`), layer(shared, look)]
        : [layer(egress, `${look}|${cls.namespace}|${sidecar}`)];
    },
  };
}

/** One table of all entries, sorted by name, so that its bytes depend on its content alone. */
function assemble(entries: ReadonlyMap<string, Resource>): Resource {
  const sorted = [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = new Uint8Array(sorted.reduce((sum, r) => sum + r.bytes.length, 0));
  let at = 0;
  for (const resource of sorted) {
    bytes.set(resource.bytes, at);
    at += resource.bytes.length;
  }
  return resourceOf(NAME_TABLE, bytes);
}

/** The entries of a host, as a namespace sees it: its own, and those of workloads that have names below it. */
function entriesOf(
  read: Read,
  context: Context,
  look: Look,
  namespace: string,
  host: string,
): Resource[] {
  const service = pickService(read, context, namespace, host);
  if (service === undefined) return [];
  const named = namesOf(read, context, namespace, host);
  const addresses = addressesOf(read, context, service, look).filter((a) => !isRange(a));
  if (addresses.length > 0) return [entry(host, addresses, named)];
  const endpoints = headlessEndpoints(read, context, look, service);
  if (endpoints.length === 0) return [];
  return [
    entry(host, [...new Set(endpoints.map((e) => e.address))], named),
    ...workloadEntries(read, context, namespace, endpoints, named, host),
  ];
}

type Named = Pick<NameTable_NameInfo, "shortname" | "namespace" | "altHosts">;

/** What a host is called besides its name, from the namespace: nothing that is the name of another host. */
function namesOf(read: Read, { mesh }: Context, namespace: string, host: string): Named {
  const suffix = `.svc.${mesh.domain}`;
  const parts = host.endsWith(suffix) ? host.slice(0, -suffix.length).split(".") : [];
  const [shortname = "", owner = ""] = parts.length === 2 ? parts : [];
  const domain = namespace === "" ? `svc.${mesh.domain}` : `${namespace}.svc.${mesh.domain}`;
  const altHosts = shortname === "" ? [] : shortNames(host, domain)
    .filter((name) => read.get(mesh.services.resolve, { namespace, host: name }) === undefined);
  return { shortname, namespace: owner, altHosts };
}

function entry(name: string, ips: readonly string[], named: Named): Resource {
  const info = create(NameTable_NameInfoSchema, { ips: [...ips], registry: REGISTRY, ...named });
  return encodeResource(
    name,
    NameTableSchema,
    create(NameTableSchema, { table: { [name]: info } }),
  );
}

/**
 * The endpoints that a host without an address and without resolution stands for: calls go to where
 * the caller says, so that the caller must be told. Those of other networks cannot be gone to.
 */
function headlessEndpoints(
  read: Read,
  { mesh }: Context,
  { network }: Look,
  service: Service,
): Endpoint[] {
  if (service.resolution !== "NONE" || isWildcard(service.host)) return [];
  return read.get(mesh.services.endpoints, service).filter((endpoint) =>
    isIp(endpoint.address) && endpoint.health !== "unhealthy" &&
    (endpoint.network === "" || endpoint.network === network)
  );
}

/** Whether an endpoint's address is no name and no socket's path: those have been checked when they were read. */
function isIp(address: string): boolean {
  return !address.startsWith("unix:") && (address.includes(":") || /^[0-9.]+$/.test(address));
}

/** Workloads that were selected have names of their own: `workload.host`. */
function workloadEntries(
  read: Read,
  { mesh }: Context,
  namespace: string,
  endpoints: readonly Endpoint[],
  named: Named,
  host: string,
): Resource[] {
  const byName = new Map<string, string[]>();
  for (const { workload, address } of endpoints) {
    const name = `${workload}.${host}`;
    byName.set(name, [...byName.get(name) ?? [], address]);
  }
  return [...byName].filter(([name]) =>
    read.get(mesh.services.resolve, { namespace, host: name }) === undefined
  ).map(([name, addresses]) =>
    entry(name, addresses, {
      shortname: named.shortname === "" ? "" : name.slice(0, -host.length) + named.shortname,
      namespace: named.namespace,
      altHosts: [],
    })
  );
}
