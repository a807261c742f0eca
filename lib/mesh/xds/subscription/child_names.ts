/**
 * Names of resources that have a parent: `<parent>/<rest>`. Virtual hosts of a route table are named
 * `<table>/<host>`.
 *
 * @module
 */
import { XDS_TYPES, type XdsType } from "../../model/mod.ts";

const PARENT_TYPES: ReadonlySet<string | undefined> = new Set(
  Object.values(XDS_TYPES).map(({ parent }) => parent),
);

/** Reports if resources of a type have children. */
export function isParentType({ name }: XdsType): boolean {
  return PARENT_TYPES.has(name);
}

/**
 * Separator between the name of a parent and the rest. The last one counts, because names of route
 * tables may be paths.
 */
const SEPARATOR = "/";

/** The name of the parent; `undefined` for a name without one. */
export function parentOf(name: string): string | undefined {
  const at = name.lastIndexOf(SEPARATOR);
  return at < 0 ? undefined : name.slice(0, at);
}

/** A name that no child has. Its removal means that the parent has no children. */
export function noChildrenName(parent: string): string {
  return parent + SEPARATOR;
}
