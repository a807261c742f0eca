/**
 * Services, from ServiceEntries.
 *
 * @module
 */
import type { Derived, Read } from "../../graph/mod.ts";
import {
  type ConfigObject,
  type Endpoint,
  fromObject,
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
import { aliasTarget, definingEntries, resolveHost } from "./definitions.ts";
import { endpointsOf } from "./endpoints.ts";
import type { MeshInputs } from "../indexes/mod.ts";
import {
  type HostKey,
  hostKeys,
  isHeadless,
  namespacePreference,
  preferenceOf,
  visibilityOf,
} from "../inputs/mod.ts";
import { mergedPorts, portNames, whyApart } from "./ports.ts";

/** The derived tables about services. */
export interface Services {
  /** The service, from the oldest entry, with ports of others; `undefined` when nothing defines it. */
  readonly service: Derived<Service | undefined, ServiceKey>;
  /** The endpoints of a service, in the order of their definition. */
  readonly endpoints: Derived<readonly Endpoint[], ServiceKey>;
  /**
   * Known service accounts of a service's endpoints, `namespace/account`, sorted. Endpoints without a
   * known account add none.
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
  const service: Services["service"] = graph.derive("service", serviceKeys, (read, key) => {
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
    if (row.service?.alias !== undefined) return aliasOf(read, row, key);
    const rows = [row, ...younger];
    return {
      ...serviceOf(row, key.host, mergedPorts(rows)),
      ...preferenceAt(read, inputs, row),
      ...clusterAddressesOf(row, younger),
      ...identitiesOf(rows),
    };
  });
  /** An alias has the ports of the service that it stands for. */
  const aliasOf = (read: Read, row: ConfigObject<ServiceEntry>, { host }: ServiceKey): Service => {
    const target = aliasTarget(read, inputs, row);
    const ports = target === undefined ? [] : read.get(service, target)?.ports ?? [];
    const alias = target === undefined ? {} : { alias: target.host };
    return { ...serviceOf(row, host, ports), ...alias };
  };
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
    const known = read.get(endpoints, key).filter(({ serviceAccount }) => serviceAccount !== "");
    return [...new Set(known.map((e) => `${e.namespace}/${e.serviceAccount}`))].sort();
  });
  return { service, endpoints, accounts, resolve };
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

/**
 * The identities of servers that annotations of Services name, in all clusters, and that later entries
 * list, whose endpoints are served, too.
 */
function identitiesOf(rows: readonly ConfigObject<ServiceEntry>[]): Pick<Service, "identities"> {
  const named = rows.flatMap(({ service }) => service?.identities ?? []);
  const accounts = new Set(named.flatMap((one) => one.accounts));
  const names = new Set([
    ...named.flatMap((one) => one.names),
    ...rows.slice(1).flatMap(({ spec }) => spec.subjectAltNames),
  ]);
  if (accounts.size + names.size === 0) return {};
  return { identities: { accounts: [...accounts], names: [...names] } };
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
