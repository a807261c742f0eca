/**
 * A small installation made by hand, and what pods and daemons do where there is no node: pods become
 * ready, and webhooks get an authority.
 *
 * @module
 */
import { sleep } from "../../lib/kit/async/mod.ts";
import {
  getObject,
  isConflict,
  isNotFound,
  listAll,
  type ListItem,
  mergePatch,
  type OrchClient,
  type OrchObject,
  replaceObject,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";
import {
  COMPONENT_LABEL,
  type Installation,
  MANAGED_LABEL,
  OWNER_LABEL,
  readKinds,
  type Report,
  VERSION_LABEL,
} from "../../lib/cluster/installer/mod.ts";
import { resourceDefinitions } from "../../lib/mesh/schema/mod.ts";

/** Settings of {@linkcode smallInstallation}. */
export interface SmallOptions {
  /** Default `default`. */
  readonly revision?: string;
  readonly version?: string;
  /** Value in the ConfigMap. */
  readonly text?: string;
  /** False: without the ConfigMap `extra`. */
  readonly withExtra?: boolean;
  /** False: without a gateway. */
  readonly withGateway?: boolean;
}

const SYSTEM = "mesh-system";
/** The validation of objects without a revision. */
const VALIDATOR = "meshd-default-validator";

type Fields = Readonly<Record<string, unknown>>;

function made(
  component: string,
  { revision = "default", version = "0.1.0" }: SmallOptions,
): (apiVersion: string, kind: string, name: string, fields?: Fields) => OrchObject {
  return (apiVersion, kind, name, fields = {}) => {
    const isShared = kind.startsWith("Cluster") || kind.endsWith("Configuration") ||
      kind === "CustomResourceDefinition";
    return {
      apiVersion,
      kind,
      metadata: {
        name,
        ...isShared ? {} : { namespace: SYSTEM },
        labels: {
          [OWNER_LABEL]: "installed-state",
          [COMPONENT_LABEL]: component,
          [MANAGED_LABEL]: "Reconcile",
          [VERSION_LABEL]: version,
          ...component === "Base" ? {} : { "mesh.io/rev": revision },
        },
      },
      ...fields,
    };
  };
}

/** Definitions, a control plane with its webhook and autoscaler, and a gateway. */
export function smallInstallation(options: SmallOptions = {}): Installation {
  const { revision = "default", version = "0.1.0" } = options;
  const definitions = resourceDefinitions(() => "").filter(({ spec }) =>
    ["Gateway", "Sidecar"].includes(spec.names.kind)
  );
  const base = made("Base", options);
  const components = [
    {
      component: "Base",
      objects: [
        ...definitions.map(({ apiVersion, kind, metadata, ...rest }) =>
          base(apiVersion, kind, metadata.name, rest)
        ),
        base("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", VALIDATOR, {
          webhooks: [{
            name: "validation.mesh.io",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            failurePolicy: "Ignore",
            clientConfig: {
              service: { name: "meshd", namespace: SYSTEM, path: "/validate", port: 443 },
            },
            objectSelector: { matchLabels: { nobody: "" } },
          }],
        }),
      ],
    },
    { component: "Pilot", objects: pilotObjects(options) },
    ...options.withGateway === false
      ? []
      : [{ component: "IngressGateways", objects: gatewayObjects(options) }],
  ];
  return {
    ...{ revision, version, namespace: SYSTEM },
    components: components.map((one) => ({ ...one, name: "", namespace: SYSTEM })),
  };
}

function pilotObjects(options: SmallOptions): OrchObject[] {
  const { revision = "default", text = "one", withExtra = true } = options;
  const object = made("Pilot", options);
  const name = revision === "default" ? "meshd" : `meshd-${revision}`;
  const rbac = "rbac.authorization.k8s.io/v1";
  return [
    // Webhooks come first here, so that only the order of the installer puts them last.
    object("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", `injector-${name}`, {
      webhooks: [{
        name: "namespace.sidecar-injector.mesh.io",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        clientConfig: { service: { name, namespace: SYSTEM, path: "/inject", port: 443 } },
        namespaceSelector: { matchLabels: { "mesh.io/rev": "nobody" } },
      }],
    }),
    object("apps/v1", "Deployment", name, workload(name, `registry.invalid/pilot:${text}`)),
    object("autoscaling/v2", "HorizontalPodAutoscaler", name, {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        ...{ minReplicas: 1, maxReplicas: 5 },
      },
    }),
    object("v1", "Service", name, {
      spec: { selector: { app: name }, ports: [{ name: "webhook", port: 443 }] },
    }),
    object(rbac, "ClusterRoleBinding", name, {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: SYSTEM }],
    }),
    object(rbac, "ClusterRole", name, {
      rules: [{ apiGroups: [""], resources: ["services"], verbs: ["list"] }],
    }),
    object("v1", "ConfigMap", name, { data: { text } }),
    ...withExtra ? [object("v1", "ConfigMap", `${name}-extra`, { data: { text: "extra" } })] : [],
    object("v1", "ServiceAccount", name),
  ];
}

function gatewayObjects(options: SmallOptions): OrchObject[] {
  const { revision = "default" } = options;
  const object = made("IngressGateways", options);
  const name = revision === "default" ? "gateway" : `gateway-${revision}`;
  return [
    object("v1", "ServiceAccount", name),
    object("apps/v1", "Deployment", name, workload(name, "registry.invalid/proxy:one")),
  ];
}

function workload(name: string, image: string): Fields {
  return {
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { serviceAccountName: name, containers: [{ name: "main", image }] },
      },
    },
  };
}

/** A report that keeps what it is told. */
export function keptReport(): Report & { readonly lines: string[] } {
  const lines: string[] = [];
  const marks: string[] = [];
  return {
    lines,
    step: (text) => void lines.push(text),
    pass: () => {},
    say: (text) => void lines.push(text),
    installed: (components) => void lines.push(`installed ${components.join()}`),
    mark: (name) => void marks.push(name),
    timeLine: () => marks,
    [Symbol.dispose]: () => {},
  };
}

/** Time between two looks, in milliseconds. */
const PAUSE_MS = 100;

/** Settings of {@linkcode actAsNode}. */
export interface NodeActions {
  /** The status of a new pod; `undefined`: it does not change. */
  readonly status?: (pod: OrchObject) => Fields | undefined;
}

/** Does what nodes and daemons do, until it is disposed. */
export function actAsNode(client: OrchClient, actions: NodeActions = {}): AsyncDisposable {
  const stop = new AbortController();
  const { status = () => READY } = actions;
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      for (const pod of await listAll<OrchObject & { status?: Fields }>(client, types.POD)) {
        const next = status(pod);
        if (next === undefined || pod.status?.phase === next.phase) continue;
        await mergePatch(client, types.POD, { ...pod.metadata, subresource: "status" }, {
          status: next,
        }).catch(unlessChanged);
      }
      await serveWebhooks(client);
      await sleep(PAUSE_MS, stop.signal);
    }
  };
  const done = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}

const READY: Fields = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True" }, { type: "ContainersReady", status: "True" }],
};

interface Configuration extends OrchObject {
  readonly webhooks?: readonly {
    readonly failurePolicy?: string;
    readonly clientConfig: { readonly caBundle?: string };
  }[];
}

async function serveWebhooks(client: OrchClient): Promise<void> {
  await serveWebhooksOf(client, types.MUTATING_WEBHOOKS);
  await serveWebhooksOf(client, types.VALIDATING_WEBHOOKS);
}

async function serveWebhooksOf(client: OrchClient, type: ResourceType): Promise<void> {
  for (const { metadata } of await listAll<ListItem>(client, type)) {
    const found = await getObject<Configuration>(client, type, metadata).catch(unlessChanged);
    const { webhooks = [] } = found ?? {};
    if (found === undefined || webhooks.every((one) => one.clientConfig.caBundle)) continue;
    const next = {
      ...found,
      webhooks: webhooks.map((one) => ({
        ...one,
        failurePolicy: "Fail",
        clientConfig: { ...one.clientConfig, caBundle: btoa(AUTHORITY) },
      })),
    };
    await replaceObject(client, type, next).catch(unlessChanged);
  }
}

/** The server checks only the form of an authority. */
const AUTHORITY = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

function unlessChanged(error: unknown): undefined {
  if (!isConflict(error) && !isNotFound(error)) throw error;
  return undefined;
}

/** All objects of a cluster with their versions, without events and what the orchestrator renews. */
export async function objectVersions(client: OrchClient): Promise<Map<string, string>> {
  const { types: all } = await readKinds(client).all();
  const found = new Map<string, string>();
  for (const type of all) {
    if (["Event", "Endpoints", "EndpointSlice"].includes(type.kind)) continue;
    for (const { metadata } of await listAll<ListItem>(client, type)) {
      const { namespace = "", name, resourceVersion = "", deletionTimestamp } = metadata;
      if (type.kind === "Lease" && namespace === "kube-system") continue;
      if (deletionTimestamp !== undefined) continue;
      found.set(`${type.plural}.${type.group} ${namespace}/${name}`, resourceVersion);
    }
  }
  return found;
}
