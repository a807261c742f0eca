/**
 * Objects that have no effect because an older one takes precedence. Reported from the tables on
 * request; not part of served resources.
 *
 * @module
 */
import { type Mesh, objectRef, portConflicts, whyLater } from "../../derive/mod.ts";
import { byAge, type ConfigObject } from "../../model/mod.ts";

/** An object, or a part of it, without effect. */
export interface ShadowedObject {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** The field path: `spec.ports`; empty: the object as a whole. */
  readonly field: string;
  /** The effect, one sentence without a full stop. */
  readonly message: string;
  readonly remedy: string;
}

/** Returns all of them, by object. */
export function shadowedObjects(mesh: Mesh): ShadowedObject[] {
  return [...shadowedSidecars(mesh), ...shadowedPorts(mesh)];
}

/** Ports of a ServiceEntry that an older entry of the host does not admit. */
function shadowedPorts(mesh: Mesh): ShadowedObject[] {
  return portConflicts(mesh).map(({ row, first, host, ports, why }) => ({
    object: objectRef(row),
    field: "spec.ports",
    message: `ports ${ports.join(", ")} of ${host} are those of ${objectRef(first)} or none: ` +
      `${whyLater(row, first)}, and ${why}`,
    remedy: "Give both entries the same resolution, labels, workloadSelector and exportTo, and " +
      "each port one protocol; or define the host once.",
  }));
}

/** Sidecars without a selector in a namespace with an older one: only the oldest applies. */
function shadowedSidecars({ tables }: Mesh): ShadowedObject[] {
  const defaults = tables.sidecars.keys()
    .flatMap((key) => tables.sidecars.peek(key) ?? [])
    .filter(({ spec }) => Object.keys(spec.workloadSelector?.labels ?? {}).length === 0);
  return groups(defaults, ({ meta }) => meta.namespace).flatMap(([first, later]) =>
    later.map((row) => ({
      object: objectRef(row),
      field: "",
      message: `this Sidecar applies to no proxy: ${whyLater(row, first)}, and of several ` +
        "without workloadSelector in a namespace one applies",
      remedy: "Give it a workloadSelector, or delete one of them.",
    }))
  );
}

/** The rows by a property, in groups of several: the oldest, and the others by age. */
function groups<T extends ConfigObject>(
  rows: readonly T[],
  by: (row: T) => string,
): [first: T, later: T[]][] {
  const found = Map.groupBy([...rows].sort(byAge), by);
  return [...found.keys()].sort().flatMap((key): [T, T[]][] => {
    const [first, ...later] = found.get(key)!;
    return first === undefined || later.length === 0 ? [] : [[first, later]];
  });
}
