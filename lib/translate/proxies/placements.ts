/**
 * The table of placements and the table of classes.
 *
 * @module
 */
import { type Patching } from "../../derive/mod.ts";
import type { Derived } from "../../graph/mod.ts";
import type { ProxyClass, ProxyNode } from "../../model/mod.ts";
import type { Context, Placement } from "../context/mod.ts";
import { telemetryKey } from "../settings/mod.ts";
import { type ClassBasis, proxyClass } from "./classify.ts";

interface PlacementKey {
  readonly basis: ClassBasis;
  readonly ips: readonly string[];
  /** What patches may choose proxies by, beside their class. */
  readonly version: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Creates the table of placements: a node's plain data → its placement. */
export function derivePlacements({ mesh }: Pick<Context, "mesh">): Derived<Placement> {
  return mesh.graph.derive<Placement>("placement", (read, key) => {
    const { basis, ips, ...proxy } = JSON.parse(key) as PlacementKey;
    const sidecar = basis.role === "sidecar"
      ? read.get(mesh.scopes.sidecar, { namespace: basis.namespace, labels: basis.labels })
      : "";
    const cls = proxyClass(basis, read.get(mesh.targets, ips));
    const patching = mesh.patchingOf(read, { ...basis, ...proxy });
    const telemetry = telemetryKey(read, { mesh }, cls, sidecar);
    return { cls, sidecar, place: mesh.localities.ofClass(read, cls), patching, telemetry };
  }, {
    equal: (a, b) =>
      a.cls.key === b.cls.key && a.sidecar === b.sidecar && a.place === b.place &&
      a.telemetry === b.telemetry && samePatching(a.patching, b.patching),
  });
}

function samePatching(a: Patching, b: Patching): boolean {
  return a.cluster === b.cluster && a.listener === b.listener && a.route === b.route &&
    a.extension === b.extension;
}

/** Metadata that is text, which is what patches compare. */
export function texts(metadata: ProxyNode["metadata"]): Record<string, string> {
  const entries = Object.entries(metadata).filter(([, value]) => typeof value === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Creates the table of classes: a class's key is its content. */
export function deriveClasses({ mesh }: Pick<Context, "mesh">): Derived<ProxyClass> {
  return mesh.graph.derive<ProxyClass>(
    "class",
    (_read, key) => ({ ...JSON.parse(key) as ProxyClass, key }),
  );
}
