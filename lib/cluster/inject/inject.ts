/**
 * Injects the proxy into a pod.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type ProxyConfig,
  ProxyConfig_InboundInterceptionMode,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { defaultProxyConfig } from "../../mesh/schema/mod.ts";
import { checkAnnotations } from "./annotation_values.ts";
import { booleanOf } from "./booleans.ts";
import type { InjectionConfig } from "./config.ts";
import { checkContainers, checkSize, checkTemplateCount, renderBudget } from "./bounds.ts";
import { joinContainers, OVERRIDES, overridesText, withVariables } from "./containers.ts";
import { type DataInput, podData } from "./data.ts";
import { injectionFunctions, type TemplateVariables } from "./functions.ts";
import { strategicMerge } from "./merge.ts";
import {
  annotationsOf,
  type Container,
  type Json,
  labelsOf,
  type Pod,
  PROXY_CONTAINER,
  proxyOf,
} from "./objects.ts";
import { isOpenshift, namespaceIds, withoutPlatformIds } from "./openshift.ts";
import { ordered } from "./order.ts";
import { hasAgent, rewriteProbes, withEarlierProbes } from "./probes.ts";
import { renderPod } from "./render.ts";
import { mergedScrape, pointsToAgent } from "./scrape.ts";
import { earlierInjection, isInjected, STATUS, statusText, stripped } from "./status.ts";
import { isMap } from "../../kit/template/mod.ts";
import type { WorkloadMeta } from "./workload_meta.ts";

/** The annotation that names the templates of a pod, with commas. */
const TEMPLATES = "inject.mesh.io/templates";

/** Variables of the agent. */
const PROBERS = "MESH_ORCH_APP_PROBERS";
const NETWORK = "MESH_META_NETWORK";
const CLUSTER = "MESH_META_CLUSTER_ID";

/** The label with the network of a pod. */
const NETWORK_LABEL = "topology.mesh.io/network";

/** Settings of injection, and facts about the pod that it does not contain. */
export interface InjectionInput {
  readonly config: InjectionConfig;
  readonly mesh: MeshConfig;
  /** The settings of ProxyConfig objects for the pod; fields that none of them has are unset. */
  readonly settings?: ProxyConfig;
  /** Revision of the daemon; empty: `default`. */
  readonly revision: string;
  /** True: the proxy is a native sidecar, an init container that runs on. */
  readonly nativeSidecars: boolean;
  /** The value of `COMPLIANCE_POLICY`; empty: none. */
  readonly compliancePolicy: string;
  readonly workload: WorkloadMeta;
  /** Values of the daemon's variables, for the function `env` of templates. */
  readonly daemonVariable?: TemplateVariables;
  /** The platform of the cluster, such as `openshift`; empty: none that is treated differently. */
  readonly platform?: string;
  /** Annotations of the pod's namespace. */
  readonly namespaceAnnotations?: Readonly<Record<string, string>>;
  /** Variables of the proxy's container that the path of the webhook gives. */
  readonly variables?: readonly (readonly [name: string, value: string])[];
}

/**
 * Injects the proxy. For the templates, a pod that was injected before is as it was then; their result
 * is merged over the pod as it is, so that what the first injection noted in variables stays.
 *
 * @throws MeshError `inject-size`, `inject-annotation`, `inject-template` or `inject-result`
 *
 * @example
 * ```ts
 * import { defaultInjectionConfig, injectPod } from "./mod.ts";
 * import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
 *
 * const pod = { metadata: { name: "web" }, spec: { containers: [{ name: "web", image: "web:1" }] } };
 * const injected = injectPod(pod, {
 *   config: defaultInjectionConfig(),
 *   mesh: defaultMeshConfig(),
 *   revision: "",
 *   nativeSidecars: false,
 *   compliancePolicy: "",
 *   workload: { apiVersion: "v1", kind: "Pod", name: "web", namespace: "shop" },
 * });
 * console.log(injected.spec?.containers.map(({ name }) => name)); // mesh-proxy, web
 * ```
 */
export function injectPod(given: Pod, input: InjectionInput): Pod {
  if (given.spec === undefined || !Array.isArray(given.spec.containers)) {
    throw new MeshError("inject-result", "the pod has no spec.containers", {
      remedy: "Give the pod at least one container.",
    });
  }
  checkSize(given);
  checkAnnotations(given);
  const hasRanges = isOpenshift(input.platform, input.config.values);
  const pod = hasRanges ? withoutPlatformIds(given) : given;
  const { config, revision } = input;
  const dataInput: DataInput = {
    mesh: input.mesh,
    settings: input.settings,
    values: config.values,
    revision,
    compliancePolicy: input.compliancePolicy,
    ids: namespaceIds(hasRanges ? input.namespaceAnnotations ?? {} : {}),
  };
  const original = stripped(pod);
  checkContainers(original, `spec with metadata.annotations["${OVERRIDES}"]`);
  const { data, proxy } = podData(original, input.workload, dataInput);
  const functions = injectionFunctions(variablesOf(input));
  const budget = renderBudget();
  const template = templatesOf(pod, config)
    .map((name) => ({ name, definitions: config.templates.get(name)!, functions, budget }))
    .map((one) => renderPod(one, data))
    .reduce((a, b) => strategicMerge(a, b as Json), {} as Pod);
  const merged = mergePod(pod, template);
  return finish(asRoot(merged, proxy), { given: pod, template, proxy, input });
}

function variablesOf({ nativeSidecars, daemonVariable }: InjectionInput): TemplateVariables {
  return (name) =>
    name === "ENABLE_NATIVE_SIDECARS" ? String(nativeSidecars) : daemonVariable?.(name);
}

/** Names of the templates of a pod, with aliases replaced. */
export function templatesOf(pod: Pod, config: InjectionConfig): readonly string[] {
  const annotation = annotationsOf(pod)[TEMPLATES];
  const named = annotation === undefined
    ? config.defaultTemplates
    : annotation.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const where = annotation === undefined
    ? "config.defaultTemplates"
    : `metadata.annotations["${TEMPLATES}"]`;
  // A name counts once, where it stands first: a second time would change nothing.
  const names = [...new Set([...new Set(named)].flatMap((name) => aliased(name, config)))];
  checkTemplateCount(where, names.length);
  const unknown = names.find((name) => !config.templates.has(name));
  if (unknown !== undefined) {
    const known = [...config.templates.keys()].join(", ");
    throw new MeshError("inject-annotation", `${where}: there is no template ${unknown}`, {
      remedy: `Use one of: ${known}.`,
    });
  }
  return names;
}

function aliased(name: string, { aliases }: InjectionConfig): readonly string[] {
  return Object.hasOwn(aliases, name) ? aliases[name]! : [name];
}

/** The pod with the template merged over it; of shared containers, the user's values win. */
function mergePod(pod: Pod, template: Pod): Pod {
  const { containers: _, initContainers: __, ...templateSpec } = template.spec ??
    { containers: [] };
  const { containers: ___, initContainers: ____, ...podSpec } = pod.spec!;
  const earlier = earlierInjection(pod);
  const { spec, overrides } = joinContainers(
    pod.spec!,
    template.spec ?? { containers: [] },
    earlier,
  );
  const metadata = strategicMerge<Json>(pod.metadata ?? {}, template.metadata ?? {});
  // An earlier injection has recorded the user's values.
  const recorded = earlier === undefined ? overridesText(overrides) : undefined;
  return {
    ...pod,
    metadata: {
      ...metadata,
      annotations: {
        ...(isMap(metadata.annotations) ? metadata.annotations : {}) as Record<string, string>,
        ...recorded !== undefined && { [OVERRIDES]: recorded },
      },
    },
    spec: { ...strategicMerge<Json>(podSpec, templateSpec), ...spec },
  };
}

/**
 * With TPROXY the proxy needs a capability of root's: a user id of the pod's own container holds for the
 * rules of the capture alone.
 */
function asRoot(pod: Pod, proxy: ProxyConfig): Pod {
  const mode = annotationsOf(pod)["sidecar.mesh.io/interceptionMode"] ||
    ProxyConfig_InboundInterceptionMode[proxy.interceptionMode];
  if (mode !== "TPROXY") return pod;
  const change = (container: Container): Container => {
    if (container.name !== PROXY_CONTAINER || !isMap(container.securityContext)) return container;
    const securityContext = { ...container.securityContext, runAsUser: 0, runAsNonRoot: false };
    return { ...container, securityContext };
  };
  const { containers, initContainers } = pod.spec!;
  const spec = { containers: containers.map(change), initContainers: initContainers?.map(change) };
  return { ...pod, spec: { ...pod.spec, ...spec } };
}

/** The steps after the merge: probes, metrics, variables of the proxy, annotations, order. */
function finish(
  merged: Pod,
  { given, template, proxy, input }: {
    /** The pod before the merge. */
    readonly given: Pod;
    readonly template: Pod;
    readonly proxy: ProxyConfig;
    readonly input: InjectionInput;
  },
): Pod {
  const { config, mesh } = input;
  const places = placeVariables(given, input);
  const variables = [...places.values()];
  const meshPort = (mesh.defaultConfig ?? defaultProxyConfig()).statusPort;
  const ports = { own: statusPortOf(merged) ?? proxy.statusPort, mesh: meshPort };
  let pod = merged;
  if (hasAgent(pod) && ports.own !== 0 && rewrites(pod, config)) {
    const { pod: rewritten, table } = rewriteProbes(pod, ports);
    pod = rewritten;
    const all = withEarlierProbes(table, isInjected(given) ? valueOf(given, PROBERS) : undefined);
    if (Object.keys(all).length > 0) variables.push([PROBERS, JSON.stringify(all)]);
  }
  const scrape = mergedScrape(pod, {
    statusPort: meshPort,
    enabled: mesh.enablePrometheusMerge ?? true,
  });
  // Annotations of an earlier injection point to the agent, and the variable has the application's.
  const isKept = isInjected(given) && pointsToAgent(annotationsOf(given));
  if (scrape?.variable !== undefined && !isKept) {
    variables.push(["MESH_METRICS_ANNOTATIONS", scrape.variable]);
  }
  pod = withVariables(pod, PROXY_CONTAINER, variables);
  const network = places.get(NETWORK)?.[1];
  const labels = network === undefined
    ? pod.metadata?.labels
    : { ...pod.metadata?.labels, [NETWORK_LABEL]: network };
  pod = {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...labels !== undefined && { labels },
      annotations: {
        ...scrape?.annotations ?? annotationsOf(pod),
        [STATUS]: statusText(template, input.revision),
        // What an administrator demands of all pods holds against all else.
        ...config.injectedAnnotations,
      },
    },
  };
  return ordered(pod, holdsApplication(proxy, config));
}

/**
 * The variables of the path by their name, with network and cluster if they are known. A network comes
 * from the pod's label, else from the path, else from the values; a cluster from the path, else from the
 * values.
 */
function placeVariables(
  pod: Pod,
  { config, variables = [] }: InjectionInput,
): ReadonlyMap<string, readonly [name: string, value: string]> {
  const places = new Map(variables.map((one) => [one[0], one]));
  const global = isMap(config.values.global) ? config.values.global : {};
  const cluster = isMap(global.multiCluster) ? global.multiCluster.clusterName : undefined;
  const known: readonly (readonly [name: string, value: unknown])[] = [
    [NETWORK, labelsOf(pod)[NETWORK_LABEL] || places.get(NETWORK)?.[1] || global.network],
    [CLUSTER, places.get(CLUSTER)?.[1] || cluster],
  ];
  for (const [name, value] of known) {
    if (typeof value === "string" && value !== "") places.set(name, [name, value]);
    else places.delete(name);
  }
  return places;
}

/** The port that an annotation gives the agent; 0: the agent has none. */
function statusPortOf(pod: Pod): number | undefined {
  const text = annotationsOf(pod)["status.sidecar.mesh.io/port"];
  return text === undefined || text === "" ? undefined : Number(text);
}

/** The value of a variable of the proxy's container. */
function valueOf(pod: Pod, variable: string): string | undefined {
  return proxyOf(pod)?.env?.find(({ name }) => name === variable)?.value;
}

function rewrites(pod: Pod, { values }: InjectionConfig): boolean {
  const own = booleanOf(annotationsOf(pod)["sidecar.mesh.io/rewriteAppHTTPProbers"]);
  if (own !== undefined) return own;
  const webhook = values.sidecarInjectorWebhook;
  return isMap(webhook) && webhook.rewriteAppHTTPProbe === true;
}

function holdsApplication(proxy: ProxyConfig, { values }: InjectionConfig): boolean {
  const global = isMap(values.global) ? values.global : {};
  const settings = isMap(global.proxy) ? global.proxy : {};
  return proxy.holdApplicationUntilProxyStarts === true ||
    settings.holdApplicationUntilProxyStarts === true;
}
