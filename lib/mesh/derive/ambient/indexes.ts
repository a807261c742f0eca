/**
 * Indexes over what becomes resources of node proxies. Members are plain data as text: a change elsewhere in a
 * row, such as in other endpoints of a Service, then changes no member.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import { type Graph, type Index, text } from "../../graph/mod.ts";
import {
  type ConfigObject,
  isWildcard,
  nameOfObject,
  type ObjectKey,
  objectKeys,
  type ServiceKey,
  serviceKeys,
} from "../../model/mod.ts";
import {
  type ServiceEntry,
  ServiceEntry_Resolution,
} from "#mesh/networking/v1alpha3/service_entry_pb.ts";
import { type Selection, selectionsOf } from "../../ambient/mod.ts";
import { type LabelKey, labelValueKeys, protocolOf, type Tables } from "../inputs/mod.ts";

/** An endpoint that a ServiceEntry or a Service lists and that is no pod. */
export interface ListedEndpoint {
  /** `ServiceEntry`, or `EndpointSlice` of a Service. */
  readonly kind: "ServiceEntry" | "EndpointSlice";
  readonly namespace: string;
  /** Name of its object. */
  readonly name: string;
  readonly cluster: string;
  readonly hosts: readonly string[];
  /** IP address, or the name of a host. */
  readonly address: string;
  readonly ports: readonly {
    readonly number: number;
    readonly target: number;
    readonly protocol: ReturnType<typeof protocolOf>;
  }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  readonly locality: string;
  readonly weight: number;
  readonly serviceAccount: string;
  readonly node: string;
  readonly health: string;
}

/** Indexes over pods, endpoints, services, selectors, policies and gateways. */
export interface AmbientIndexes {
  /** `all` → row keys of pods and WorkloadEntries. */
  readonly workloads: Index;
  /** `all` → endpoints that are listed, as JSON. */
  readonly endpoints: Index;
  /** `all` → services. */
  readonly services: Index<string, ServiceKey>;
  /** First label of a selector → selections, as JSON. */
  readonly selections: Index<LabelKey>;
  /** `all` → AuthorizationPolicies. */
  readonly policies: Index<string, ObjectKey>;
  /** `all` → PeerAuthentications with modes of ports. */
  readonly peerPolicies: Index<string, ObjectKey>;
  /** `all` → Gateways of the Gateway API. */
  readonly gateways: Index<string, ObjectKey>;
  /** `all` → networks that Gateways lead into. */
  readonly networks: Index;
  /** Network → the Gateways that lead into it. */
  readonly networkGateways: Index<string, ObjectKey>;
}

const ALL = "all";
const TEXTS = { bucket: text, member: text };
const OBJECTS = { bucket: text, member: objectKeys };
/** Label of a Gateway with the network that it leads into. */
const NETWORK_LABEL = "topology.mesh.io/network";

export function ambientIndexes(graph: Graph, tables: Tables): AmbientIndexes {
  return {
    ...ofServices(graph, tables),
    ...ofPolicies(graph, tables),
    ...ofGateways(graph, tables),
  };
}

function ofServices(graph: Graph, { serviceEntries, workloadEntries }: Tables) {
  return {
    workloads: graph.index(workloadEntries, "WorkloadEntry.ambient", TEXTS, function* (_row, key) {
      yield [ALL, key];
    }),
    endpoints: graph.index(serviceEntries, "ServiceEntry.listed", TEXTS, function* (row) {
      for (const endpoint of listedIn(row)) yield [ALL, canonicalJson(endpoint)];
    }),
    services: graph.index(
      serviceEntries,
      "ServiceEntry.ambient",
      { bucket: text, member: serviceKeys },
      function* ({ meta: { namespace }, spec, service }) {
        if (service?.alias !== undefined) return;
        for (const host of spec.hosts) yield [ALL, { namespace, host: host.toLowerCase() }];
      },
    ),
    selections: graph.index(
      serviceEntries,
      "ServiceEntry.selections",
      { bucket: labelValueKeys, member: text },
      function* (row) {
        for (const selection of selectionsOf(row, protocolOf)) {
          yield [bucketOf(selection), canonicalJson(selection)];
        }
      },
    ),
  };
}

function ofPolicies(graph: Graph, tables: Tables) {
  return {
    policies: graph.index(
      tables.authorizationPolicies,
      "AuthorizationPolicy.ambient",
      OBJECTS,
      function* ({ meta: { namespace, name } }) {
        yield [ALL, { namespace, name }];
      },
    ),
    peerPolicies: graph.index(
      tables.peerAuthentications,
      "PeerAuthentication.ambient",
      OBJECTS,
      function* ({ meta: { namespace, name }, spec }) {
        if (Object.keys(spec.portLevelMtls).length > 0) yield [ALL, { namespace, name }];
      },
    ),
  };
}

function ofGateways(graph: Graph, { kubernetesGateways }: Tables) {
  return {
    gateways: graph.index(
      kubernetesGateways,
      "GatewayApi.ambient",
      OBJECTS,
      function* ({ meta: { namespace, name } }) {
        yield [ALL, { namespace, name }];
      },
    ),
    networks: graph.index(
      kubernetesGateways,
      "GatewayApi.networkNames",
      TEXTS,
      function* ({ meta }) {
        const network = meta.labels[NETWORK_LABEL] ?? "";
        if (network !== "") yield [ALL, network];
      },
    ),
    networkGateways: graph.index(
      kubernetesGateways,
      "GatewayApi.network",
      OBJECTS,
      function* ({ meta: { namespace, name, labels } }) {
        const network = labels[NETWORK_LABEL] ?? "";
        if (network !== "") yield [network, { namespace, name }];
      },
    ),
  };
}

function bucketOf({ namespace, selector }: Selection): LabelKey {
  const label = Object.keys(selector).sort()[0]!;
  return { namespace, label, value: selector[label]! };
}

/** Endpoints that a row lists; of an entry that is resolved by DNS and has none, its hosts. */
function* listedIn(row: ConfigObject<ServiceEntry>): Iterable<ListedEndpoint> {
  const { meta, spec, service } = row;
  if (service?.alias !== undefined || spec.workloadSelector !== undefined) return;
  const common = {
    kind: service === undefined ? "ServiceEntry" as const : "EndpointSlice" as const,
    namespace: meta.namespace,
    name: nameOfObject(meta),
    cluster: meta.origin.cluster ?? "",
    hosts: spec.hosts.map((host) => host.toLowerCase()),
  };
  const listed = service === undefined
    ? spec.endpoints.map((_, index) => index)
    : service.ambient?.others ?? [];
  for (const index of listed) {
    const entry = spec.endpoints[index];
    if (entry === undefined) continue;
    const facts = service?.endpoints[index];
    yield {
      ...common,
      address: entry.address,
      ports: portsOf(spec, entry.ports, service !== undefined),
      labels: entry.labels,
      network: entry.network,
      locality: entry.locality,
      weight: entry.weight,
      serviceAccount: entry.serviceAccount,
      node: facts?.node ?? "",
      health: facts?.health ?? meta.health ?? "healthy",
    };
  }
  const isResolved = spec.resolution === ServiceEntry_Resolution.DNS ||
    spec.resolution === ServiceEntry_Resolution.DNS_ROUND_ROBIN;
  if (service !== undefined || spec.endpoints.length > 0 || !isResolved) return;
  for (const host of common.hosts) {
    if (isWildcard(host)) continue;
    yield {
      ...common,
      hosts: [host],
      address: host,
      ports: portsOf(spec, {}, false),
      labels: {},
      network: "",
      locality: "",
      weight: 0,
      serviceAccount: "",
      node: "",
      health: "healthy",
    };
  }
}

function portsOf(
  { ports }: ServiceEntry,
  own: Readonly<Record<string, number>>,
  isListed: boolean,
): ListedEndpoint["ports"] {
  return ports.filter(({ name }) => !isListed || own[name] !== undefined)
    .map(({ name, number, targetPort, protocol }) => ({
      number,
      target: own[name] || targetPort || number,
      protocol: protocolOf(protocol),
    })).filter(({ protocol }) => protocol !== "UDP");
}
