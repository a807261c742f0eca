/**
 * The objects that a revision tag consists of. Pure.
 *
 * @module
 */
import type { OrchObject } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { EXCLUDED_NAMESPACES, INJECT_LABEL, type WebhookSelectors } from "../inject/mod.ts";

export const TAG_LABEL = "mesh.io/tag";
/** Label of a selector that selects nothing. */
export const DEACTIVATED_LABEL = "mesh.io/deactivated";
export const NAMESPACE_LABEL = "mesh-injection";
/** The tag and the revision of objects without a label of a revision. */
export const DEFAULT_TAG = "default";
/** The validation of objects without a label of a revision. */
export const DEFAULT_VALIDATOR = "meshd-default-validator";

/** The place where the API server finds the daemon. */
export interface ClientConfig {
  readonly caBundle?: string;
  readonly url?: string;
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    readonly path?: string;
    readonly port?: number;
  };
}

/** A webhook with the fields that tags copy. */
export interface Webhook extends WebhookSelectors {
  readonly clientConfig?: ClientConfig;
  readonly rules?: readonly unknown[];
  readonly failurePolicy?: string;
  readonly reinvocationPolicy?: string;
  readonly timeoutSeconds?: number;
  readonly sideEffects?: string;
  readonly admissionReviewVersions?: readonly string[];
}

/** A configuration of webhooks. */
export interface Configuration extends OrchObject {
  readonly webhooks?: readonly Webhook[];
}

/** Properties of a tag. */
export interface Tag {
  readonly name: string;
  readonly revision: string;
  /** Name of the configuration; empty: the usual one. */
  readonly webhookName: string;
  /** Namespaces without any label get the proxy. */
  readonly everywhere: boolean;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
}

const API = "admissionregistration.k8s.io/v1";

/** Groups of the objects that are validated. */
const VALIDATED_GROUPS = [
  ...["security.mesh.io", "networking.mesh.io", "telemetry.mesh.io", "extensions.mesh.io"],
];

/** Name of a tag's configuration. */
export function tagConfigurationName({ name, webhookName, meshNamespace }: Tag): string {
  const suffix = meshNamespace === "mesh-system" ? "" : `-${meshNamespace}`;
  return webhookName || `mesh-revision-tag-${name}${suffix}`;
}

/**
 * The configuration of injection of a tag. Its webhooks call what a webhook of the revision calls, for
 * namespaces and pods that name the tag.
 */
export function tagConfiguration(tag: Tag, injector: Webhook): Configuration {
  const common = withoutSelectors(injector);
  return {
    apiVersion: API,
    kind: "MutatingWebhookConfiguration",
    metadata: { name: tagConfigurationName(tag), labels: labelsOf(tag) },
    webhooks: selectorsOf(tag).map(({ name, ...selectors }) => ({
      ...common,
      name: `${name}.sidecar-injector.mesh.io`,
      ...selectors,
    })),
  };
}

/** The validation that belongs to the tag `default`, by the daemon that injects. */
export function defaultValidator(tag: Tag, client: ClientConfig): Configuration {
  const name = "validation.mesh.io";
  const rule = {
    operations: ["CREATE", "UPDATE"],
    apiGroups: VALIDATED_GROUPS,
    ...{ apiVersions: ["*"], resources: ["*"] },
  };
  return {
    apiVersion: API,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: DEFAULT_VALIDATOR, labels: { ...labelsOf(tag), app: "meshd" } },
    webhooks: [{
      name,
      clientConfig: atPath(client, "/validate"),
      rules: [rule],
      // The daemon changes it to Fail when the API server was seen to call it.
      failurePolicy: "Ignore",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      objectSelector: { matchExpressions: [absent(REVISION_LABEL)] },
    }],
  };
}

function labelsOf({ name, revision }: Tag): Record<string, string> {
  return {
    [TAG_LABEL]: name,
    [REVISION_LABEL]: revision,
    app: "sidecar-injector",
    "operator.mesh.io/component": "Pilot",
  };
}

/** The webhook without what the API server adds, and without what selects pods. */
function withoutSelectors(webhook: Webhook): Omit<Webhook, keyof WebhookSelectors> {
  const { name: _, namespaceSelector: _n, objectSelector: _o, ...rest } = webhook;
  return rest;
}

function atPath({ url, service, ...rest }: ClientConfig, path: string): ClientConfig {
  if (url === undefined) {
    return service === undefined ? rest : { ...rest, service: { ...service, path } };
  }
  const changed = new URL(url);
  changed.pathname = path;
  return { ...rest, url: changed.href };
}

const absent = (key: string) => ({ key, operator: "DoesNotExist" as const });
const one = (key: string, value: string) => ({ key, operator: "In" as const, values: [value] });
const not = (key: string, value: string) => ({ key, operator: "NotIn" as const, values: [value] });

type Expressions = NonNullable<
  NonNullable<WebhookSelectors["namespaceSelector"]>["matchExpressions"]
>;

function selectors(name: string, namespace: Expressions, object: Expressions): WebhookSelectors {
  return {
    name,
    namespaceSelector: { matchExpressions: namespace },
    objectSelector: { matchExpressions: object },
  };
}

/** Selectors of the pods that get the proxy: of namespaces with the label, and with the label themselves. */
function selectorsOf({ name, everywhere, meshNamespace }: Tag): readonly WebhookSelectors[] {
  const wanted = not(INJECT_LABEL, "false");
  const unlabelled = [absent(REVISION_LABEL), absent(NAMESPACE_LABEL)];
  const named = [
    selectors("rev.namespace", [one(REVISION_LABEL, name), absent(NAMESPACE_LABEL)], [wanted]),
    selectors("rev.object", unlabelled, [wanted, one(REVISION_LABEL, name)]),
  ];
  if (name !== DEFAULT_TAG) return named;
  return [
    ...named,
    selectors("namespace", [one(NAMESPACE_LABEL, "enabled")], [wanted]),
    selectors("object", unlabelled, [one(INJECT_LABEL, "true"), absent(REVISION_LABEL)]),
    ...everywhere
      ? [selectors(
        "auto",
        [...unlabelled, {
          key: "kubernetes.io/metadata.name",
          operator: "NotIn",
          // The daemon itself must not wait for its webhook.
          values: [...EXCLUDED_NAMESPACES, meshNamespace],
        }],
        [absent(INJECT_LABEL), absent(REVISION_LABEL)],
      )]
      : [],
  ];
}

/** A configuration whose webhooks select nothing. */
export function deactivated(configuration: Configuration): Configuration {
  const selector = { matchLabels: { [DEACTIVATED_LABEL]: "never-match" } };
  const { metadata, webhooks = [] } = configuration;
  return {
    ...configuration,
    metadata: { ...metadata, labels: { ...metadata.labels, [DEACTIVATED_LABEL]: "never-match" } },
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      namespaceSelector: selector,
      objectSelector: selector,
    })),
  };
}

/** True if the webhooks of a configuration select nothing, as {@linkcode deactivated} makes them. */
export function isDeactivated({ webhooks = [] }: Configuration): boolean {
  return webhooks.length > 0 &&
    webhooks.every(({ namespaceSelector }) =>
      namespaceSelector?.matchLabels?.[DEACTIVATED_LABEL] !== undefined
    );
}

/** True for a configuration that injects into namespaces and pods without a label of a revision. */
export function isDefaultInjector(configuration: Configuration): boolean {
  const { labels = {} } = configuration.metadata;
  return labels[REVISION_LABEL] === DEFAULT_TAG && labels[TAG_LABEL] === undefined &&
    !isDeactivated(configuration);
}
