/**
 * Services and their endpoints, from ServiceEntries and WorkloadEntries.
 *
 * @module
 */
import type { Derived, Graph, Read } from "../graph/mod.ts";
import type {
  ConfigObject,
  Endpoint,
  Locality,
  Resolution,
  Service,
  ServicePort,
} from "../model/mod.ts";
import { objectKey } from "../model/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { WorkloadEntry } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import { protocolOf } from "./protocol.ts";
import type { Indexes } from "./indexes.ts";
import { isHeadless } from "./listener_members.ts";
import type { Tables } from "./tables.ts";
import { deriveTelling, fromObject, type PassedOver, type Tell, whyLater } from "./tell.ts";
import { visibilityOf, visibleTo } from "./visibility.ts";

/** The derived tables about services. */
export interface Services {
  /** `namespace/host` → the service; `undefined` when nothing defines it. */
  readonly service: Derived<Service | undefined>;
  /** `namespace/host` → its endpoints, in the order of their definition. */
  readonly endpoints: Derived<readonly Endpoint[]>;
  /**
   * `namespace/host` → service accounts of its endpoints, `namespace/account`,
   * sorted; empty when one of them does not tell.
   */
  readonly accounts: Derived<readonly string[]>;
  /**
   * `NS|host` → key of the service that the host means to proxies of a
   * namespace: its own one, else the oldest. With `""` as NS: what it means to
   * those who see only what everybody sees.
   */
  readonly resolve: Derived<string | undefined>;
}

/** Creates the tables. */
export function deriveServices(graph: Graph, tables: Tables, indexes: Indexes): Services {
  const service = deriveTelling<Service | undefined>(graph, "service", (read, key, tell) => {
    const [namespace, host] = splitServiceKey(key);
    const [row, ...younger] = definingEntries(read, tables, indexes, namespace, host);
    if (row === undefined) return undefined;
    tell?.({
      group: "service",
      ...fromObject(row, "spec"),
      value: key,
      passedOver: younger.map((y) => ({
        ...fromObject(y, "spec"),
        why: `${whyLater(y, row)}; its endpoints are served`,
      })),
    });
    return serviceOf(row, host);
  });
  const endpoints = deriveTelling<readonly Endpoint[]>(graph, "endpoints", (read, key, tell) => {
    const [namespace, host] = splitServiceKey(key);
    return definingEntries(read, tables, indexes, namespace, host)
      .flatMap((row) => endpointsOf(read, tables, indexes, row, tell));
  });
  const resolve = deriveTelling<string | undefined>(
    graph,
    "service.resolve",
    (read, key, tell) => {
      const bar = key.indexOf("|");
      const namespace = key.slice(0, bar);
      const host = key.slice(bar + 1);
      const rows = [...definitions(read, tables, indexes, host).values()];
      let best: ConfigObject<ServiceEntry> | undefined;
      for (const row of rows) {
        if (!seenBy(row, namespace)) continue;
        if (best === undefined || preferred(row, best, namespace)) best = row;
      }
      if (tell !== undefined && best !== undefined && rows.length > 1) {
        tellMeaning(tell, best, rows, namespace);
      }
      return best === undefined ? undefined : `${best.meta.namespace}/${host}`;
    },
  );
  const accounts = graph.derive<readonly string[]>("service.accounts", (read, key) => {
    const all = read.get(endpoints, key);
    if (all.some((endpoint) => endpoint.serviceAccount === "")) return [];
    return [...new Set(all.map((e) => `${e.namespace}/${e.serviceAccount}`))].sort();
  });
  return { service, endpoints, accounts, resolve };
}

function seenBy(row: ConfigObject<ServiceEntry>, namespace: string): boolean {
  return visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), namespace);
}

/** Says which of several definitions a host means. */
function tellMeaning(
  tell: Tell,
  best: ConfigObject<ServiceEntry>,
  rows: readonly ConfigObject<ServiceEntry>[],
  namespace: string,
): void {
  const passedOver = rows.filter((row) => row !== best).map((row): PassedOver => ({
    ...fromObject(row, "spec.hosts"),
    why: !seenBy(row, namespace)
      ? `it is not exported to ${namespace === "" ? "everybody" : `namespace ${namespace}`}`
      : best.meta.namespace === namespace
      ? `namespace ${namespace} has a definition of its own`
      : whyLater(row, best),
  }));
  tell({ group: "definition", ...fromObject(best, "spec.hosts"), passedOver });
}

/** Splits `namespace/host`; hosts have no slash. */
export function splitServiceKey(key: string): [namespace: string, host: string] {
  const slash = key.indexOf("/");
  return [key.slice(0, slash), key.slice(slash + 1)];
}

/** The entry that decides what a host is in each namespace that defines it: its oldest. */
function definitions(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  host: string,
): Map<string, ConfigObject<ServiceEntry>> {
  const oldest = new Map<string, ConfigObject<ServiceEntry>>();
  for (const entry of read.members(indexes.entriesByHost, host)) {
    const row = read.get(tables.serviceEntries, entry);
    if (row === undefined) continue;
    const known = oldest.get(row.meta.namespace);
    if (known === undefined || byAge(row, known) < 0) oldest.set(row.meta.namespace, row);
  }
  return oldest;
}

/** Whether `a` comes before `b` for proxies of a namespace: own namespace, then age, then name. */
function preferred(a: ConfigObject, b: ConfigObject, namespace: string): boolean {
  const own = Number(b.meta.namespace === namespace) - Number(a.meta.namespace === namespace);
  return own !== 0 ? own < 0 : byAge(a, b) < 0;
}

/** Oldest first; objects without an age after those with one; then by namespace and name. */
export function byAge(a: ConfigObject, b: ConfigObject): number {
  const age = (a.meta.creationTime || Infinity) - (b.meta.creationTime || Infinity);
  if (age !== 0 && !Number.isNaN(age)) return age;
  const [ka, kb] = [objectKey(a.meta), objectKey(b.meta)];
  return ka < kb ? -1 : ka > kb ? 1 : 0;
}

/** The entries of one namespace that define a host, oldest first. */
function definingEntries(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  namespace: string,
  host: string,
): ConfigObject<ServiceEntry>[] {
  const prefix = namespace + "/";
  const rows: ConfigObject<ServiceEntry>[] = [];
  for (const key of read.members(indexes.entriesByHost, host)) {
    if (!key.startsWith(prefix)) continue;
    const row = read.get(tables.serviceEntries, key);
    if (row !== undefined) rows.push(row);
  }
  return rows.sort(byAge);
}

const RESOLUTIONS: Readonly<Record<ServiceEntry_Resolution, Resolution>> = {
  [ServiceEntry_Resolution.NONE]: "NONE",
  [ServiceEntry_Resolution.STATIC]: "STATIC",
  [ServiceEntry_Resolution.DNS]: "DNS",
  [ServiceEntry_Resolution.DNS_ROUND_ROBIN]: "DNS_ROUND_ROBIN",
  [ServiceEntry_Resolution.DYNAMIC_DNS]: "DYNAMIC_DNS",
};

function serviceOf(row: ConfigObject<ServiceEntry>, host: string): Service {
  const { spec, meta } = row;
  return {
    key: `${meta.namespace}/${host}`,
    host,
    namespace: meta.namespace,
    ports: spec.ports.map((p): ServicePort => ({
      number: p.number,
      name: p.name,
      protocol: protocolOf(p.protocol),
      targetPort: p.targetPort || p.number,
    })),
    addresses: spec.addresses,
    resolution: RESOLUTIONS[spec.resolution],
    ...(isHeadless(spec) ? { headless: true } : {}),
    meshExternal: spec.location === ServiceEntry_Location.MESH_EXTERNAL,
    exportTo: visibilityOf(spec.exportTo, meta.namespace),
    subjectAltNames: spec.subjectAltNames,
    labels: meta.labels,
    creationTime: meta.creationTime,
    source: `ServiceEntry/${objectKey(meta)}`,
  };
}

function endpointsOf(
  read: Read,
  tables: Tables,
  indexes: Indexes,
  row: ConfigObject<ServiceEntry>,
  tell: Tell | undefined,
): Endpoint[] {
  const { spec, meta } = row;
  // One decision for each endpoint, in their order: listeners count on it.
  if (spec.workloadSelector === undefined) {
    return spec.endpoints.map((e, i) => {
      tell?.({ group: "endpoint", ...fromObject(row, `spec.endpoints[${i}]`), value: e.address });
      return endpointOf(spec, e, meta.namespace, meta.name, e.labels);
    });
  }
  const selected: Endpoint[] = [];
  for (const key of selectWorkloads(read, indexes, meta.namespace, spec.workloadSelector.labels)) {
    const workload = read.get(tables.workloadEntries, key);
    if (workload === undefined || !hasLabels(workload.spec.labels, spec.workloadSelector.labels)) {
      continue;
    }
    tell?.({ group: "endpoint", ...fromObject(workload, "spec"), value: workload.spec.address });
    selected.push(
      endpointOf(
        spec,
        workload.spec,
        workload.meta.namespace,
        workload.meta.name,
        workload.spec.labels,
        workload.meta.health,
      ),
    );
  }
  return selected;
}

/** WorkloadEntries that may match a selector: those with its first label. */
function selectWorkloads(
  read: Read,
  indexes: Indexes,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): readonly string[] {
  const first = Object.keys(labels).sort()[0];
  return first === undefined
    ? read.members(indexes.workloadsByNamespace, namespace)
    : read.members(indexes.workloadsByLabel, `${namespace}|${first}=${labels[first]}`);
}

/** Whether `labels` carries every pair of `selector`. */
export function hasLabels(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return true;
}

function endpointOf(
  spec: ServiceEntry,
  workload: WorkloadEntry,
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>>,
  health: Endpoint["health"] = "healthy",
): Endpoint {
  const ports: Record<string, number> = {};
  for (const port of spec.ports) {
    ports[port.name] = workload.ports[port.name] || port.targetPort || port.number;
  }
  return {
    address: workload.address,
    ports,
    labels,
    network: workload.network,
    locality: localityOf(workload.locality),
    weight: workload.weight,
    serviceAccount: workload.serviceAccount,
    namespace,
    health,
    workload: name,
  };
}

/** Reads `region/zone/subzone`; parts that are missing are empty. */
export function localityOf(text: string): Locality {
  const [region = "", zone = "", subzone = ""] = text.split("/");
  return { region, zone, subzone };
}
