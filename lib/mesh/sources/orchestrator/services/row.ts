/**
 * The row of a Service in the table of ServiceEntries; see `lib/mesh/model/registry.ts`.
 *
 * @module
 */
import { hash } from "../../../../kit/base/mod.ts";
import {
  type ConfigObject,
  DISTRIBUTION,
  distributionOf,
  type EndpointFacts,
  type ServiceFacts,
  type ServiceFactsOfAmbient,
} from "../../../model/mod.ts";
import { create, toJsonString } from "../../../../kit/proto/mod.ts";
import { PROTOCOLS } from "../../../schema/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { ApiService, ApiServicePort, ApiSlice, NodeFacts, PodFacts } from "./api.ts";
import { endpointsOfSlices, type RowEndpoint } from "./endpoints.ts";
import { externalFacts, type ExternalInputs } from "./external.ts";

/** Objects beside a Service. */
export interface RowInputs extends ExternalInputs {
  readonly slices: readonly ApiSlice[];
  readonly pod: (namespace: string, name: string) => PodFacts | undefined;
  /** The pod at an address; `undefined`: there is none, or there are several. */
  readonly podAt: (namespace: string, address: string) => PodFacts | undefined;
  readonly node: (name: string) => NodeFacts | undefined;
  /** The network of the cluster; empty: none. */
  readonly network: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** `meta.origin.source` of the row. */
  readonly source: string;
  /** True: Services select WorkloadEntries. */
  readonly selectEntries: boolean;
  /** True: the row has facts for ambient mode; default: false. */
  readonly ambient?: boolean;
}

const EXPORT_TO = "networking.mesh.io/exportTo";

/**
 * The row of a Service. That of an external name is an alias: it has neither ports nor endpoints, and
 * acts only where the mesh has the host that it names.
 */
export function serviceRow(service: ApiService, inputs: RowInputs): ConfigObject<ServiceEntry> {
  const { metadata } = service;
  const namespace = metadata.namespace ?? "";
  const found = isExternal(service) ? [] : endpointsOf(service, inputs);
  const entry = create(ServiceEntrySchema, {
    hosts: [`${metadata.name}.${namespace}.svc.${inputs.domain}`],
    addresses: addressesOf(service),
    ports: isExternal(service) ? [] : portsOf(service),
    exportTo: listOf(metadata.annotations?.[EXPORT_TO]),
    resolution: isHeadless(service) ? ServiceEntry_Resolution.NONE : ServiceEntry_Resolution.STATIC,
    location: ServiceEntry_Location.MESH_INTERNAL,
    endpoints: found.map(({ entry }) => entry),
  });
  const facts = factsOf(service, inputs, found.map((one) => one.facts));
  const { labels = {}, annotations = {}, creationTimestamp, uid } = metadata;
  return {
    meta: {
      kind: "Service",
      namespace,
      name: metadata.name,
      labels,
      annotations,
      generation: 1,
      creationTime: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
      origin: { source: inputs.source, ...(uid === undefined ? {} : { uid }) },
    },
    spec: entry,
    service: facts,
    digest: digestOf(entry, [facts, labels, annotations]),
  };
}

/** The digest of a row. Endpoints have no fields that plain JSON would lose, and there are many. */
function digestOf({ endpoints, ...entry }: ServiceEntry, more: readonly unknown[]): string {
  const rest = toJsonString(ServiceEntrySchema, { ...entry, endpoints: [] });
  return hash(JSON.stringify([rest, endpoints, ...more]));
}

/** True for a Service that stands for another host. */
function isExternal({ spec }: ApiService): boolean {
  return spec?.type === "ExternalName";
}

function aliasOf({ spec }: ApiService): string {
  return (spec?.externalName ?? "").replace(/\.$/, "").toLowerCase();
}

function isHeadless({ spec }: ApiService): boolean {
  return spec?.type !== "ExternalName" &&
    (spec?.clusterIP === "None" || spec?.clusterIPs?.[0] === "None");
}

/** Virtual addresses, of both families in a cluster with two; headless Services have none. */
function addressesOf({ spec }: ApiService): string[] {
  const all = spec?.clusterIPs ?? [spec?.clusterIP ?? ""];
  return all.filter((address) => address !== "" && address !== "None");
}

/**
 * Ports. A target port counts for WorkloadEntries, because slices have the ports of pods; clients of
 * headless Services connect to the port that they name.
 */
export function portsOf(
  service: ApiService,
): { number: number; name: string; protocol: string; targetPort: number }[] {
  return (service.spec?.ports ?? []).map((port) => ({
    number: port.port,
    name: portName(port),
    protocol: protocolOf(port),
    targetPort: !isHeadless(service) && typeof port.targetPort === "number" ? port.targetPort : 0,
  }));
}

/** One port may be without a name. */
function portName({ name, port }: ApiServicePort): string {
  return name || `port-${port}`;
}

/** Values of `appProtocol` that differ from the mesh's names. */
const APP_PROTOCOLS: Readonly<Record<string, string>> = {
  "kubernetes.io/h2c": "HTTP2",
  "kubernetes.io/ws": "HTTP",
  "kubernetes.io/wss": "HTTPS",
};

/**
 * Ports of protocols in which the server speaks first, so that nothing can be detected: SMTP, DNS,
 * MySQL, MongoDB. They carry TCP unless the Service declares a protocol.
 */
const SERVER_FIRST_PORTS: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/**
 * The protocol by the beginning of `appProtocol`, else of the port's name; one that is not known is
 * detected.
 */
function protocolOf({ appProtocol, name = "", protocol, port }: ApiServicePort): string {
  if (protocol === "UDP") return "UDP";
  const foreign = appProtocol === undefined ? undefined : APP_PROTOCOLS[appProtocol];
  if (foreign !== undefined) return foreign;
  const declared = (appProtocol ?? name).toUpperCase();
  const prefix = declared.startsWith("GRPC-WEB") ? "GRPC-WEB" : declared.split("-")[0]!;
  return !PROTOCOLS.has(prefix) && SERVER_FIRST_PORTS.has(port) ? "TCP" : prefix;
}

function endpointsOf(service: ApiService, inputs: RowInputs): RowEndpoint[] {
  const names = new Map(
    (service.spec?.ports ?? []).map((port) => [port.name ?? "", portName(port)]),
  );
  const publishUnready = service.spec?.publishNotReadyAddresses === true;
  const { namespace = "" } = service.metadata;
  return endpointsOfSlices(inputs.slices, { ...inputs, namespace, names, publishUnready });
}

/** Further service accounts of the servers of a Service, in its namespace or as `NAMESPACE/ACCOUNT`. */
const ACCOUNTS = "alpha.mesh.io/kubernetes-serviceaccounts";

/** Further identities of the servers of a Service, as they are in certificates. */
const CANONICAL_ACCOUNTS = "alpha.mesh.io/canonical-serviceaccounts";

function identitiesOf(
  { metadata: { namespace = "", annotations } }: ApiService,
): Pick<ServiceFacts, "identities"> {
  const accounts = listOf(annotations?.[ACCOUNTS])
    .map((account) => account.includes("/") ? account : `${namespace}/${account}`);
  const names = listOf(annotations?.[CANONICAL_ACCOUNTS]);
  return accounts.length + names.length === 0 ? {} : { identities: { accounts, names } };
}

/** The parts of a text that commas separate. */
function listOf(text: string = ""): string[] {
  return text.split(",").map((one) => one.trim()).filter((one) => one !== "");
}

function factsOf(
  service: ApiService,
  inputs: RowInputs,
  endpoints: readonly EndpointFacts[],
): ServiceFacts {
  const { metadata, spec = {} } = service;
  return {
    headless: isHeadless(service),
    selector: inputs.selectEntries ? spec.selector ?? {} : {},
    distribution: distributionOf(
      metadata.annotations?.[DISTRIBUTION] ?? spec.trafficDistribution,
    ),
    nodeLocal: spec.internalTrafficPolicy === "Local",
    ...externalFacts(service, inputs),
    ...identitiesOf(service),
    ...(isExternal(service) ? { alias: aliasOf(service) } : {}),
    endpoints,
    ...(inputs.ambient === true && !isExternal(service)
      ? { ambient: ambientFacts(service, endpoints, inputs.network) }
      : {}),
  };
}

function ambientFacts(
  { spec = {} }: ApiService,
  endpoints: readonly EndpointFacts[],
  network: string,
): ServiceFactsOfAmbient {
  return {
    selector: spec.selector ?? {},
    targets: Object.fromEntries(
      (spec.ports ?? []).map(({ port, targetPort = port }) => [port, targetPort]),
    ),
    families: spec.ipFamilies ?? [],
    publishUnready: spec.publishNotReadyAddresses === true,
    network,
    others: endpoints.flatMap(({ pod }, index) => pod ? [] : [index]),
  };
}
