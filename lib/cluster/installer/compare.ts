/**
 * Compares objects with the cluster by dry runs of their application: what is new, what changes, and
 * which fields belong to others. Nothing is written.
 *
 * @module
 */
import { canonicalJson, MeshError, messageOf } from "../../kit/base/mod.ts";
import {
  applyObject,
  getObject,
  isConflict,
  isNotFound,
  type OrchClient,
  OrchError,
  type OrchObject,
  type ResourceType,
} from "../../kit/orch/mod.ts";
import { type FieldDifference, fieldDifferences } from "../manifests/mod.ts";
import { contentOf } from "./content.ts";
import { isReactivated } from "./default_tag.ts";
import { forEach } from "./each.ts";
import { isApplied, withoutKept } from "./kept_fields.ts";
import { listError } from "./list_error.ts";
import { definedTypes, type Kinds } from "./kinds.ts";
import { MANAGER, nameOf } from "./plan.ts";

/** A field that another manager owns. */
export interface FieldConflict {
  readonly field: string;
  readonly manager: string;
}

/** An object beside what the cluster has. */
export interface Comparison {
  /** The object to apply, without the fields that others keep. */
  readonly object: OrchObject;
  /** The object with those fields. */
  readonly whole: OrchObject;
  readonly type: ResourceType;
  readonly state: "new" | "changed" | "same";
  readonly live?: OrchObject;
  readonly changes: readonly FieldDifference[];
  readonly conflicts: readonly FieldConflict[];
  /** True: an injector that a former tag deactivated becomes active, whoever owns its fields. */
  readonly isReactivated?: boolean;
}

/** Settings of a comparison. */
export interface CompareOptions {
  readonly client: OrchClient;
  readonly kinds: Kinds;
  readonly objects: readonly OrchObject[];
  /** Namespaces that do not exist yet. */
  readonly missingNamespaces: ReadonlySet<string>;
  /** True: fields of others are taken over. */
  readonly force: boolean;
}

/**
 * Compares all objects.
 *
 * @throws {MeshError} `install-kind` for a kind that neither the server nor a definition among the
 * objects has; `install-object` for an object that the server refuses
 */
export async function compareAll(options: CompareOptions): Promise<Comparison[]> {
  const { kinds, objects } = options;
  const defined = definedTypes(objects);
  const typed = await forEach(objects, async (object) => {
    const served = await kinds.typeOf(object);
    return { object, type: served ?? defined(object), isServed: served !== undefined };
  });
  const unknown = typed.filter(({ type }) => type === undefined);
  if (unknown.length > 0) throw unknownKinds(unknown.map(({ object }) => object));
  return await forEach(typed, ({ object, type, isServed }) => {
    const known = type!;
    const place = known.namespaced ? object.metadata.namespace ?? "" : "";
    const isNew = !isServed || options.missingNamespaces.has(place);
    return isNew
      ? Promise.resolve({ ...NEW, object, whole: object, type: known })
      : compareOne(options, object, known);
  });
}

const NEW = { state: "new", changes: [], conflicts: [] } as const;

/**
 * Compares one object. Others may write it between the read and the dry run, as the daemon does with
 * its webhooks: it is read again until the same conflicts remain.
 *
 * @throws {MeshError} `install-object` for an object that the server refuses
 */
export async function compareOne(
  options: Pick<CompareOptions, "client" | "objects" | "force">,
  object: OrchObject,
  type: ResourceType,
): Promise<Comparison> {
  let before = "";
  while (true) {
    const live = await getObject(options.client, type, object.metadata).catch(nothingIfGone);
    const compared = await compareWith(options, object, type, live);
    const conflicts = canonicalJson(compared.conflicts);
    if (compared.conflicts.length === 0 || conflicts === before) return compared;
    before = conflicts;
  }
}

/** Compares one object with what was read of it. */
async function compareWith(
  { client, objects, force }: Pick<CompareOptions, "client" | "objects" | "force">,
  object: OrchObject,
  type: ResourceType,
  live: OrchObject | undefined,
): Promise<Comparison> {
  const wanted = withoutKept(object, live, objects);
  const place = {
    ...{ object: wanted, whole: object, type, isReactivated: isReactivated(object, live) },
    ...(live === undefined ? {} : { live }),
  };
  try {
    const result = await applyObject(client, type, wanted, {
      manager: MANAGER,
      dryRun: true,
      force: force || place.isReactivated,
    });
    if (live === undefined) return { ...NEW, ...place };
    const [before, after] = [contentOf(live), contentOf(result)];
    const isSame = canonicalJson(before) === canonicalJson(after) && isApplied(live);
    return {
      ...place,
      state: isSame ? "same" : "changed",
      changes: fieldDifferences(before, after),
      conflicts: [],
    };
  } catch (error) {
    if (isConflict(error)) {
      return { ...place, state: "changed", changes: [], conflicts: conflictsOf(error) };
    }
    // A binding of a role that does not exist yet cannot be tried by every identity.
    if (isNotFound(error) && live === undefined) return { ...NEW, ...place };
    throw refused(object, error);
  }
}

/** The conflicts that an answer of the server names. */
export function conflictsOf(error: unknown): FieldConflict[] {
  if (!(error instanceof OrchError)) return [];
  return error.causes.filter(({ reason }) => reason === "FieldManagerConflict")
    .map(({ field = "", message = "" }) => ({
      field,
      manager: /conflict with "([^"]*)"/.exec(message)?.[1] ?? message,
    }));
}

/** The error of fields that belong to others; `undefined` if there are none. */
export function conflictError(compared: readonly Comparison[]): MeshError | undefined {
  const found = compared.filter(({ conflicts }) => conflicts.length > 0);
  if (found.length === 0) return undefined;
  const lines = found.flatMap(({ object, conflicts }) =>
    conflicts.map(({ field, manager }) => `${nameOf(object)}: ${field} belongs to "${manager}"`)
  );
  return listError(
    "install-conflict",
    "nothing was changed, because others wrote fields of the installation",
    lines,
    "Give the installation these values, or take the fields over with --force.",
  );
}

/** The error of an object that the server does not take. */
export function refused(object: OrchObject, cause: unknown): unknown {
  if (!(cause instanceof OrchError) || cause.status === 0) return cause;
  const { remedy } = cause;
  return new MeshError(
    "install-object",
    `${nameOf(object)} cannot be applied: ${messageOf(cause).replace(/^\S+ \S+: \d+: /, "")}`,
    remedy === undefined ? {} : { remedy },
  );
}

function unknownKinds(objects: readonly OrchObject[]): MeshError {
  const names = objects.map((one) => `${nameOf(one)} (${one.apiVersion})`);
  return new MeshError(
    "install-kind",
    `the cluster does not have the kinds of these objects: ${names.join(", ")}`,
    {
      remedy: "Install their definitions first (the component base has those of the mesh), or " +
        "leave the objects out.",
    },
  );
}

export function nothingIfGone(error: unknown): undefined {
  if (isNotFound(error)) return undefined;
  throw error;
}
