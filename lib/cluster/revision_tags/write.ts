/**
 * Makes and changes revision tags.
 *
 * @module
 */
import { MeshError, printable } from "../../kit/base/mod.ts";
import { type Invocation, usageError } from "../../kit/cli/mod.ts";
import {
  createObject,
  deleteObject,
  getObject,
  isNotFound,
  listAll,
  replaceObject,
  types,
} from "../../kit/orch/mod.ts";
import { isDnsLabel, toYaml } from "../../kit/text/mod.ts";
import { REVISION_LABEL } from "../../mesh/model/mod.ts";
import { isInjector } from "../injectors/mod.ts";
import { configurationsOf, type TagCluster, type TagObject, tagsOf } from "./existing.ts";
import { onlyTag } from "./remove.ts";
import {
  type ClientConfig,
  type Configuration,
  deactivated,
  DEFAULT_TAG,
  defaultValidator,
  isDefaultInjector,
  type Tag,
  TAG_LABEL,
  tagConfiguration,
  type Webhook,
} from "./tag_objects.ts";

/** Messages about configurations that select the same pods, as the analysis of a cluster has them. */
export type TagConflicts = (configurations: readonly Configuration[]) => readonly string[];

/** Surroundings of a command that writes tags. */
export interface TagWriting {
  readonly open: () => Promise<TagCluster>;
  readonly conflicts: TagConflicts;
}

/** The changes that make a tag. */
interface Plan {
  readonly tag: Tag;
  /** Objects to create or replace. */
  readonly objects: readonly Configuration[];
  /** Configurations of the same tag with other names. */
  readonly replaced: readonly TagObject[];
  readonly exists: boolean;
}

/** Prints the manifest of a tag. */
export async function generateTag(call: Invocation, writing: TagWriting): Promise<number> {
  using cluster = await writing.open();
  const { objects } = await plan(call, cluster, writing.conflicts);
  call.io.out(objects.map((one) => toYaml(withoutState(one))).join("---\n"));
  return 0;
}

/** Creates a tag, or changes it. */
export async function setTag(call: Invocation, writing: TagWriting): Promise<number> {
  using cluster = await writing.open();
  const { tag, objects, replaced, exists } = await plan(call, cluster, writing.conflicts);
  for (const object of objects) await write(cluster, object);
  for (const { name } of replaced) {
    await deleteObject(cluster.client, types.MUTATING_WEBHOOKS, { name });
  }
  const [, ...others] = objects;
  for (const { kind, metadata: { name } } of others) {
    if (kind !== types.MUTATING_WEBHOOKS.kind) continue;
    call.io.err(`The injector ${name} is deactivated, because the tag takes its pods.\n`);
  }
  call.io.out(
    printable(
      `Revision tag "${tag.name}" ${exists ? "changed" : "created"}, referencing control plane ` +
        `revision "${tag.revision}". To enable injection using this revision tag, use ` +
        `'kubectl label namespace <NAMESPACE> ${REVISION_LABEL}=${tag.name}'`,
    ) + "\n",
  );
  return 0;
}

async function plan(
  call: Invocation,
  cluster: TagCluster,
  conflicts: TagConflicts,
): Promise<Plan> {
  const tag = tagOf(call, cluster);
  const configurations = await configurationsOf(cluster);
  const injector = injectorOf(configurations, tag.revision);
  const existing = (await tagsOf(cluster)).filter((one) => one.tag === tag.name);
  const { flags } = call;
  if (!flags.bool("overwrite")) refuseExisting(tag, existing, configurations);
  const configuration = tagConfiguration(tag, injector);
  const isDefault = tag.name === DEFAULT_TAG;
  const inactive = isDefault ? configurations.filter(isDefaultInjector).map(deactivated) : [];
  const replaced = existing.filter(({ kind, name }) =>
    kind === types.MUTATING_WEBHOOKS.kind && name !== configuration.metadata.name
  );
  const mutating = [configuration, ...inactive];
  const changed = new Set([...mutating.map(nameOf), ...replaced.map(({ name }) => name)]);
  const others = configurations.filter((one) => !changed.has(nameOf(one)));
  const found = conflicts([...others, ...mutating])
    .filter((message) => message.includes(configuration.metadata.name));
  if (found.length > 0 && !flags.bool("skip-confirmation")) {
    for (const message of found) call.io.err(printable(message) + "\n");
    throw new MeshError(
      "tag-conflict",
      printable(`the revision tag "${tag.name}" conflicts with other webhooks`),
      { remedy: "Remove the other webhooks, or add --skip-confirmation to go on." },
    );
  }
  const validator = isDefault
    ? [defaultValidator(tag, await validatorClient(cluster, tag, injector))]
    : [];
  return {
    tag,
    objects: [configuration, ...validator, ...inactive],
    replaced,
    exists: existing.length > 0,
  };
}

function tagOf(call: Invocation, { meshNamespace }: TagCluster): Tag {
  const { command, flags, io } = call;
  const purpose = command.endsWith("generate") ? "creation" : "modification";
  const name = onlyTag(call, purpose);
  if (!isDnsLabel(name)) {
    throw usageError(
      `${JSON.stringify(name)} is no name for a tag`,
      "Use small letters, digits and -; at most 63.",
    );
  }
  const revision = flags.string("revision");
  if (revision === "") {
    throw usageError(
      "--revision is missing: a tag points to a revision",
      `For example: ${command} ${name} --revision canary.`,
    );
  }
  if (flags.given.has("manifests")) {
    io.err("Warning: --manifests has no effect: the webhooks are those of the revision\n");
  }
  const everywhere = flags.bool("auto-inject-namespaces");
  if (everywhere && name !== DEFAULT_TAG) {
    io.err(`Warning: --auto-inject-namespaces has no effect on a tag other than ${DEFAULT_TAG}\n`);
  }
  return { name, revision, webhookName: flags.string("webhook-name"), everywhere, meshNamespace };
}

const nameOf = ({ metadata: { name } }: Configuration) => name;

/** A webhook of a revision that injects the proxy. */
function injectorOf(configurations: readonly Configuration[], revision: string): Webhook {
  const injectors = configurations.filter((one) =>
    isInjector(one) && one.metadata.labels?.[TAG_LABEL] === undefined
  );
  const revisionOf = ({ metadata: { labels = {} } }: Configuration) =>
    labels[REVISION_LABEL] || DEFAULT_TAG;
  const own = injectors.find((one) => revisionOf(one) === revision);
  const webhook = own?.webhooks?.find(({ name }) => name.endsWith("sidecar-injector.mesh.io")) ??
    own?.webhooks?.[0];
  if (webhook !== undefined) return webhook;
  const known = [...new Set(injectors.map(revisionOf))].sort().join(", ") || "none";
  throw new MeshError(
    "revision-unknown",
    printable(
      `the revision "${revision}" has no injector: no configuration of mutating webhooks has the ` +
        `label ${REVISION_LABEL}=${revision}`,
    ),
    { remedy: printable(`Install the revision, or name another one; there are: ${known}.`) },
  );
}

function refuseExisting(
  { name, revision }: Tag,
  existing: readonly TagObject[],
  configurations: readonly Configuration[],
): void {
  const [first] = existing;
  if (first !== undefined) {
    throw new MeshError(
      "tag-exists",
      printable(
        `the revision tag "${name}" already exists, and points to the revision "${first.revision}"`,
      ),
      { remedy: printable(`Add --overwrite to let it point to "${revision}".`) },
    );
  }
  const isRevision = configurations.some(({ metadata: { labels = {} } }) =>
    labels[REVISION_LABEL] === name && labels[TAG_LABEL] === undefined
  );
  if (!isRevision || name === DEFAULT_TAG) return;
  throw new MeshError(
    "tag-is-revision",
    printable(`there is a revision with the name "${name}" of the tag`),
    { remedy: "Choose another name for the tag." },
  );
}

/** The place of the validation of a revision: as its validator says, else that of its injector. */
async function validatorClient(
  { client }: TagCluster,
  { revision }: Tag,
  injector: Webhook,
): Promise<ClientConfig> {
  const all = await listAll<Configuration>(client, types.VALIDATING_WEBHOOKS);
  const own = all.find(({ metadata: { labels = {} } }) =>
    labels[REVISION_LABEL] === revision && labels[TAG_LABEL] === undefined
  );
  const webhook = own?.webhooks?.find(({ name }) => name.endsWith("validation.mesh.io"));
  return webhook?.clientConfig ?? injector.clientConfig ?? {};
}

async function write({ client }: TagCluster, object: Configuration): Promise<void> {
  const type = object.kind === types.MUTATING_WEBHOOKS.kind
    ? types.MUTATING_WEBHOOKS
    : types.VALIDATING_WEBHOOKS;
  const { name } = object.metadata;
  const current = await getObject<Configuration>(client, type, { name }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (current === undefined) await createObject(client, type, object);
  else {
    const { resourceVersion } = current.metadata;
    await replaceObject(client, type, {
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    } as Configuration);
  }
}

/** An object as a manifest has it: without what the API server adds. */
function withoutState(object: Configuration): unknown {
  const { name, labels, annotations } = object.metadata;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      ...labels === undefined ? {} : { labels },
      ...annotations === undefined ? {} : { annotations },
    },
    webhooks: object.webhooks,
  };
}
