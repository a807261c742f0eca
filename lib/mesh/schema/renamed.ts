/**
 * Groups and kinds that objects of Istio have, and their names here.
 *
 * @module
 */
import { KINDS } from "./kinds.ts";

/** End of the API groups of Istio. */
const FOREIGN_SUFFIX = ".istio.io";
const OWN_SUFFIX = ".mesh.io";

/** Kinds with another name here. */
const RENAMED_KINDS: Readonly<Record<string, string>> = {
  EnvoyFilter: "DataproxyFilter",
  IstioOperator: "MeshOperator",
};

/** The names of an object here: its group, and its kind if that is another one. */
export interface NewNames {
  readonly group: string;
  readonly kind: string;
  /** The API version to write; `undefined`: the kind does not exist here. */
  readonly apiVersion: string | undefined;
  /** The versions of the kind; none if it does not exist here. */
  readonly versions: readonly string[];
}

/** The names of an object here; `undefined` for an object of another group. */
export function newNames(group: string, kind: string): NewNames | undefined {
  if (!group.endsWith(FOREIGN_SUFFIX)) return undefined;
  const own = `${group.slice(0, -FOREIGN_SUFFIX.length)}${OWN_SUFFIX}`;
  const name = Object.hasOwn(RENAMED_KINDS, kind) ? RENAMED_KINDS[kind]! : kind;
  const found = KINDS.find((one) => one.group === own && one.kind === name);
  return {
    group: own,
    kind: name,
    versions: found?.versions ?? [],
    apiVersion: found === undefined ? undefined : `${own}/${found.versions[0]}`,
  };
}
