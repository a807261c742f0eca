/**
 * The tags and injectors of a cluster.
 *
 * @module
 */
import { listAll, type OrchClient, type OrchObject, types } from "../../kit/orch/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import {
  type Configuration,
  DEACTIVATED_LABEL,
  DEFAULT_TAG,
  NAMESPACE_LABEL,
  TAG_LABEL,
} from "./tag_objects.ts";

/** The cluster whose tags are meant. */
export interface TagCluster extends Disposable {
  readonly client: OrchClient;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
}

/** An object that is a tag, with its kind. */
export interface TagObject {
  readonly kind: "MutatingWebhookConfiguration" | "Service";
  readonly name: string;
  readonly tag: string;
  readonly revision: string;
}

/** All configurations of mutating webhooks. Items of lists have no kind, which is added. */
export async function configurationsOf({ client }: TagCluster): Promise<readonly Configuration[]> {
  const { group, version, kind } = types.MUTATING_WEBHOOKS;
  const all = await listAll<Configuration>(client, types.MUTATING_WEBHOOKS);
  return all.map((one) => ({ ...one, apiVersion: `${group}/${version}`, kind }));
}

/** The objects that are tags, by the name of the tag: configurations of webhooks, and Services. */
export async function tagsOf(cluster: TagCluster): Promise<readonly TagObject[]> {
  const selection = { namespace: cluster.meshNamespace, labelSelector: TAG_LABEL };
  const services = await listAll<OrchObject>(cluster.client, types.SERVICE, selection);
  const configurations = await configurationsOf(cluster);
  return [
    ...configurations.flatMap(tagIn("MutatingWebhookConfiguration")),
    ...services.flatMap(tagIn("Service")),
  ].sort((a, b) => `${a.tag} ${a.name}` < `${b.tag} ${b.name}` ? -1 : 1);
}

function tagIn(kind: TagObject["kind"]) {
  return ({ metadata: { name, labels = {} } }: OrchObject): TagObject[] => {
    const tag = labels[TAG_LABEL];
    if (!tag || DEACTIVATED_LABEL in labels) return [];
    return [{ kind, name, tag, revision: labels[REVISION_LABEL] ?? "" }];
  };
}

/** Names of the namespaces that follow a tag. */
export async function namespacesOf(
  { client }: TagCluster,
): Promise<(tag: string) => readonly string[]> {
  const all = await listAll<OrchObject>(client, types.NAMESPACE);
  return (tag) =>
    all.filter(({ metadata: { labels = {} } }) =>
      labels[REVISION_LABEL] === tag || tag === DEFAULT_TAG && labels[NAMESPACE_LABEL] === "enabled"
    ).map(({ metadata: { name } }) => name).sort();
}
