/**
 * Changes of rows, as they are written in transactions.
 *
 * @module
 */
import { type ConfigObject, objectKey } from "../model/mod.ts";
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
  const { kind } = object.meta;
  return isTableKind(kind) ? { kind, key: objectKey(object.meta), object } : undefined;
}

/** The change that deletes an object; `undefined` for a kind without a table. */
export function deletionOf(identity: ObjectIdentity): ObjectChange | undefined {
  const { kind } = identity;
  return isTableKind(kind) ? { kind, key: objectKey(identity), object: undefined } : undefined;
}
