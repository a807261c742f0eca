/**
 * Identity of a proxy towards the daemon: id, cluster, locality and metadata.
 *
 * @module
 */
import { buildInfo } from "../../kit/base/mod.ts";
import { type JsonObject, type JsonValue, toJson } from "../../kit/proto/mod.ts";
import {
  type ProxyConfig,
  ProxyConfig_InboundInterceptionMode as Interception,
  ProxyConfig_TracingServiceName as TracingName,
  ProxyConfigSchema,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { PlatformFacts } from "./platform/ask.ts";
import type { Pairs } from "./pod.ts";
import { readObject, type Unread } from "./unread.ts";

/** Roles of a proxy. */
export const ROLES = ["sidecar", "router", "waypoint"] as const;
export type AgentRole = typeof ROLES[number];

export interface NodeInput {
  readonly role: AgentRole;
  /** Addresses of the workload, the first one first; at least one. */
  readonly ips: readonly string[];
  /** Name of the workload instance. */
  readonly name: string;
  /** Empty: unknown. */
  readonly namespace: string;
  /** DNS suffix of the namespace. */
  readonly domain: string;
  readonly serviceAccount: string | undefined;
  readonly clusterId: string | undefined;
  readonly proxy: ProxyConfig;
  /** Proxy configuration of this proxy only; default: none. */
  readonly ownProxy?: ProxyConfig | undefined;
  /** `MESH_META_*` and `MESH_METAJSON_*` are used; the rest is ignored. */
  readonly environ: Readonly<Record<string, string>>;
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly outlierLogPath: string;
  readonly prometheusPort: number;
  readonly statusPort: number;
  readonly exitOnZeroConnections: boolean;
  /** Metadata of the machine's cloud platform; default: none. */
  readonly platform?: PlatformFacts | undefined;
}

/** The node in the bootstrap file. */
export interface BootstrapNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: {
    readonly region?: string;
    readonly zone?: string;
    readonly sub_zone?: string;
  };
  readonly metadata: JsonObject;
}

const META = "MESH_META_";
const META_JSON = "MESH_METAJSON_";

/** Labels with the locality; the first one that exists is used. */
const LOCALITY_LABELS = ["topology.mesh.io/locality", "mesh-locality"];

/** Labels that the orchestrator makes for each version of a workload; clients cannot use them. */
const GENERATED_LABELS = new Set(["pod-template-hash"]);

/**
 * Builds the node. The id is `type~ip~name.namespace~domain`.
 *
 * @param unread is told which `MESH_METAJSON_*` variables were left out
 */
export function nodeOf(input: NodeInput, unread: Unread): BootstrapNode {
  const free = freeMetadata(input.environ, unread);
  const labels = normaliseLocality(ownLabels({ ...free.labels, ...input.labels }));
  const annotations = { ...free.annotations, ...input.annotations };
  const metadata: JsonObject = {
    MESH_VERSION: buildInfo.version,
    ...interception(input.proxy),
    ...optional("MESH_ID", input.proxy.meshId),
    ...optional("CLUSTER_ID", input.clusterId),
    ...free.metadata,
    ...optional("SERVICE_ACCOUNT", input.serviceAccount),
    ...optional("NAME", input.name),
    ...optional("NAMESPACE", input.namespace),
    INSTANCE_IPS: [...new Set(input.ips)].join(","),
    DATAPROXY_PROMETHEUS_PORT: input.prometheusPort,
    DATAPROXY_STATUS_PORT: input.statusPort,
    PROXY_CONFIG: describeProxy(input.proxy, input.ownProxy),
    ...optional("OUTLIER_LOG_PATH", input.outlierLogPath),
    ...(input.exitOnZeroConnections ? { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: true } : {}),
    ...group("LABELS", labels),
    ...group("STATIC_LABELS", normaliseLocality(ownLabels(free.labels))),
    ...group("ANNOTATIONS", annotations),
    ...group("PLATFORM_METADATA", input.platform?.metadata ?? {}),
  };
  return {
    id: `${input.role}~${input.ips[0]}~${input.name}.${input.namespace}~${input.domain}`,
    cluster: clusterOf(input, labels, metadata),
    locality: localityOf(labels) ?? platformLocality(input.platform),
    metadata,
  };
}

function ownLabels(labels: Pairs): Pairs {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !GENERATED_LABELS.has(key)));
}

/** Returns metadata of the environment, with labels and annotations separated. */
function freeMetadata(
  environ: Readonly<Record<string, string>>,
  unread: Unread,
): { metadata: JsonObject; labels: Pairs; annotations: Pairs } {
  const metadata: JsonObject = {};
  let labels: Pairs = {};
  let annotations: Pairs = {};
  for (const name of Object.keys(environ).sort()) {
    const value = environ[name] ?? "";
    if (name.startsWith(META)) metadata[name.slice(META.length)] = value;
    if (!name.startsWith(META_JSON)) continue;
    const members = readObject(name, value, unread) ?? {};
    // The members are merged into the metadata itself, not below a key.
    Object.assign(metadata, members);
    if (name === `${META_JSON}LABELS`) labels = texts(members);
    if (name === `${META_JSON}ANNOTATIONS`) annotations = texts(members);
  }
  return { metadata, labels, annotations };
}

function texts(members: JsonObject): Pairs {
  const pairs: Record<string, string> = {};
  for (const [key, value] of Object.entries(members)) {
    pairs[key] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return pairs;
}

function optional(key: string, value: string | undefined): JsonObject {
  return value === undefined || value === "" ? {} : { [key]: value };
}

function group(key: string, pairs: Pairs): JsonObject {
  return Object.keys(pairs).length === 0 ? {} : { [key]: { ...pairs } };
}

/** The default mode is omitted. */
function interception(proxy: ProxyConfig): JsonObject {
  return proxy.interceptionMode === Interception.REDIRECT
    ? {}
    : { INTERCEPTION_MODE: Interception[proxy.interceptionMode] ?? "" };
}

/**
 * Parts that override the mesh configuration in the daemon. Only this proxy's own values are sent:
 * the daemon has the current mesh configuration.
 */
const OWN_PARTS = ["gatewayTopology", "proxyHeaders", "connectionSettings"] as const;

/** Returns the configuration as JSON, without the one field that is a secret. */
function describeProxy(proxy: ProxyConfig, own: ProxyConfig | undefined): JsonValue {
  const json = toJson(ProxyConfigSchema, {
    ...proxy,
    ...Object.fromEntries(OWN_PARTS.map((part) => [part, own?.[part]])),
  }) as JsonObject;
  const tracing = json.tracing as { lightstep?: { accessToken?: string } } | undefined;
  if (tracing?.lightstep?.accessToken) tracing.lightstep.accessToken = "[redacted]";
  return json;
}

/** Label values may not have a slash, so the locality label may separate its parts by dots. */
function normaliseLocality(labels: Pairs): Pairs {
  const changed: Record<string, string> = { ...labels };
  for (const key of LOCALITY_LABELS) {
    const value = changed[key];
    if (value !== undefined && !value.includes("/")) changed[key] = value.replaceAll(".", "/");
  }
  return changed;
}

/** Locality of the labels, which win over the platform; undefined: there is no such label. */
function localityOf(labels: Pairs): BootstrapNode["locality"] | undefined {
  const label = LOCALITY_LABELS.map((key) => labels[key]).find((value) => value);
  if (!label) return undefined;
  const [region = "", zone = "", ...rest] = label.split("/");
  return locality({ region, zone, subzone: rest.join("/") });
}

function platformLocality(platform: PlatformFacts | undefined): BootstrapNode["locality"] {
  return platform ? locality(platform.locality) : {};
}

function locality(
  { region, zone, subzone }: PlatformFacts["locality"],
): BootstrapNode["locality"] {
  return {
    ...(region ? { region } : {}),
    ...(zone ? { zone } : {}),
    ...(subzone ? { sub_zone: subzone } : {}),
  };
}

const DEFAULT_CLUSTER = "mesh-proxy";

function clusterOf(input: NodeInput, labels: Pairs, metadata: JsonObject): string {
  const workload = typeof metadata.WORKLOAD_NAME === "string" ? metadata.WORKLOAD_NAME : "";
  const { clusterName } = input.proxy;
  if (clusterName.case === "tracingServiceName") {
    const canonical = labels["service.mesh.io/canonical-name"] ??
      labels["app.kubernetes.io/name"] ?? labels.app ?? workload;
    if (canonical !== "" && clusterName.value === TracingName.CANONICAL_NAME_ONLY) return canonical;
    if (canonical !== "" && clusterName.value === TracingName.CANONICAL_NAME_AND_NAMESPACE) {
      return `${canonical}.${input.namespace}`;
    }
  } else if (clusterName.value && clusterName.value !== DEFAULT_CLUSTER) {
    return clusterName.value;
  }
  const name = labels.app || workload || DEFAULT_CLUSTER;
  return input.namespace === "" ? name : `${name}.${input.namespace}`;
}
