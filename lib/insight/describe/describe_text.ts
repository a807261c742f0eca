/**
 * Reports about pods and services in words. Pure.
 *
 * @module
 */
import {
  type ConfigObject,
  covers,
  fullHost,
  hasLabels,
  REVISION_LABEL,
} from "../../mesh/model/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { hasProxy, type Pod, podId, PROXY_CONTAINER } from "../cluster_access/mod.ts";
import { type ApiRoute, apiRouteLines } from "./describe_api_routes.ts";
import { effectivePolicies } from "./effective_policies.ts";

type Labels = Readonly<Record<string, string>>;

/** An object with the fields of its kind. */
export interface Described<T = unknown> {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Labels;
  };
  readonly spec?: T;
}

export interface ServiceSpec {
  readonly selector?: Labels;
  readonly ports?: readonly {
    readonly name?: string;
    readonly port: number;
    readonly targetPort?: number | string;
    readonly appProtocol?: string;
    readonly protocol?: string;
  }[];
}

/** A DestinationRule. */
export interface RuleSpec {
  readonly host?: string;
  readonly subsets?: readonly { readonly name: string; readonly labels?: Labels }[];
  readonly trafficPolicy?: Readonly<Record<string, unknown>>;
}

/** A VirtualService. */
export interface RouteSpec {
  readonly hosts?: readonly string[];
  readonly gateways?: readonly string[];
  readonly http?: readonly HttpRoute[];
  readonly tcp?: readonly HttpRoute[];
  readonly tls?: readonly HttpRoute[];
}

interface HttpRoute {
  readonly route?: readonly {
    readonly destination?: { readonly host?: string; readonly subset?: string };
  }[];
  readonly delegate?: { readonly name?: string; readonly namespace?: string };
  readonly redirect?: unknown;
  readonly directResponse?: unknown;
}

/** The objects of a cluster that reports read. */
export interface DescribedMesh {
  readonly services: readonly Described<ServiceSpec>[];
  readonly rules: readonly Described<RuleSpec>[];
  readonly routes: readonly Described<RouteSpec>[];
  /** Routes of the Gateway API. */
  readonly apiRoutes: readonly ApiRoute[];
  /** The objects of security that a daemon would use. */
  readonly policies: readonly ConfigObject[];
  readonly settings: MeshConfig;
  /** Sentences about objects that are left out. */
  readonly warnings: readonly string[];
}

const DOMAIN = "svc.cluster.local";
const LINE = "--------------------";

/** The report about a pod. */
export function describePod(pod: Pod, mesh: DescribedMesh, options: DescribeOptions): string[] {
  const lines = [`Pod: ${podId(pod)}`];
  const ports = pod.spec.containers.flatMap(({ name, ports = [] }) =>
    ports.map(({ containerPort }) => `${containerPort} (${name})`)
  );
  lines.push(`   Pod Revision: ${pod.metadata.labels?.[REVISION_LABEL] ?? "default"}`);
  lines.push(`   Pod Ports: ${ports.join(", ") || "none are declared"}`);
  const isMeshed = hasProxy(pod);
  if (!isMeshed && !options.ignoreUnmeshed) {
    lines.push(`WARNING: ${podId(pod)} is not part of the mesh: it has no proxy`);
  }
  const phase = pod.status?.phase ?? "unknown";
  if (phase !== "Running") lines.push(`WARNING: the pod is not running (${phase})`);
  const services = mesh.services.filter((one) => isServing(one, pod));
  if (services.length === 0) lines.push(LINE, "No Service selects the pod.");
  for (const service of services) lines.push(LINE, ...serviceLines(service, [pod], mesh));
  if (isMeshed) lines.push(LINE, ...securityLines(pod, mesh));
  return lines;
}

/** Options of a report. */
export interface DescribeOptions {
  readonly ignoreUnmeshed: boolean;
}

/** The report about a service; `pods` are those that it selects. */
export function describeService(
  service: Described<ServiceSpec>,
  pods: readonly Pod[],
  mesh: DescribedMesh,
  { ignoreUnmeshed }: DescribeOptions,
): string[] {
  const lines = serviceLines(service, pods, mesh);
  const without = pods.filter((pod) => !hasProxy(pod)).map(podId);
  if (pods.length === 0) lines.push("WARNING: no pod has the labels of its selector");
  else if (without.length > 0 && !ignoreUnmeshed) {
    lines.push(`WARNING: pods without a proxy: ${without.join(", ")}`);
  }
  const [meshed] = pods.filter(hasProxy);
  if (meshed !== undefined) lines.push(LINE, ...securityLines(meshed, mesh));
  return lines;
}

/** True if the selector of a service selects the pod. */
export function isServing({ metadata, spec }: Described<ServiceSpec>, pod: Pod): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  return metadata.namespace === pod.metadata.namespace && selector.length > 0 &&
    selector.every(([name, value]) => pod.metadata.labels?.[name] === value);
}

function serviceLines(
  { metadata: { name, namespace = "" }, spec }: Described<ServiceSpec>,
  pods: readonly Pod[],
  mesh: DescribedMesh,
): string[] {
  const host = hostOf({ metadata: { name, namespace } });
  const lines = [`Service: ${name}.${namespace}`];
  for (const port of spec?.ports ?? []) {
    const target = port.targetPort ?? port.port;
    const found = protocolOf(port);
    lines.push(
      `   Port: ${port.name ?? "(unnamed)"} ${port.port}/${found} targets pod port ${target}`,
    );
  }
  for (const rule of mesh.rules.filter((one) => isFor(one, one.spec?.host ?? "", host))) {
    lines.push(...ruleLines(rule, pods));
  }
  for (const route of mesh.routes) {
    if (!(route.spec?.hosts ?? []).some((one) => isFor(route, one, host))) continue;
    lines.push(...routeLines(route, host));
  }
  lines.push(...apiRouteLines(mesh.apiRoutes, { namespace, name }));
  return lines;
}

/** The host of a service. */
export function hostOf({ metadata: { name, namespace = "" } }: Described): string {
  return `${name}.${namespace}.${DOMAIN}`;
}

/** The protocol by `appProtocol` or the name of the port. */
function protocolOf(
  { name = "", appProtocol, protocol = "TCP" }: NonNullable<ServiceSpec["ports"]>[number],
): string {
  if (protocol === "UDP") return "UDP";
  const found = (appProtocol ?? name.split("-")[0] ?? "").toLowerCase();
  const known = [
    "http",
    "http2",
    "https",
    "grpc",
    "grpc-web",
    "tcp",
    "tls",
    "mongo",
    "mysql",
    "redis",
  ];
  return known.includes(found) ? found.toUpperCase() : "auto-detect";
}

function ruleLines(
  { metadata, spec }: Described<RuleSpec>,
  pods: readonly Pod[],
): string[] {
  const lines = [`DestinationRule: ${metadata.name}.${metadata.namespace} for "${spec?.host}"`];
  const subsets = spec?.subsets ?? [];
  const isMatching = (labels: Labels = {}): boolean =>
    pods.some((pod) => hasLabels(pod.metadata.labels ?? {}, labels));
  const matching = subsets.filter(({ labels }) => isMatching(labels)).map(({ name }) => name);
  const others = subsets.filter(({ labels }) => !isMatching(labels)).map(({ name }) => name);
  if (matching.length > 0) lines.push(`   Matching subsets: ${matching.join(", ")}`);
  if (others.length > 0) lines.push(`      (Non-matching subsets ${others.join(", ")})`);
  if (subsets.length > 0 && matching.length === 0) {
    lines.push("WARNING: no subset matches the labels of the pods");
  }
  const policy = Object.keys(spec?.trafficPolicy ?? {});
  lines.push(
    policy.length === 0 ? "   No Traffic Policy" : `   Traffic Policy: ${policy.join(", ")}`,
  );
  return lines;
}

function routeLines(route: Described<RouteSpec>, host: string): string[] {
  const { metadata, spec } = route;
  const lines = [`VirtualService: ${metadata.name}.${metadata.namespace}`];
  const gateways = (spec?.gateways ?? []).filter((one) => one !== "mesh");
  if (gateways.length > 0) lines.push(`   Gateways: ${gateways.join(", ")}`);
  for (
    const [kind, list] of [["HTTP", spec?.http], ["TCP", spec?.tcp], ["TLS", spec?.tls]] as const
  ) {
    if (list === undefined || list.length === 0) continue;
    lines.push(`   ${list.length} ${kind} route(s)`);
    const to = list.flatMap(({ route: targets = [] }) =>
      targets.map(({ destination }) => destination)
    );
    const away = to.filter((one) => !isFor(route, one?.host ?? "", host));
    if (to.length > 0 && away.length === to.length) {
      lines.push(`WARNING: no ${kind} route leads to ${host}`);
    }
  }
  return lines;
}

/** True if a host in an object means a service; names without a dot are of the object's namespace. */
function isFor({ metadata: { namespace = "" } }: Described, host: string, wanted: string): boolean {
  return host !== "" && covers(fullHost(host.toLowerCase(), namespace, "cluster.local"), wanted);
}

function securityLines(pod: Pod, { policies, settings, warnings }: DescribedMesh): string[] {
  const { modes, peers, access, tokens } = effectivePolicies(policies, settings, {
    role: isGateway(pod) ? "router" : "sidecar",
    namespace: pod.metadata.namespace ?? "",
    labels: pod.metadata.labels ?? {},
  });
  const lines = [
    ...warnings.map((text) => `WARNING: ${text}`),
    "Effective PeerAuthentication:",
    `   Workload mTLS mode: ${modes.mode.toUpperCase()}`,
  ];
  for (const [port, mode] of Object.entries(modes.ports)) {
    lines.push(`   Port ${port}: ${mode.toUpperCase()}`);
  }
  if (peers.length > 0) lines.push(`Applied PeerAuthentication: ${peers.join(", ")}`);
  if (tokens.length > 0) lines.push(`Applied RequestAuthentication: ${tokens.join(", ")}`);
  if (access.length > 0) {
    lines.push("Authorization policies:");
    for (const { action, name } of access) lines.push(`   ${action} ${name}`);
  }
  return lines;
}

/** True if the proxy of a pod is that of a gateway, as its arguments say. */
function isGateway({ spec }: Pod): boolean {
  const proxy = [...spec.containers, ...spec.initContainers ?? []].find(({ name }) =>
    name === PROXY_CONTAINER
  );
  return proxy?.args?.includes("router") ?? false;
}
