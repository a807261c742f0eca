/**
 * The effect of changed documents on the rows of manifests.
 *
 * @module
 */
import { plainDocument, podShapeOf } from "../../analyze/mod.ts";
import { deletionOf, type ObjectChange, upsertOf } from "../../../mesh/ingest/mod.ts";
import { rowRef } from "../../../mesh/graph/mod.ts";
import { type ConfigObject, objectKey, objectRef } from "../../../mesh/model/mod.ts";
import type { SeenDocument } from "../../../mesh/schema/mod.ts";
import { manifestFault } from "./check.ts";
import { type ManifestOptions, manifestRows } from "./rows.ts";
import { isService } from "./services.ts";

/** Documents and the objects of the mesh in the same files. */
export interface ManifestInput {
  readonly seen: readonly SeenDocument[];
  readonly objects: readonly ConfigObject[];
}

/** The files before a change, with their rows. */
export interface ManifestSet extends ManifestInput {
  readonly rows: readonly ConfigObject[];
}

/** The changes of rows that a change of files makes: a document replaces the one with its name. */
export async function manifestChanges(
  before: ManifestSet,
  change: ManifestInput & { readonly removals: readonly string[] },
  options: Omit<ManifestOptions, "objects">,
): Promise<ObjectChange[]> {
  const plain = (one: SeenDocument) => plainDocument(one, options.namespace);
  const nameOf = (one: SeenDocument): string => {
    const { group, kind, namespace, name } = plain(one) ?? {};
    return JSON.stringify([group, kind, namespace, name]);
  };
  const replaced = new Set(change.seen.map(nameOf));
  // Faults of the documents before were said when they were read.
  const stays = (one: SeenDocument): boolean => {
    const document = plain(one);
    return document !== undefined && manifestFault(document) === undefined &&
      !replaced.has(nameOf(one));
  };
  const gone = new Set([...change.objects.map(objectRef), ...change.removals]);
  const after = await manifestRows(
    [...before.seen.filter(stays), ...change.seen],
    {
      ...options,
      objects: [...before.objects.filter((one) => !gone.has(objectRef(one))), ...change.objects],
    },
  );
  const known = new Map(before.rows.map((row) => [objectRef(row), row]));
  const kept = new Set(after.map(objectRef));
  return [
    ...after.filter((row) => known.get(objectRef(row))?.digest !== row.digest).map(upsertOf),
    ...before.rows.filter((row) => !kept.has(objectRef(row))).map(({ meta }) => deletionOf(meta)),
  ].filter((one) => one !== undefined);
}

/** The Services and workloads among documents, as `Kind/namespace/name`. */
export function manifestNames(
  seen: readonly SeenDocument[],
  namespace: string | undefined,
): readonly string[] {
  return seen.flatMap((one) => plainDocument(one, namespace) ?? [])
    .filter((one) => isService(one) || podShapeOf(one) !== undefined)
    .map((one) => rowRef({ table: one.kind, key: objectKey(one) }));
}
