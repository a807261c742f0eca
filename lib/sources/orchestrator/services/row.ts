/**
 * The row of a Service in the table of ServiceEntries; see `lib/model/registry.ts`.
 *
 * @module
 */
import { hash } from "../../../base/mod.ts";
import {
  type ConfigObject,
  DISTRIBUTION,
  distributionOf,
  type EndpointFacts,
  type ServiceFacts,
} from "../../../model/mod.ts";
import { create, toJsonString } from "../../../proto/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type { WorkloadEntrySchema } from "#mesh/networking/v1alpha3/workload_entry_pb.ts";
import type { AliasTarget } from "./aliases.ts";
import type { ApiService, ApiServicePort, ApiSlice, NodeFacts, PodFacts } from "./api.ts";
import { type RowEndpoint, sliceEndpoints } from "./endpoints.ts";
import { externalFacts, type ExternalInputs } from "./external.ts";

/** Objects beside a Service. */
export interface RowInputs extends ExternalInputs {
  readonly slices: readonly ApiSlice[];
  readonly pod: (namespace: string, name: string) => PodFacts | undefined;
  readonly node: (name: string) => NodeFacts | undefined;
  /** The network of the cluster; empty: none. */
  readonly network: string;
  /** DNS suffix of services. */
  readonly domain: string;
  /** `meta.origin.source` of the row. */
  readonly source: string;
  /** True: Services select WorkloadEntries. */
  readonly selectEntries: boolean;
  /** The Service that an external name stands for; unset: none. */
  readonly alias?: AliasTarget | undefined;
}

const EXPORT_TO = "networking.mesh.io/exportTo";

/** The row of a Service. */
export function serviceRow(service: ApiService, inputs: RowInputs): ConfigObject<ServiceEntry> {
  const { metadata, spec = {} } = service;
  const namespace = metadata.namespace ?? "";
  const found = spec.type === "ExternalName" ? [] : endpointsOf(service, inputs);
  const entry = create(ServiceEntrySchema, {
    hosts: [`${metadata.name}.${namespace}.svc.${inputs.domain}`],
    addresses: addressesOf(service),
    ports: portsOf(inputs.alias?.service ?? service),
    exportTo: (metadata.annotations?.[EXPORT_TO] ?? "").split(",").map((one) => one.trim())
      .filter((one) => one !== ""),
    ...(inputs.alias === undefined ? placement(service, found.map(({ entry }) => entry)) : {
      resolution: ServiceEntry_Resolution.STATIC,
      location: ServiceEntry_Location.MESH_INTERNAL,
    }),
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

/** Resolution, location and endpoints. An external name is resolved by proxies. */
function placement(
  service: ApiService,
  endpoints: RowEndpoint["entry"][],
): {
  resolution: ServiceEntry_Resolution;
  location: ServiceEntry_Location;
  endpoints: NonNullable<Parameters<typeof create<typeof WorkloadEntrySchema>>[1]>[];
} {
  const { type, externalName = "" } = service.spec ?? {};
  if (type === "ExternalName") {
    return {
      resolution: ServiceEntry_Resolution.DNS,
      location: ServiceEntry_Location.MESH_EXTERNAL,
      endpoints: externalName === "" ? [] : [{ address: externalName.replace(/\.$/, "") }],
    };
  }
  return {
    resolution: isHeadless(service) ? ServiceEntry_Resolution.NONE : ServiceEntry_Resolution.STATIC,
    location: ServiceEntry_Location.MESH_INTERNAL,
    endpoints,
  };
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

/** The protocol by `appProtocol`, then by the beginning of the port's name; empty: detected. */
function protocolOf({ appProtocol, name = "", protocol }: ApiServicePort): string {
  if (protocol === "UDP") return "UDP";
  if (appProtocol !== undefined) return APP_PROTOCOLS[appProtocol] ?? appProtocol.toUpperCase();
  const lower = name.toLowerCase();
  const prefix = lower.startsWith("grpc-web") ? "grpc-web" : lower.split("-")[0]!;
  return prefix.toUpperCase();
}

function endpointsOf(service: ApiService, inputs: RowInputs): RowEndpoint[] {
  const names = new Map(
    (service.spec?.ports ?? []).map((port) => [port.name ?? "", portName(port)]),
  );
  const publishUnready = service.spec?.publishNotReadyAddresses === true;
  const { namespace = "" } = service.metadata;
  return inputs.slices.flatMap((slice) =>
    sliceEndpoints(slice, { ...inputs, namespace, names, publishUnready })
  );
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
    ...(inputs.alias === undefined ? {} : { alias: inputs.alias.host }),
    endpoints,
  };
}
