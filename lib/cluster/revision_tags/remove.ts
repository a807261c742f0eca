import { MeshError, printable } from "../../kit/base/mod.ts";
import { confirm, EXIT_FAILURE, type Invocation, usageError } from "../../kit/cli/mod.ts";
import { deleteObject, getObject, isNotFound, types } from "../../kit/orch/mod.ts";
import { nearest } from "../../kit/text/mod.ts";
import { namespacesOf, type TagCluster, type TagObject, tagsOf } from "./existing.ts";
import { type Configuration, DEFAULT_TAG, DEFAULT_VALIDATOR, TAG_LABEL } from "./tag_objects.ts";

/** Removes a tag. If namespaces follow it, the caller is asked first. */
export async function removeTag(
  call: Invocation,
  open: () => Promise<TagCluster>,
): Promise<number> {
  const { flags, io } = call;
  const tag = onlyTag(call, "removal");
  using cluster = await open();
  const all = await tagsOf(cluster);
  const objects = all.filter((one) => one.tag === tag);
  if (objects.length === 0) throw unknownTag(tag, all, cluster.meshNamespace);
  const following = (await namespacesOf(cluster))(tag);
  if (following.length > 0 && !flags.bool("skip-confirmation")) {
    io.err(printable(
      `${following.length} ${following.length === 1 ? "namespace follows" : "namespaces follow"} ` +
        `the revision tag "${tag}": ${following.join(", ")}`,
    ));
    io.err("\nWithout it, new pods there get no proxy.\n");
    if (!await confirm(io, "Proceed?")) {
      io.err("Aborting operation.\n");
      return EXIT_FAILURE;
    }
  }
  for (const object of objects) await remove(cluster, object);
  if (tag === DEFAULT_TAG) await removeValidator(cluster);
  io.out(printable(`Revision tag "${tag}" removed.`) + "\n");
  return 0;
}

/** The only argument. */
export function onlyTag({ command, args }: Invocation, purpose: string): string {
  const [tag] = args;
  if (args.length === 1 && tag !== undefined) return tag;
  throw usageError(`must provide a single tag for ${purpose}`, `For example: ${command} prod.`);
}

function unknownTag(tag: string, all: readonly TagObject[], namespace: string): MeshError {
  const names = [...new Set(all.map((one) => one.tag))];
  const near = nearest(tag, names);
  const known = names.length === 0 ? "There are none." : `There are: ${names.join(", ")}.`;
  return new MeshError(
    "tag-unknown",
    printable(
      `there is no revision tag "${tag}": no configuration of mutating webhooks, and no Service ` +
        `in namespace ${namespace}, has the label ${TAG_LABEL}=${tag}`,
    ),
    { remedy: printable(near === undefined ? known : `Did you mean ${near}? ${known}`) },
  );
}

async function remove(
  { client, meshNamespace: namespace }: TagCluster,
  { kind, name }: TagObject,
): Promise<void> {
  const isService = kind === "Service";
  await deleteObject(
    client,
    isService ? types.SERVICE : types.MUTATING_WEBHOOKS,
    isService ? { namespace, name } : { name },
  ).catch(gone);
}

/** The validation of the tag `default`; that of an installation has no label of a tag. */
async function removeValidator({ client }: TagCluster): Promise<void> {
  const name = DEFAULT_VALIDATOR;
  const type = types.VALIDATING_WEBHOOKS;
  const found = await getObject<Configuration>(client, type, { name }).catch(gone);
  if (found?.metadata.labels?.[TAG_LABEL] !== DEFAULT_TAG) return;
  await deleteObject(client, type, { name }).catch(gone);
}

function gone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
