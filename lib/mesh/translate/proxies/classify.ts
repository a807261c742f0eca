/**
 * Derives the class of a connected proxy: the data that generation may depend on.
 *
 * @module
 */
import { canonicalJson, MeshError, parseBoolean } from "../../../kit/base/mod.ts";
import {
  AGENT_OPTION,
  CERTIFICATE_OPTIONS,
  DRAIN_OPTION,
  EXTERNAL_OPTION,
} from "../../envoy/mod.ts";
import type {
  Locality,
  OmittedFeature,
  ProxyClass,
  ProxyNode,
  ServiceTarget,
} from "../../model/mod.ts";
import {
  LISTENS_OPTION,
  NOT_SENDING_OPTION,
  ownSettings,
  type SharedFeatures,
  WORKLOAD_OPTION,
} from "../context/mod.ts";
import type { ProxyFeatures } from "./features.ts";
import { workloadClass } from "./on_demand.ts";

/** Node metadata keys that steer generation. */
const OPTIONS = [
  "HTTP10",
  "IDLE_TIMEOUT",
  "HTTP_PROXY_PORT",
  "INBOUND_LISTENER_EXACT_BALANCE",
  "OUTBOUND_LISTENER_EXACT_BALANCE",
  AGENT_OPTION,
  DRAIN_OPTION,
  EXTERNAL_OPTION,
  ...CERTIFICATE_OPTIONS,
] as const;

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** A class without the services of the workload: what the node alone determines. */
export interface ClassBasis extends ClassFacts {
  readonly locality: Locality;
}

/** A class without its key and the services of the workload. */
export type ClassFacts = Omit<ProxyClass, "key" | "targets">;

/**
 * Reads what matters from a node.
 *
 * @throws MeshError `node-namespace` when the node's namespace is not a name.
 */
export function classBasis(
  node: ProxyNode,
  features: ProxyFeatures & Pick<SharedFeatures, "autoAllocateAddresses" | "tunnels">,
): ClassBasis {
  const { metadata } = node;
  const namespace = text(metadata.NAMESPACE) || node.namespace;
  if (!NAMESPACE.test(namespace)) {
    throw new MeshError("node-namespace", `the node's namespace is not a valid name`, {
      remedy: "Set POD_NAMESPACE (or the NAMESPACE metadata) to the namespace of the workload.",
    });
  }
  const mode = text(metadata.INTERCEPTION_MODE).toUpperCase();
  return {
    // Node proxies have no class; they are bound elsewhere.
    role: node.role === "ztunnel" ? "sidecar" : node.role,
    namespace,
    labels: labelsOf(metadata.LABELS),
    serviceAccount: text(metadata.SERVICE_ACCOUNT),
    clusterId: text(metadata.CLUSTER_ID),
    network: text(metadata.NETWORK),
    networkView: listed(metadata.REQUESTED_NETWORK_VIEW),
    locality: node.locality,
    revision: text(metadata.MESH_REVISION),
    dnsDomain: node.dnsDomain,
    interception: mode === "NONE" || mode === "TPROXY" ? mode : "REDIRECT",
    ...familiesOf(node.ips, features.dualStack === true),
    ...omittedOf(node),
    options: {
      ...optionsOf(metadata, mode === "NONE" ? bindsOf(node, features.dualStack === true) : []),
      ...(node.readsCredentials === true ? { CREDENTIALS: "true" } : {}),
      ...(node.readsReferred ?? node.readsCredentials ? { REFERRED: "true" } : {}),
      ...(node.credentialCluster ? { CREDENTIAL_CLUSTER: node.credentialCluster } : {}),
      ...(features.quicListeners && node.role === "router" ? { QUIC: "true" } : {}),
      ...settingsOption(metadata.PROXY_CONFIG),
      ...(isTrue(metadata.EXPLAIN) ? { EXPLAIN: "true" } : {}),
      ...(features.vhds && takesVirtualHosts(node) ? { VHDS: "true" } : {}),
      ...(features.autoAllocateAddresses || isTrue(metadata.DNS_AUTO_ALLOCATE)
        ? { DNS_AUTO_ALLOCATE: "true" }
        : {}),
      ...(takesClustersOnDemand(node) ? { ODCDS: "true" } : {}),
      ...(takesOnDemand(node) && node.onDemand === true
        ? { ODCDS: "true", [WORKLOAD_OPTION]: workloadOf(node) }
        : {}),
      ...(metadata.GENERATOR === "grpc" ? { GENERATOR: "grpc" } : {}),
      ...(features.tunnels === undefined ? {} : tunnelOptions(metadata)),
    },
  };
}

/** Metadata about tunnels. */
function tunnelOptions(metadata: ProxyNode["metadata"]): Record<string, string> {
  const asked = [LISTENS_OPTION, NOT_SENDING_OPTION].filter((key) => isTrue(metadata[key]));
  return Object.fromEntries(asked.map((key) => [key, "true"]));
}

/** If the proxy has both families, only the default one is used, unless the mesh serves both. */
function familiesOf(ips: readonly string[], both: boolean): { ipv4: boolean; ipv6: boolean } {
  const ipv4 = ips.some((ip) => !ip.includes(":"));
  return { ipv4, ipv6: ips.some((ip) => ip.includes(":")) && (both || !ipv4) };
}

/**
 * Returns the addresses that a proxy binds for its workload's ports: all of them if both families
 * are served.
 */
function bindsOf({ ip, ips }: ProxyNode, both: boolean): readonly string[] {
  const { ipv4, ipv6 } = familiesOf(ips, both);
  if (ipv4 && ipv6) return [ip, ...ips.filter((other) => other !== ip)];
  return [ip.includes(":") === ipv6 ? ip : ips.find((one) => one.includes(":") === ipv6) ?? ip];
}

/** Returns the proxy's own configuration; see {@link ownSettings}. */
function settingsOption(value: unknown): { PROXY_CONFIG?: string } {
  const own = ownSettings(value);
  return own === undefined ? {} : { PROXY_CONFIG: own };
}

/** The features that generation leaves out for the proxy; nothing for a current Envoy. */
function omittedOf({ missing = [] }: ProxyNode): { missing?: readonly OmittedFeature[] } {
  const omitted = missing.filter(({ ignored }) => !ignored).map(({ name }) => name).sort();
  return omitted.length === 0 ? {} : { missing: omitted as OmittedFeature[] };
}

/** A switch of metadata that comes from a variable: `MESH_META_EXPLAIN=true`, `1`. */
function isTrue(value: unknown): boolean {
  return parseBoolean(String(value ?? "")) === true;
}

/**
 * Reports if a proxy supports virtual hosts as resources (VHDS): Envoy does, only with delta, and
 * its metadata may request whole tables. Waypoints receive whole tables.
 */
function takesVirtualHosts({ role, transport, userAgent, metadata, missing }: ProxyNode): boolean {
  return (role === "sidecar" || role === "router") && transport === "delta" &&
    userAgent === "envoy" &&
    parseBoolean(String(metadata.VHDS ?? "")) !== false &&
    missing?.some(({ name }) => name === "virtual-hosts") !== true;
}

/** Reports if a proxy can request resources on demand: Envoy can, only with delta. */
function takesOnDemand({ role, transport, userAgent, metadata }: ProxyNode): boolean {
  return role === "sidecar" && transport === "delta" && userAgent === "envoy" &&
    metadata.GENERATOR === undefined;
}

/** Reports if a proxy requests clusters on demand, and nothing else. */
function takesClustersOnDemand(node: ProxyNode): boolean {
  return takesOnDemand(node) && isTrue(node.metadata.ODCDS);
}

/** The workload class of a node. */
function workloadOf({ metadata, namespace }: ProxyNode): string {
  return workloadClass({
    namespace: text(metadata.NAMESPACE) || namespace,
    serviceAccount: text(metadata.SERVICE_ACCOUNT),
    labels: labelsOf(metadata.LABELS),
  });
}

/** Completes a class; equal data give equal keys. */
export function proxyClass(basis: ClassFacts, targets: readonly ServiceTarget[]): ProxyClass {
  const whole = { ...basis, targets };
  return { ...whole, key: canonicalJson(whole) };
}

/** Names separated by commas, sorted. */
function listed(value: unknown): string[] {
  return text(value).split(",").map((name) => name.trim()).filter((name) => name !== "").sort();
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** String-valued labels, keys sorted. */
export function labelsOf(value: unknown): Record<string, string> {
  const labels: Record<string, string> = {};
  if (typeof value !== "object" || value === null) return labels;
  for (const [key, label] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (typeof label === "string") labels[key] = label;
  }
  return labels;
}

/**
 * @param own set for proxies that bind their listeners themselves: the one
 * case in which addresses are part of a class
 */
function optionsOf(
  metadata: Readonly<Record<string, unknown>>,
  own: readonly string[],
): Record<string, string> {
  const options: Record<string, string> = {};
  const [first, ...more] = own;
  if (first !== undefined) options.BIND_IP = first;
  if (more.length > 0) options.BIND_MORE_IPS = more.join(",");
  for (const key of OPTIONS) {
    const value = metadata[key];
    if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
      options[key] = String(value);
    }
  }
  return options;
}
