/**
 * Changes of rows, as they are written in transactions.
 *
 * @module
 */
import { type ConfigObject, objectKey, rowOfObject } from "../model/mod.ts";
import { isTableKind, type ObjectIdentity, type TableKind } from "../schema/mod.ts";
import type { SettingChanges } from "./source.ts";

/** The change of one object: its new version, or `undefined` when it is deleted. */
export interface ObjectChange {
  readonly kind: TableKind;
  /** `namespace/name`. */
  readonly key: string;
  readonly object: ConfigObject | undefined;
}

/** Changes that are written together. */
export interface ChangeSet extends SettingChanges {
  readonly objects?: readonly ObjectChange[];
}

/** The change that adds or replaces an object; `undefined` for a kind without a table. */
export function upsertOf(object: ConfigObject): ObjectChange | undefined {
  return changeOf(object.meta, object);
}

/** The change that deletes an object; `undefined` for a kind without a table. */
export function deletionOf(identity: ObjectIdentity): ObjectChange | undefined {
  return changeOf(identity, undefined);
}

function changeOf(
  identity: ObjectIdentity,
  object: ConfigObject | undefined,
): ObjectChange | undefined {
  const { table: kind, key } = rowOfObject({ table: identity.kind, key: objectKey(identity) });
  return isTableKind(kind) ? { kind, key, object } : undefined;
}
