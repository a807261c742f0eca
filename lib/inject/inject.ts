/**
 * Injects the proxy into a pod.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type ProxyConfig,
  ProxyConfig_InboundInterceptionMode,
} from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { checkAnnotations } from "./annotation_values.ts";
import type { InjectionConfig } from "./config.ts";
import { joinContainers, OVERRIDES, overridesText, withVariables } from "./containers.ts";
import { type DataInput, podData } from "./data.ts";
import { injectionFunctions, type TemplateVariables } from "./functions.ts";
import { strategicMerge } from "./merge.ts";
import { annotationsOf, type Container, type Json, type Pod, PROXY_CONTAINER } from "./objects.ts";
import { ordered } from "./order.ts";
import { hasAgent, rewriteProbes } from "./probes.ts";
import { renderPod } from "./render.ts";
import { mergedScrape } from "./scrape.ts";
import { STATUS, statusText, stripped } from "./status.ts";
import { isMap } from "./template/mod.ts";
import type { WorkloadMeta } from "./workload_meta.ts";

/** The annotation that names the templates of a pod, with commas. */
const TEMPLATES = "inject.mesh.io/templates";

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
  readonly namespaceAnnotations?: Readonly<Record<string, string>>;
  /** Variables of the proxy's container that the path of the webhook gives. */
  readonly variables?: readonly (readonly [name: string, value: string])[];
}

/**
 * Injects the proxy. A pod that was injected before is stripped first, so that the result of a second
 * injection is that of the first.
 *
 * @throws MeshError `inject-annotation`, `inject-template` or `inject-result`
 */
export function injectPod(given: Pod, input: InjectionInput): Pod {
  const pod = stripped(given);
  if (pod.spec === undefined || !Array.isArray(pod.spec.containers)) {
    throw new MeshError("inject-result", "the pod has no spec.containers", {
      remedy: "Give the pod at least one container.",
    });
  }
  checkAnnotations(pod);
  const { config, revision } = input;
  const dataInput: DataInput = {
    mesh: input.mesh,
    settings: input.settings,
    values: config.values,
    revision,
    compliancePolicy: input.compliancePolicy,
    namespaceAnnotations: input.namespaceAnnotations ?? {},
  };
  const { data, proxy } = podData(pod, input.workload, dataInput);
  const functions = injectionFunctions(variablesOf(input));
  const template = templatesOf(pod, config)
    .map((name) => renderPod({ name, definitions: config.templates.get(name)!, functions }, data))
    .reduce((a, b) => strategicMerge(a, b as Json), {} as Pod);
  const merged = mergePod(pod, template, config);
  return finish(asRoot(merged, proxy), { template, proxy, input });
}

function variablesOf({ nativeSidecars }: InjectionInput): TemplateVariables {
  return { ENABLE_NATIVE_SIDECARS: String(nativeSidecars) };
}

/** Names of the templates of a pod, with aliases replaced. */
export function templatesOf(pod: Pod, config: InjectionConfig): readonly string[] {
  const annotation = annotationsOf(pod)[TEMPLATES];
  const named = annotation === undefined
    ? config.defaultTemplates
    : annotation.split(",").map((name) => name.trim()).filter((name) => name !== "");
  const names = named.flatMap((name) => config.aliases[name] ?? [name]);
  const unknown = names.find((name) => !config.templates.has(name));
  if (unknown !== undefined) {
    const known = [...config.templates.keys()].join(", ");
    const where = annotation === undefined
      ? "config.defaultTemplates"
      : `metadata.annotations["${TEMPLATES}"]`;
    throw new MeshError("inject-annotation", `${where}: there is no template ${unknown}`, {
      remedy: `Use one of: ${known}.`,
    });
  }
  return names;
}

/** The user's pod with the template merged over it; of shared containers, the user's values win. */
function mergePod(pod: Pod, template: Pod, config: InjectionConfig): Pod {
  const { containers: _, initContainers: __, ...templateSpec } = template.spec ??
    { containers: [] };
  const { containers: ___, initContainers: ____, ...podSpec } = pod.spec!;
  const { spec, overrides } = joinContainers(pod.spec!, template.spec ?? { containers: [] });
  const metadata = strategicMerge<Json>(pod.metadata ?? {}, template.metadata ?? {});
  const recorded = overridesText(overrides);
  return {
    ...pod,
    metadata: {
      ...metadata,
      annotations: {
        ...(isMap(metadata.annotations) ? metadata.annotations : {}) as Record<string, string>,
        ...config.injectedAnnotations,
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

/** The steps after the merge: metrics, probes, variables of the path, status, order. */
function finish(
  merged: Pod,
  { template, proxy, input }: {
    readonly template: Pod;
    readonly proxy: ProxyConfig;
    readonly input: InjectionInput;
  },
): Pod {
  const { config, mesh } = input;
  const statusPort = statusPortOf(merged, proxy);
  const variables = [...input.variables ?? []];
  const added: Record<string, string> = {};
  let pod = merged;
  if (hasAgent(pod)) {
    if (rewrites(pod, config)) {
      const { pod: rewritten, table } = rewriteProbes(pod, statusPort);
      pod = rewritten;
      if (Object.keys(table).length > 0) {
        variables.push(["MESH_ORCH_APP_PROBERS", JSON.stringify(table)]);
      }
    }
  }
  const enabled = mesh.enablePrometheusMerge ?? true;
  const scrape = mergedScrape(pod, { statusPort, enabled });
  if (scrape !== undefined) {
    Object.assign(added, scrape.annotations);
    if (scrape.variable !== undefined) {
      variables.push(["MESH_METRICS_ANNOTATIONS", scrape.variable]);
    }
  }
  added[STATUS] = statusText(template, input.revision);
  const network = variables.find(([name]) => name === "MESH_META_NETWORK")?.[1];
  pod = withVariables(pod, PROXY_CONTAINER, variables);
  pod = {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...network !== undefined && {
        labels: { ...pod.metadata?.labels, "topology.mesh.io/network": network },
      },
      annotations: { ...annotationsOf(pod), ...added },
    },
  };
  return ordered(pod, holdsApplication(proxy, config));
}

/** The agent's port, which probes and collectors of metrics ask. */
function statusPortOf(pod: Pod, proxy: ProxyConfig): number {
  const text = annotationsOf(pod)["status.sidecar.mesh.io/port"];
  return text === undefined || text === "" ? proxy.statusPort : Number(text);
}

function rewrites(pod: Pod, { values }: InjectionConfig): boolean {
  const own = annotationsOf(pod)["sidecar.mesh.io/rewriteAppHTTPProbers"];
  if (own === "true" || own === "false") return own === "true";
  const webhook = values.sidecarInjectorWebhook;
  return isMap(webhook) && webhook.rewriteAppHTTPProbe === true;
}

function holdsApplication(proxy: ProxyConfig, { values }: InjectionConfig): boolean {
  const global = isMap(values.global) ? values.global : {};
  const settings = isMap(global.proxy) ? global.proxy : {};
  return proxy.holdApplicationUntilProxyStarts === true ||
    settings.holdApplicationUntilProxyStarts === true;
}
