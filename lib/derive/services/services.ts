/**
 * Services, from ServiceEntries.
 *
 * @module
 */
import type { PassedOver } from "../../base/mod.ts";
import type { Derived, Read } from "../../graph/mod.ts";
import {
  byAge,
  type ConfigObject,
  type Endpoint,
  fromObject,
  namespaceOf,
  objectKeys,
  objectRef,
  type Resolution,
  type Service,
  type ServiceFacts,
  type ServiceKey,
  serviceKeys,
  type ServicePort,
  whyLater,
} from "../../model/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { endpointsOf } from "./endpoints.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import {
  type HostKey,
  hostKeys,
  isHeadless,
  namespacePreference,
  preferenceOf,
  visibilityOf,
  visibleTo,
} from "../inputs/mod.ts";
import { mergedPorts, portNames, whyApart } from "./ports.ts";

/** The derived tables about services. */
export interface Services {
  /** The service, from the oldest entry, with ports of others; `undefined` when nothing defines it. */
  readonly service: Derived<Service | undefined, ServiceKey>;
  /** The endpoints of a service, in the order of their definition. */
  readonly endpoints: Derived<readonly Endpoint[], ServiceKey>;
  /**
   * Service accounts of a service's endpoints, `namespace/account`, sorted; empty
   * when one of the endpoints has none.
   */
  readonly accounts: Derived<readonly string[], ServiceKey>;
  /**
   * The service of a host in a namespace: the namespace's own, otherwise the oldest one that is
   * exported to it. `undefined` if there is none.
   */
  readonly resolve: Derived<ServiceKey | undefined, HostKey>;
}

/** Creates the tables. */
export function deriveServices(inputs: MeshInputs): Services {
  const { graph } = inputs;
  const service = graph.derive("service", serviceKeys, (read, key): Service | undefined => {
    const [row, ...younger] = definingEntries(read, inputs, key);
    if (row === undefined) return undefined;
    read.decide?.({
      group: "service",
      ...fromObject(row, "spec"),
      value: serviceKeys.encode(key),
      passedOver: younger.map((y) => ({
        ...fromObject(y, "spec"),
        why: `${whyLater(y, row)}; its endpoints are served, and its ports ` +
          (whyApart(y, row) === undefined ? "too" : `not: its ${whyApart(y, row)} differs`),
      })),
    });
    const rows = [row, ...younger];
    return {
      ...serviceOf(row, key.host, mergedPorts(rows)),
      ...preferenceAt(read, inputs, row),
      ...clusterAddressesOf(row, younger),
    };
  });
  const endpoints = graph.derive(
    "endpoints",
    serviceKeys,
    (read, key): readonly Endpoint[] => {
      const rows = definingEntries(read, inputs, key);
      const ports = mergedPorts(rows);
      // Ports at which an entry without endpoints has the host itself as its endpoint.
      const itself = rows.length > 1 ? { host: key.host, ports: new Set<string>() } : undefined;
      return rows.flatMap((row) =>
        endpointsOf(read, inputs, { row, names: portNames(row, ports), itself })
      );
    },
  );
  const resolve = graph.derive(
    "service.resolve",
    hostKeys,
    (read, key) => resolveHost(read, inputs, key),
  );
  const accounts = graph.derive("service.accounts", serviceKeys, (read, key) => {
    const all = read.get(endpoints, key);
    if (all.some((endpoint) => endpoint.serviceAccount === "")) return [];
    return [...new Set(all.map((e) => `${e.namespace}/${e.serviceAccount}`))].sort();
  });
  return { service, endpoints, accounts, resolve };
}

function resolveHost(
  read: Read,
  inputs: MeshInputs,
  { namespace, host }: HostKey,
): ServiceKey | undefined {
  const rows = [...oldestDefinitions(read, inputs, host).values()];
  let best: ConfigObject<ServiceEntry> | undefined;
  for (const row of rows) {
    if (!seenBy(row, namespace)) continue;
    if (best === undefined || preferred(row, best, namespace)) best = row;
  }
  if (read.decide !== undefined && best !== undefined && rows.length > 1) {
    const passedOver = othersThan(best, rows, namespace);
    read.decide({ group: "definition", ...fromObject(best, "spec.hosts"), passedOver });
  }
  return best === undefined ? undefined : { namespace: best.meta.namespace, host };
}

function seenBy(row: ConfigObject<ServiceEntry>, namespace: string): boolean {
  return visibleTo(visibilityOf(row.spec.exportTo, row.meta.namespace), namespace);
}

/** The other definitions of a host, each with the reason why it was not chosen. */
function othersThan(
  best: ConfigObject<ServiceEntry>,
  rows: readonly ConfigObject<ServiceEntry>[],
  namespace: string,
): PassedOver[] {
  return rows.filter((row) => row !== best).map((row) => ({
    ...fromObject(row, "spec.hosts"),
    why: !seenBy(row, namespace)
      ? `it is not exported to ${namespace === "" ? "everybody" : `namespace ${namespace}`}`
      : best.meta.namespace === namespace
      ? `namespace ${namespace} has a definition of its own`
      : whyLater(row, best),
  }));
}

/** Namespace → the oldest entry there that defines a host: that entry decides. */
function oldestDefinitions(
  read: Read,
  { tables, indexes }: MeshInputs,
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

/**
 * Reports if `a` goes before `b` for proxies of a namespace: own namespace, then age, then name.
 */
function preferred(a: ConfigObject, b: ConfigObject, namespace: string): boolean {
  const own = Number(b.meta.namespace === namespace) - Number(a.meta.namespace === namespace);
  return own !== 0 ? own < 0 : byAge(a, b) < 0;
}

/** The entries of one namespace that define a host, oldest first. */
function definingEntries(
  read: Read,
  { tables, indexes }: MeshInputs,
  { namespace, host }: ServiceKey,
): ConfigObject<ServiceEntry>[] {
  const rows: ConfigObject<ServiceEntry>[] = [];
  for (const key of read.members(indexes.entriesByHost, host)) {
    if (namespaceOf(key) !== namespace) continue;
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

/** The addresses of the Services of remote clusters; the oldest Service of a cluster decides. */
function clusterAddressesOf(
  { spec, meta }: ConfigObject<ServiceEntry>,
  younger: readonly ConfigObject<ServiceEntry>[],
): Pick<Service, "addressCluster" | "clusterAddresses"> {
  const found = new Map<string, readonly string[]>();
  for (const { meta: { origin: { cluster } }, spec: { addresses } } of younger) {
    if (cluster === undefined || addresses.length === 0 || found.has(cluster)) continue;
    found.set(cluster, addresses);
  }
  const different = [...found].filter(([, addresses]) => `${addresses}` !== `${spec.addresses}`);
  return {
    ...(meta.origin.cluster === undefined ? {} : { addressCluster: meta.origin.cluster }),
    ...(different.length === 0 ? {} : { clusterAddresses: Object.fromEntries(different) }),
  };
}

/** Properties that only Services of an orchestrator have. */
function registryFieldsOf(
  { nodeLocal, externalAddresses, nodePorts, alias }: ServiceFacts,
): Partial<Service> {
  return {
    registry: true,
    ...(nodeLocal ? { nodeLocal } : {}),
    ...(externalAddresses.length === 0 ? {} : { externalAddresses }),
    ...(nodePorts === undefined ? {} : { nodePorts }),
    ...(alias === undefined ? {} : { alias }),
  };
}

/** The preference for endpoints near the client: the service's own, otherwise that of its namespace. */
function preferenceAt(
  read: Read,
  { tables }: MeshInputs,
  row: ConfigObject<ServiceEntry>,
): Pick<Service, "distribution" | "distributionSource"> {
  const own = preferenceOf(row);
  if (own !== "any") return { distribution: own };
  const { namespace: name } = row.meta;
  const namespace = read.get(tables.namespaces, objectKeys.encode({ namespace: "", name }));
  const preference = namespace === undefined ? "any" : namespacePreference(namespace);
  return namespace === undefined || preference === "any"
    ? {}
    : { distribution: preference, distributionSource: objectRef(namespace) };
}

function serviceOf(
  row: ConfigObject<ServiceEntry>,
  host: string,
  ports: readonly ServicePort[],
): Service {
  const { spec, meta, service } = row;
  const { namespace } = meta;
  return {
    key: serviceKeys.encode({ namespace, host }),
    host,
    namespace,
    ports,
    addresses: spec.addresses,
    resolution: RESOLUTIONS[spec.resolution],
    ...(isHeadless(row) ? { headless: true } : {}),
    ...(service === undefined ? {} : registryFieldsOf(service)),
    meshExternal: spec.location === ServiceEntry_Location.MESH_EXTERNAL,
    exportTo: visibilityOf(spec.exportTo, namespace),
    subjectAltNames: spec.subjectAltNames,
    labels: meta.labels,
    creationTime: meta.creationTime,
    source: objectRef(row),
  };
}
