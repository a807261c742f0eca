import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import {
  EXCLUDED_NAMESPACES,
  type InjectionConfig,
  injectObject,
  STATUS,
  webhookFor,
} from "../inject/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { getObject, listAll, OrchError, type OrchObject, types } from "../../kit/orch/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../mesh/schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { injectionConfigOf, injectorsOf } from "./check_inject.ts";
import type { InjectedPod, InjectorCluster } from "./cluster.ts";
import { forEveryPod } from "./orch_inject.ts";
import { revisionOfInjector, type WebhookConfig } from "./injectors.ts";

export interface ProxyCluster extends InjectorCluster {
  /** All pods with a proxy. */
  readonly proxies: () => Promise<readonly InjectedPod[]>;
}

/** Lists the namespaces with their injectors and the revisions of their proxies, and the injectors. */
export async function injectorList(call: Invocation, cluster: ProxyCluster): Promise<number> {
  const injectors = await injectorsOf(cluster);
  const namespaces = (await listAll<OrchObject>(cluster.client, types.NAMESPACE))
    .filter(({ metadata: { name } }) => !EXCLUDED_NAMESPACES.includes(name));
  const pods = Map.groupBy(await cluster.proxies(), ({ metadata }) => metadata.namespace ?? "");
  const users = new Map<WebhookConfig, string[]>();
  const rows: string[][] = [];
  for (const { metadata: { name, labels = {} } } of namespaces) {
    const injector = injectors.find(({ webhooks = [] }) =>
      webhookFor(webhooks, { namespace: labels, pod: {} }) !== undefined
    );
    const own = pods.get(name) ?? [];
    if (injector === undefined && own.length === 0) continue;
    if (injector !== undefined) users.set(injector, [...users.get(injector) ?? [], name]);
    const revision = injector === undefined ? "-" : revisionOfInjector(injector);
    rows.push([name, revision, podRevisions(own)]);
  }
  const { io } = call;
  if (rows.length === 0) io.out("No namespace is injected, and no pod has a proxy.\n");
  else io.out(tableText(["NAMESPACE", "MESH-REVISION", "POD-REVISIONS"], rows));
  if (injectors.length === 0) {
    io.out("\nThere are no injectors in the cluster.\n");
    return 0;
  }
  const hooks: string[][] = [];
  for (const injector of injectors) {
    const revision = revisionOfInjector(injector);
    const image = injectedImage(
      await injectionConfigOf(cluster, revision),
      await meshOf(cluster, revision),
    );
    const list = (users.get(injector) ?? []).join(",") || "-";
    hooks.push([list, injector.metadata.name, revision, image]);
  }
  const head = ["NAMESPACES", "INJECTOR-HOOK", "MESH-REVISION", "SIDECAR-IMAGE"];
  io.out(`\n${tableText(head, hooks)}`);
  return 0;
}

/** Numbers of pods by the revision that injected them, such as `default: 3, canary: 1`. */
function podRevisions(pods: readonly InjectedPod[]): string {
  const counts = new Map<string, number>();
  for (const { metadata: { annotations, labels } } of pods) {
    const revision = revisionOf(annotations?.[STATUS]) ?? labels?.[REVISION_LABEL] ?? "unknown";
    counts.set(revision, (counts.get(revision) ?? 0) + 1);
  }
  return [...counts].map(([revision, count]) => `${revision}: ${count}`).join(", ") || "-";
}

/** The revision in the annotation that an injector writes. */
function revisionOf(status: string | undefined): string | undefined {
  try {
    const { revision } = JSON.parse(status ?? "{}");
    return typeof revision === "string" && revision !== "" ? revision : undefined;
  } catch {
    return undefined;
  }
}

/** The pod that is injected to see which image its proxy gets. */
const SAMPLE_POD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "sample" },
  spec: { containers: [{ name: "app", image: "app" }] },
};

/** The name by which injection knows the container of the proxy. */
const PROXY_CONTAINER = "mesh-proxy";

/**
 * The image that the injector gives to the proxy of a pod without settings of its own; `unknown` if it
 * gives none.
 */
export function injectedImage(config: InjectionConfig, mesh: MeshConfig): string {
  const { object } = injectObject(structuredClone(SAMPLE_POD), {
    config: forEveryPod(config),
    mesh,
    revision: "default",
    nativeSidecars: false,
    compliancePolicy: "",
  }, "default");
  const { spec = {} } = object as {
    readonly spec?: Readonly<Record<string, readonly Container[] | undefined>>;
  };
  return [...spec.containers ?? [], ...spec.initContainers ?? []]
    .find(({ name }) => name === PROXY_CONTAINER)?.image ?? "unknown";
}

interface Container {
  readonly name: string;
  readonly image?: string;
}

/** The mesh configuration of a revision; the built-in one without a ConfigMap, or if it is invalid. */
async function meshOf(
  { client, meshNamespace: namespace }: InjectorCluster,
  revision: string,
): Promise<MeshConfig> {
  const name = `mesh${revision === "default" ? "" : `-${revision}`}`;
  try {
    const { data } = await getObject<OrchObject & { readonly data?: { readonly mesh?: string } }>(
      client,
      types.CONFIG_MAP,
      { namespace, name },
    );
    return parseMeshConfig(data?.mesh ?? "", name, defaultMeshConfig()).value ??
      defaultMeshConfig();
  } catch (error) {
    if (error instanceof OrchError && [403, 404].includes(error.status)) return defaultMeshConfig();
    throw error;
  }
}
