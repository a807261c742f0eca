/**
 * Changes that take parts out of a mesh.
 *
 * @module
 */
import { writtenObjects } from "../../mesh/gateway_api/mod.ts";
import type { Part } from "./deciding.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { type ConfigObject, rowOfObject } from "../../mesh/model/mod.ts";
import { isTableKind, type TableKind } from "../../mesh/schema/mod.ts";

/** Finds an object as it was written, by the key of its row. */
export type FindWritten = (kind: TableKind, key: string) => ConfigObject | undefined;

/** Changes that leave parts out, and those that bring them back. */
export interface Removal {
  readonly without: readonly ObjectChange[];
  readonly before: readonly ObjectChange[];
}

/** Returns the changes for some parts; those of objects that do not exist are none. */
export function removalOf(find: FindWritten, parts: readonly Part[]): Removal {
  const pairs = parts.flatMap(({ object: ref, item }) => {
    const row = rowAt(ref);
    const object = row && find(row.kind, row.key);
    if (row === undefined || object === undefined) return [];
    const { kind, key } = row;
    return [{
      without: { kind, key, object: item === undefined ? undefined : lessItem(object, item) },
      before: { kind, key, object },
    }];
  });
  return {
    without: pairs.map(({ without }) => without),
    before: pairs.map(({ before }) => before),
  };
}

const ITEM = /^spec\.(\w+)\[(\d+)\]$/;

/** The object without an item; undefined if it has no other: it is then as if it did not exist. */
function lessItem(object: ConfigObject, item: string): ConfigObject | undefined {
  const [, list = "", index] = ITEM.exec(item) ?? [];
  const whole: object = Object(object.spec);
  const items: unknown = Reflect.get(whole, list);
  if (!Array.isArray(items) || items.length < 2) return undefined;
  const spec = { ...whole, [list]: items.toSpliced(Number(index), 1) };
  return { ...object, spec, digest: `${object.digest} without ${item}` };
}

/**
 * The objects of the Gateway API that an object was made of; of a Gateway the listener.
 *
 * @param ref `Kind/namespace/name`
 */
export function writtenParts(
  ref: string,
  find: FindWritten,
): Part[] {
  const meta = objectAt(ref, find)?.meta;
  if (meta === undefined) return [];
  return writtenObjects(meta).flatMap(({ kind, namespace, name, listener }): Part[] => {
    const table = kind === "Gateway" ? "KubernetesGateway" : kind;
    const object = `${table}/${namespace}/${name}`;
    if (listener === undefined) return [{ object }];
    const spec: object = Object(objectAt(object, find)?.spec);
    const listeners: unknown = Reflect.get(spec, "listeners");
    const at = Array.isArray(listeners)
      ? listeners.findIndex((one: { readonly name?: unknown }) => one.name === listener)
      : -1;
    return at < 0 ? [] : [{ object, item: `spec.listeners[${at}]` }];
  });
}

function objectAt(ref: string, find: FindWritten): ConfigObject | undefined {
  const row = rowAt(ref);
  return row && find(row.kind, row.key);
}

/** The row of an object, `Kind/namespace/name`. */
function rowAt(ref: string): Pick<ObjectChange, "kind" | "key"> | undefined {
  const slash = ref.indexOf("/");
  const { table, key } = rowOfObject({ table: ref.slice(0, slash), key: ref.slice(slash + 1) });
  return isTableKind(table) ? { kind: table, key } : undefined;
}
