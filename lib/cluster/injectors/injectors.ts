/**
 * Injectors of a cluster, and their answers about pods. Pure.
 *
 * @module
 */
import {
  decide,
  type DecisionRules,
  INJECT_LABEL,
  type PodLabels,
  webhookFor,
  type WebhookSelectors,
} from "../inject/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";

const NAMESPACE_LABEL = "mesh-injection";
/** The label of a webhook that was replaced and selects nothing. */
const DEACTIVATED_LABEL = "mesh.io/deactivated";
/** The path of a webhook that injects the proxy. */
const INJECT_PATH = /^\/inject(\/|$)/;

/** A configuration of mutating webhooks. */
export interface WebhookConfig {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly webhooks?: readonly (WebhookSelectors & {
    readonly clientConfig?: {
      readonly url?: string;
      readonly service?: { readonly path?: string };
    };
  })[];
}

/** The parts of a pod that decide. */
export interface JudgedPod extends PodLabels {
  readonly namespaceName: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly hostNetwork?: boolean;
}

/** An injector's answer about a pod. */
export interface InjectorVerdict {
  readonly webhook: string;
  readonly revision: string;
  readonly injected: boolean;
  readonly reason: string;
}

/** True for webhooks that inject the proxy of the mesh. */
export function isInjector({ metadata, webhooks = [] }: WebhookConfig): boolean {
  return metadata.labels?.app === "sidecar-injector" ||
    webhooks.some((webhook) => injectPathOf(webhook) !== undefined);
}

/** The path of a webhook, if it injects the proxy. */
export function injectPathOf(
  { clientConfig }: NonNullable<WebhookConfig["webhooks"]>[number],
): string | undefined {
  const url = clientConfig?.url;
  const path = clientConfig?.service?.path ??
    (url !== undefined && URL.canParse(url) ? new URL(url).pathname : "");
  return INJECT_PATH.test(path) ? path : undefined;
}

export function revisionOfInjector({ metadata }: WebhookConfig): string {
  return metadata.labels?.[REVISION_LABEL] ?? "default";
}

/**
 * Decides if an injector puts the proxy into a pod: first the orchestrator's selection, then the
 * injector's own rules.
 *
 * @param rules of the injector's configuration
 */
export function injectorVerdict(
  config: WebhookConfig,
  pod: JudgedPod,
  rules: DecisionRules,
): InjectorVerdict {
  const revision = revisionOfInjector(config);
  const named = { webhook: config.metadata.name, revision };
  const called = webhookFor(config.webhooks ?? [], pod);
  if (called === undefined) {
    return { ...named, injected: false, reason: whyNotCalled(config, pod, revision) };
  }
  const decision = decide(
    {
      metadata: { labels: pod.pod, annotations: pod.annotations ?? {} },
      spec: { hostNetwork: pod.hostNetwork ?? false, containers: [] },
    },
    pod.namespaceName,
    rules,
  );
  if (!decision.inject) return { ...named, injected: false, reason: sentence(decision.reason) };
  return { ...named, injected: true, reason: whyCalled(called, pod, revision) };
}

function whyCalled(
  webhook: WebhookSelectors,
  { namespace, pod }: PodLabels,
  revision: string,
): string {
  const label = [REVISION_LABEL, revision] as const;
  const ofNamespace = [namespace, webhook.namespaceSelector] as const;
  const ofPod = [pod, webhook.objectSelector] as const;
  const candidates = [
    ["Namespace", ...ofNamespace, NAMESPACE_LABEL, "enabled"],
    ["Namespace", ...ofNamespace, ...label],
    ["Pod", ...ofPod, INJECT_LABEL, "true"],
    ["Pod", ...ofPod, ...label],
  ] as const;
  const found = candidates.find(([, labels, selector, name, value]) =>
    labels[name] === value && wants(selector, name)
  );
  if (found === undefined) return "The selectors of the webhook match";
  const [where, , , name, value] = found;
  return `${where} label ${name}=${value} matches`;
}

/** True if a selector requires a label to be there. */
function wants(selector: WebhookSelectors["namespaceSelector"], name: string): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return Object.hasOwn(matchLabels, name) ||
    matchExpressions.some(({ key, operator }) =>
      key === name && (operator === "In" || operator === "Exists")
    );
}

function whyNotCalled(
  { webhooks = [] }: WebhookConfig,
  labels: PodLabels,
  revision: string,
): string {
  const { namespace, pod } = labels;
  const isDeactivated = webhooks.length > 0 &&
    webhooks.every(({ namespaceSelector }) =>
      namespaceSelector?.matchLabels?.[DEACTIVATED_LABEL] !== undefined
    );
  if (isDeactivated) return "The injection webhook is deactivated, and never matches";
  if (namespace[NAMESPACE_LABEL] === "disabled") {
    return `Namespace has the label ${NAMESPACE_LABEL}=disabled, which prevents injection`;
  }
  // Without its labels, would the pod be injected? Then one of them prevents it.
  const isByNamespace = webhookFor(webhooks, { namespace, pod: {} }) !== undefined;
  const preventing = [INJECT_LABEL, REVISION_LABEL].find((name) => pod[name] !== undefined);
  if (isByNamespace && preventing !== undefined) {
    return `Pod has the label ${preventing}=${pod[preventing]}, which prevents injection`;
  }
  const isDefault = revision === "default";
  const ofNamespace = [
    `${REVISION_LABEL}=${revision}`,
    ...isDefault ? [`${NAMESPACE_LABEL}=enabled`] : [],
  ];
  const ofPod = [`${REVISION_LABEL}=${revision}`, ...isDefault ? [`${INJECT_LABEL}=true`] : []];
  return `No matching namespace labels (${ofNamespace.join(", ")}) or pod labels (${
    ofPod.join(", ")
  })`;
}

function sentence(reason: string): string {
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
