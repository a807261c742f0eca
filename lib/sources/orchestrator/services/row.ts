/**
 * The row of a Service: the table of ServiceEntries has it beside those that users write, under a name
 * that no object can have.
 *
 * @module
 */
import { hash } from "../../../base/mod.ts";
import type { ConfigObject } from "../../../model/mod.ts";
import { create, toJsonString } from "../../../proto/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Location,
  ServiceEntry_Resolution,
  ServiceEntrySchema,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import type {
  ApiEndpoint,
  ApiService,
  ApiServicePort,
  ApiSlice,
  NodeFacts,
  PodFacts,
} from "./api.ts";

/** Objects beside a Service. */
export interface RowInputs {
  readonly slices: readonly ApiSlice[];
  readonly pod: (namespace: string, name: string) => PodFacts | undefined;
  readonly node: (name: string) => NodeFacts | undefined;
  /** DNS suffix of services. */
  readonly domain: string;
  /** `meta.origin.source` of the row. */
  readonly source: string;
}

const EXPORT_TO = "networking.mesh.io/exportTo";
const NETWORK = "topology.mesh.io/network";

/** Name of the row of a Service; objects have no colon in their names. */
export function rowName(service: string): string {
  return `service:${service}`;
}

/** The row of a Service. */
export function serviceRow(service: ApiService, inputs: RowInputs): ConfigObject<ServiceEntry> {
  const { metadata, spec = {} } = service;
  const namespace = metadata.namespace ?? "";
  const external = spec.type === "ExternalName";
  const entry = create(ServiceEntrySchema, {
    hosts: [`${metadata.name}.${namespace}.svc.${inputs.domain}`],
    addresses: addressesOf(service),
    ports: (spec.ports ?? []).map((port) => ({
      number: port.port,
      name: nameOf(port),
      protocol: protocolOf(port),
    })),
    location: ServiceEntry_Location.MESH_INTERNAL,
    resolution: external ? ServiceEntry_Resolution.DNS : ServiceEntry_Resolution.STATIC,
    endpoints: external
      ? [{ address: spec.externalName ?? "" }]
      : inputs.slices.flatMap((slice) => endpointsOf(service, slice, inputs)),
    exportTo: (metadata.annotations?.[EXPORT_TO] ?? "").split(",").map((one) => one.trim())
      .filter((one) => one !== ""),
  });
  const { labels = {}, annotations = {}, creationTimestamp, uid } = metadata;
  return {
    meta: {
      kind: "ServiceEntry",
      namespace,
      name: rowName(metadata.name),
      labels,
      annotations,
      generation: 1,
      creationTime: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
      origin: { source: inputs.source, ...(uid === undefined ? {} : { uid }) },
    },
    spec: entry,
    digest: hash(JSON.stringify([toJsonString(ServiceEntrySchema, entry), labels, annotations])),
  };
}

/** Virtual addresses; headless Services have none. */
function addressesOf({ spec }: ApiService): string[] {
  const all = spec?.clusterIPs ?? [spec?.clusterIP ?? ""];
  return all.filter((address) => address !== "" && address !== "None");
}

/** One port may be without a name. */
function nameOf({ name, port }: ApiServicePort): string {
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

function endpointsOf(service: ApiService, slice: ApiSlice, inputs: RowInputs) {
  if (slice.addressType === "FQDN") return [];
  const named = new Map((slice.ports ?? []).map(({ name = "", port }) => [name, port ?? 0]));
  const ports: Record<string, number> = {};
  for (const port of service.spec?.ports ?? []) {
    const target = named.get(port.name ?? "");
    if (target !== undefined) ports[nameOf(port)] = target;
  }
  return (slice.endpoints ?? []).filter((endpoint) => isUsed(service, endpoint))
    .flatMap((endpoint) =>
      endpoint.addresses.map((address) => ({
        address,
        ports,
        ...factsOf(service.metadata.namespace ?? "", endpoint, inputs),
      }))
    );
}

function isUsed({ spec }: ApiService, { conditions }: ApiEndpoint): boolean {
  return conditions?.ready !== false || spec?.publishNotReadyAddresses === true;
}

/** Labels, account and locality of an address, by its pod and node. */
function factsOf(namespace: string, endpoint: ApiEndpoint, { pod, node }: RowInputs) {
  const { targetRef, nodeName, zone = "" } = endpoint;
  const found = targetRef?.kind === "Pod" && targetRef.name !== undefined
    ? pod(targetRef.namespace ?? namespace, targetRef.name)
    : undefined;
  const at = nodeName === undefined ? undefined : node(nodeName);
  const locality = [at?.region ?? "", at?.zone || zone, at?.subzone ?? ""].join("/");
  return {
    labels: { ...found?.labels },
    serviceAccount: found?.serviceAccount ?? "",
    network: found?.labels[NETWORK] ?? "",
    locality: locality.replace(/\/+$/, ""),
  };
}
