/**
 * Services that clusters share: a ServiceExport shares the endpoints of the Service of its name with
 * other clusters, and the host `NAME.NAMESPACE.svc.clusterset.local` has the endpoints of all clusters
 * that export it. A ServiceImport gives that host its virtual addresses.
 *
 * @module
 */
import { hash } from "../../../../kit/base/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import type { ListItem, ResourceType } from "../../../../kit/orch/mod.ts";
import { clone, create, toJsonString } from "../../../../kit/proto/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import {
  ENABLE_MCS_CLUSTER_LOCAL,
  ENABLE_MCS_HOST,
  ENABLE_MCS_SERVICE_DISCOVERY,
  MCS_API_GROUP,
  MCS_API_VERSION,
} from "../../variables.ts";
import type { ApiServicePort } from "./api.ts";
import { portsOf } from "./row.ts";

/** DNS suffix of services that clusters share. */
const CLUSTERSET = "svc.clusterset.local";
/** Ends the name of the second row of a Service. Names of Services have no dot. */
const ROW_SUFFIX = ".clusterset";

/** Settings of shared services. */
export interface Sharing {
  /** True: hosts below `svc.clusterset.local` are served. */
  readonly host: boolean;
  /** True: other hosts of Services have the endpoints of the client's cluster only. */
  readonly clusterLocal: boolean;
}

/** A ServiceImport, as far as it is read. */
export interface ApiImport extends ListItem {
  readonly spec?: {
    readonly type?: string;
    readonly ips?: readonly string[];
    readonly ports?: readonly ApiServicePort[];
  };
}

/** A Service that is exported or imported in one cluster. */
export interface SharedService {
  readonly namespace: string;
  readonly name: string;
  readonly host: string;
  readonly exported: boolean;
  readonly imported: boolean;
  /** Virtual addresses of the host; empty: none. */
  readonly addresses: readonly string[];
}

/** The resource type of ServiceExports, in the group and version of the variables. */
export function exportType(): ResourceType {
  return sharingType("ServiceExport");
}

/** The resource type of ServiceImports. */
export function importType(): ResourceType {
  return sharingType("ServiceImport");
}

function sharingType(kind: string): ResourceType {
  const [group, version] = [MCS_API_GROUP.get(), MCS_API_VERSION.get()];
  return { group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true };
}

/** The settings of the variables; `undefined`: clusters share all services. */
export function readSharing(): Sharing | undefined {
  if (!ENABLE_MCS_SERVICE_DISCOVERY.get()) return undefined;
  const host = ENABLE_MCS_HOST.get();
  return { host, clusterLocal: host && ENABLE_MCS_CLUSTER_LOCAL.get() };
}

/** Sentences about variables without effect, because those that they need are not set. */
export function sharingWarnings(): string[] {
  const discovery = ENABLE_MCS_SERVICE_DISCOVERY.get();
  const host = discovery && ENABLE_MCS_HOST.get();
  return [
    ...ENABLE_MCS_HOST.get() && !discovery
      ? ["ENABLE_MCS_HOST has no effect without ENABLE_MCS_SERVICE_DISCOVERY; set both"]
      : [],
    ...ENABLE_MCS_CLUSTER_LOCAL.get() && !host
      ? [
        "ENABLE_MCS_CLUSTER_LOCAL has no effect without ENABLE_MCS_SERVICE_DISCOVERY and " +
        "ENABLE_MCS_HOST; set all three",
      ]
      : [],
  ];
}

/** The host of a shared service. */
export function sharedHost(namespace: string, name: string): string {
  return `${name}.${namespace}.${CLUSTERSET}`;
}

/** The name of the second row of a Service. */
export function sharedRowName(name: string): string {
  return `${name}${ROW_SUFFIX}`;
}

/** The row of a Service with its endpoints visible to clients of its own cluster only. */
export function withinCluster(row: ConfigObject<ServiceEntry>): ConfigObject<ServiceEntry> {
  if (row.service === undefined) return row;
  const digest = hash(`${row.digest} cluster only`);
  return { ...row, service: { ...row.service, clusterOnly: true }, digest };
}

/** The objects that the row of a shared host is made from. */
export interface SharedInputs {
  readonly namespace: string;
  readonly name: string;
  /** The row of the Service; `undefined`: there is no Service, or it is not exported. */
  readonly exported: ConfigObject<ServiceEntry> | undefined;
  readonly imported: ApiImport | undefined;
  /** `meta.origin.source` of the row. */
  readonly source: string;
}

/**
 * The row of a shared host in one cluster; `undefined`: the cluster neither exports nor imports it. A
 * cluster that only imports it has no endpoints of it.
 */
export function sharedRow(
  { namespace, name, exported, imported, source }: SharedInputs,
): ConfigObject<ServiceEntry> | undefined {
  const spec = exported === undefined
    ? imported && importedEntry(imported)
    : clone(ServiceEntrySchema, exported.spec);
  if (spec === undefined) return undefined;
  spec.hosts = [sharedHost(namespace, name)];
  spec.addresses = [...imported?.spec?.ips ?? []];
  const { creationTimestamp } = imported?.metadata ?? {};
  const creationTime = creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp);
  const identities = exported?.service?.identities;
  const service = {
    headless: spec.resolution === ServiceEntry_Resolution.NONE,
    selector: exported?.service?.selector ?? {},
    distribution: exported?.service?.distribution ?? "any" as const,
    nodeLocal: false,
    // Gateways of networks are those of the Service's own row.
    externalAddresses: [],
    ...(identities === undefined ? {} : { identities }),
    endpoints: exported?.service?.endpoints ?? [],
  };
  const labels = exported?.meta.labels ?? {};
  const digest = hash(JSON.stringify([toJsonString(ServiceEntrySchema, spec), service, labels]));
  return {
    meta: {
      kind: "Service",
      namespace,
      name: sharedRowName(name),
      labels,
      annotations: exported?.meta.annotations ?? {},
      generation: 1,
      creationTime: exported?.meta.creationTime ?? creationTime,
      origin: { source },
    },
    spec,
    service,
    digest,
  };
}

function importedEntry({ spec }: ApiImport): ServiceEntry {
  const { type, ports = [] } = spec ?? {};
  return create(ServiceEntrySchema, {
    ports: portsOf({ metadata: { name: "" }, spec: { ports } }),
    resolution: type === "Headless" ? ServiceEntry_Resolution.NONE : ServiceEntry_Resolution.STATIC,
    location: ServiceEntry_Location.MESH_INTERNAL,
  });
}
