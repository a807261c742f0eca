/**
 * The users of a revision, or of the whole mesh: proxies, namespaces, tags.
 *
 * @module
 */
import {
  listAll,
  type ListItem,
  type OrchClient,
  type OrchObject,
  types,
} from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { namespacesOf, TAG_LABEL } from "../revision_tags/mod.ts";
import { forEach } from "./each.ts";
import type { Kinds } from "./kinds.ts";
import { definitionsOf } from "./definitions.ts";
import { COMPONENT_LABEL, nameOf } from "./plan.ts";
import type { Found } from "./prune.ts";

/** Annotation of injected pods. */
const STATUS_ANNOTATION = "sidecar.mesh.io/status";
/** Names in a line. */
const SHOWN = 8;

/** The known users of the objects that are removed. */
export interface Dependents {
  /** Revisions and tags with the namespaces that follow them. */
  readonly namespaces: ReadonlyMap<string, readonly string[]>;
  /** Injected pods by namespace. */
  readonly pods: ReadonlyMap<string, number>;
  /** Gateways that are removed. */
  readonly gateways: readonly string[];
  /** Proxies that are connected to the daemons that are removed. */
  readonly proxies: readonly string[];
  /** Resources of users that go with their definitions, by the name of the definition. */
  readonly resources: ReadonlyMap<string, number>;
}

/** The lines that name dependents; none if there are none. */
export function dependentLines(dependents: Dependents): string[] {
  const { namespaces, pods, gateways, proxies, resources } = dependents;
  const counts = (all: ReadonlyMap<string, number>): string =>
    namesText(
      [...all].sort(([a], [b]) => a < b ? -1 : 1).map(([name, count]) => `${name} (${count})`),
    );
  const total = [...resources.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...[...namespaces].map(([name, all]) =>
      `namespaces that are injected by ${name}: ${namesText(all)}`
    ),
    ...pods.size === 0 ? [] : [`pods with its proxy, by namespace: ${counts(pods)}`],
    ...proxies.length === 0 ? [] : [`connected proxies (${proxies.length}): ${namesText(proxies)}`],
    ...gateways.length === 0 ? [] : [`gateways that are removed: ${namesText(gateways)}`],
    ...total === 0
      ? []
      : [`${total} resources of users are lost with their definitions: ${counts(resources)}`],
  ];
}

function namesText(names: readonly string[]): string {
  const more = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Settings of the search. */
export interface DependentOptions {
  readonly client: OrchClient;
  readonly kinds: Kinds;
  readonly namespace: string;
  /** The scope of the removal. */
  readonly removed: readonly Found[];
  /** Revisions whose daemons are removed. */
  readonly revisions: readonly string[];
  /** Names of the proxies that are connected to daemons of a revision. */
  readonly connected: (revision: string) => Promise<readonly string[]>;
}

/** Looks for dependents. */
export async function findDependents(options: DependentOptions): Promise<Dependents> {
  const { client, removed, revisions, connected } = options;
  const proxies = await forEach(revisions, connected);
  return {
    namespaces: await followers(options),
    pods: await injectedPods(client, revisions),
    gateways: removed.filter(({ object: { kind, metadata: { labels = {} } } }) =>
      kind === "Deployment" && /Gateways$/.test(labels[COMPONENT_LABEL] ?? "")
    ).map(({ object }) => nameOf(object).replace("Deployment ", "")),
    proxies: [...new Set(proxies.flat())].sort(),
    resources: await lostResources(options),
  };
}

async function followers(
  { client, namespace: meshNamespace, removed, revisions }: DependentOptions,
): Promise<Map<string, readonly string[]>> {
  const tags = removed.flatMap(({ object: { metadata: { labels = {} } } }) =>
    labels[TAG_LABEL] ?? []
  );
  using cluster = { client, meshNamespace, [Symbol.dispose]: () => {} };
  const of = await namespacesOf(cluster);
  const names = [
    ...revisions.map((name) => ["revision", name] as const),
    ...[...new Set(tags)].filter((name) => !revisions.includes(name))
      .map((name) => ["tag", name] as const),
  ];
  return new Map(
    names.map(([what, name]) => [`${what} ${name}`, of(name)] as const)
      .filter(([, all]) => all.length > 0),
  );
}

async function injectedPods(
  client: OrchClient,
  revisions: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { metadata } of await listAll<ListItem>(client, types.POD)) {
    const { annotations = {}, namespace = "" } = metadata;
    const revision = injectedBy(annotations);
    const isEnding = metadata.deletionTimestamp !== undefined;
    if (isEnding || revision === undefined || !revisions.includes(revision)) continue;
    counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  }
  return counts;
}

/** The revision that injected a pod; `undefined` for a pod without a proxy. */
export function injectedBy(annotations: Readonly<Record<string, string>>): string | undefined {
  const status = annotations[STATUS_ANNOTATION];
  if (status === undefined) return undefined;
  try {
    const { revision } = JSON.parse(status) as { readonly revision?: unknown };
    if (typeof revision === "string" && revision !== "") return revision;
  } catch {
    // Somebody else wrote it.
  }
  return annotations[REVISION_LABEL] ?? "default";
}

/** Resources that are removed with the definitions of their kinds. */
async function lostResources({ client, kinds, removed }: DependentOptions) {
  const definitions = definitionsOf(removed.map(({ object }) => object));
  const own = new Set(removed.map(({ object }: { object: OrchObject }) => object.metadata.uid));
  const counts = await forEach(definitions, async ({ metadata, spec }) => {
    const version = spec.versions.find(({ served }) => served !== false)?.name ?? "";
    const type = await kinds.typeOf({
      apiVersion: `${spec.group}/${version}`,
      kind: spec.names.kind,
    });
    const all = type === undefined ? [] : await listAll<ListItem>(client, type);
    return [metadata.name, all.filter((one) => !own.has(one.metadata.uid)).length] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}
