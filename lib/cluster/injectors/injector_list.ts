import { type Invocation, tableText } from "../../kit/cli/mod.ts";
import { EXCLUDED_NAMESPACES, type InjectionConfig, STATUS, webhookFor } from "../inject/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { listAll, type OrchObject, types } from "../../kit/orch/mod.ts";
import { injectionConfigOf, injectorsOf } from "./check_inject.ts";
import type { InjectedPod, InjectorCluster } from "./cluster.ts";
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
    const image = imageOf(await injectionConfigOf(cluster, revision));
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

/** The image of the proxy in the values of an injector. */
function imageOf({ values }: InjectionConfig): string {
  const global = mapOf(mapOf(values).global);
  const proxy = mapOf(global.proxy);
  const image = String(proxy.image ?? "dataproxy");
  return image.includes("/") ? image : `${global.hub ?? ""}/${image}:${global.tag ?? ""}`;
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
