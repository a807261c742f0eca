/**
 * Changes that take parts out of a mesh.
 *
 * @module
 */
import { PARENTS_ANNOTATION } from "../../mesh/gateway_api/mod.ts";
import type { Part } from "../explain/mod.ts";
import type { ObjectChange } from "../../mesh/ingest/mod.ts";
import { type ConfigObject, rowOfObject } from "../../mesh/model/mod.ts";
import { isTableKind, type TableKind } from "../../mesh/schema/mod.ts";

/** What has the objects of a mesh. */
interface Written {
  readonly writer: { original(kind: TableKind, key: string): ConfigObject | undefined };
}

/** Changes that leave parts out, and those that bring them back. */
export interface Removal {
  readonly without: readonly ObjectChange[];
  readonly before: readonly ObjectChange[];
}

/** Returns the changes for some parts; those of objects that do not exist are none. */
export function removalOf({ writer }: Written, parts: readonly Part[]): Removal {
  const pairs = parts.flatMap(({ object: ref, item }) => {
    const slash = ref.indexOf("/");
    const row = rowOfObject({ table: ref.slice(0, slash), key: ref.slice(slash + 1) });
    if (!isTableKind(row.table)) return [];
    const { table: kind, key } = row;
    const object = writer.original(kind, key);
    if (object === undefined) return [];
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

const PARENT = /^(\w+)\/([^/]+?)(?:\/([^/]+))?\.([^./]+)$/;

/**
 * The objects of the Gateway API that an object was made of; of a Gateway the listener.
 *
 * @param ref `Kind/namespace/name`
 */
export function writtenParts(
  ref: string,
  objectNamed: (kind: string, key: string) => ConfigObject | undefined,
): Part[] {
  const slash = ref.indexOf("/");
  const meta = objectNamed(ref.slice(0, slash), ref.slice(slash + 1))?.meta;
  const parents = meta?.annotations[PARENTS_ANNOTATION]?.split(",") ?? [];
  return parents.flatMap((text): Part[] => {
    const [, kind = "", name = "", listener, namespace = ""] = PARENT.exec(text) ?? [];
    const table = kind === "Gateway" ? "KubernetesGateway" : kind;
    const object = `${table}/${namespace}/${name}`;
    if (listener === undefined) return [{ object }];
    const spec: object = Object(objectNamed(table, `${namespace}/${name}`)?.spec);
    const listeners: unknown = Reflect.get(spec, "listeners");
    const at = Array.isArray(listeners)
      ? listeners.findIndex((one: { readonly name?: unknown }) => one.name === listener)
      : -1;
    return at < 0 ? [] : [{ object, item: `spec.listeners[${at}]` }];
  });
}
