import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, tableText, usageError } from "../../kit/cli/mod.ts";
import {
  type DecisionRules,
  defaultInjectionConfig,
  type InjectionConfig,
  parseInjectionConfig,
} from "../inject/mod.ts";
import {
  getObject,
  isNotFound,
  listAll,
  OrchError,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import type { InjectedPod, InjectorCluster } from "./cluster.ts";
import {
  injectorVerdict,
  isInjector,
  type JudgedPod,
  revisionOfInjector,
  type WebhookConfig,
} from "./injectors.ts";

export interface PodCluster extends InjectorCluster {
  readonly podNamed: (name: string) => Promise<InjectedPod>;
}

/** Shows for each injector if it puts the proxy into a pod, and why. */
export async function checkInject(call: Invocation, cluster: PodCluster): Promise<number> {
  const pod = await judgedPod(call, cluster);
  const rows: string[][] = [];
  for (const config of await injectorsOf(cluster)) {
    const rules = await injectionConfigOf(cluster, revisionOfInjector(config));
    const { webhook, revision, injected, reason } = injectorVerdict(config, pod, rules);
    rows.push([webhook, revision, injected ? "✔" : "✘", reason]);
  }
  if (rows.length === 0) {
    call.io.err("There are no injectors in the cluster; no pod gets a proxy.\n");
    return 0;
  }
  call.io.out(tableText(["WEBHOOK", "REVISION", "INJECTED", "REASON"], rows));
  return 0;
}

/** The pod that is named, or a pod with the labels of `--labels` in the namespace. */
async function judgedPod(
  { command, flags, args: [given] }: Invocation,
  cluster: PodCluster,
): Promise<JudgedPod> {
  const text = flags.string("labels");
  if ((given === undefined) === (text === "")) {
    throw usageError(
      `${command} needs a pod, or --labels`,
      `For example: ${command} web-1.shop, or ${command} -n shop --labels app=web.`,
    );
  }
  if (given === undefined) {
    const namespaceName = cluster.namespace;
    const namespace = await namespaceLabels(cluster, namespaceName);
    return { namespaceName, namespace, pod: parsedLabels(text) };
  }
  const { metadata, spec } = await cluster.podNamed(given);
  const namespaceName = metadata.namespace ?? "";
  return {
    namespaceName,
    namespace: await namespaceLabels(cluster, namespaceName),
    pod: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    hostNetwork: spec.hostNetwork ?? false,
  };
}

function parsedLabels(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(",").map((one) => {
      const equals = one.indexOf("=");
      if (equals > 0 && !one.includes("=", equals + 1)) {
        return [one.slice(0, equals).trim(), one.slice(equals + 1).trim()];
      }
      throw usageError(`--labels: ${JSON.stringify(one)} is no label`, "Write NAME=VALUE,….");
    }),
  );
}

async function namespaceLabels(
  { client }: InjectorCluster,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  try {
    const { metadata } = await getObject<OrchObject>(client, types.NAMESPACE, { name });
    return metadata.labels ?? {};
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new MeshError("namespace-unknown", printable(`there is no namespace ${name}`), {
      remedy: "Check --namespace, or the part of the name after the dot.",
    });
  }
}

/** The injectors of a cluster, by name. */
export async function injectorsOf({ client }: InjectorCluster): Promise<readonly WebhookConfig[]> {
  const all = await listAll<WebhookConfig>(client, types.MUTATING_WEBHOOKS);
  return all.filter(isInjector)
    .toSorted((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
}

/** The configuration of a revision's injector; the built-in one without a ConfigMap. */
export async function injectionConfigOf(
  { client, meshNamespace: namespace }: InjectorCluster,
  revision: string,
): Promise<InjectionConfig & DecisionRules> {
  const name = `mesh-sidecar-injector${revision === "default" ? "" : `-${revision}`}`;
  try {
    const { data = {} } = await getObject<
      OrchObject & { readonly data?: Readonly<Record<string, string>> }
    >(client, types.CONFIG_MAP, { namespace, name });
    return parseInjectionConfig({ config: data.config ?? "", values: data.values ?? "" });
  } catch (error) {
    if (error instanceof OrchError && error.status === 404) return defaultInjectionConfig();
    throw error;
  }
}
