/**
 * Views of the engine: tables, stored resources, and eviction of unused cells.
 *
 * @module
 */
import type { Resource } from "../../mesh/graph/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { changing, debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";

/** `/debug/krtz`, `/debug/cachez`. */
export function engineRoutes(inputs: DebugInputs): Route[] {
  return [
    debugRoute("GET", "/debug/krtz", () => json(collections(inputs))),
    debugRoute("GET", "/debug/cachez", (call) => {
      const { searchParams } = call.url;
      if (searchParams.get("clear") === "true") return changing(() => clear(inputs))(call);
      const kept = keptResources(inputs);
      return json(searchParams.get("sizes") === "true" ? sizes(kept) : names(kept));
    }),
  ];
}

/** Returns the tables of the engine with their number of rows or cells and their computations. */
function collections({ mesh }: DebugInputs): Record<string, unknown>[] {
  const { computedByTable, microsByTable } = mesh.graph.stats();
  const cells = new Map<string, number>();
  for (const [table] of mesh.graph.cells()) cells.set(table, (cells.get(table) ?? 0) + 1);
  return [
    ...Object.values(mesh.tables).map(({ name, size }) => ({ name, kind: "input", size })),
    ...Object.keys(computedByTable).map((name) => ({
      name,
      kind: "derived",
      size: cells.get(name) ?? 0,
      computed: computedByTable[name],
      micros: Math.round(microsByTable[name] ?? 0),
    })),
  ];
}

type Kept = ReadonlyMap<string, ReadonlyMap<string, Resource>>;

/** Returns the encoded resources of connected proxies, each once, by type and version. */
function keptResources({ sessions }: DebugInputs): Kept {
  const kept = new Map<string, Map<string, Resource>>();
  const seen = new Set<unknown>();
  for (const { types } of sessions()) {
    for (const { short, view } of types) {
      const found = kept.get(short) ?? new Map<string, Resource>();
      kept.set(short, found);
      for (const layer of view?.layers ?? []) {
        if (seen.has(layer)) continue;
        seen.add(layer);
        for (const resource of layer.content.values()) {
          if (!resource.tombstone) found.set(`${resource.name} ${resource.version}`, resource);
        }
      }
    }
  }
  return kept;
}

/** Type → `name version` of each resource. */
function names(kept: Kept): Record<string, string[]> {
  return Object.fromEntries([...kept].map(([short, found]) => [short, [...found.keys()].sort()]));
}

/** Type → bytes of all its resources. */
function sizes(kept: Kept): Record<string, string> {
  return Object.fromEntries([...kept].map(([short, found]) => {
    let bytes = 0;
    for (const resource of found.values()) bytes += resource.bytes.length;
    return [short, readable(bytes)];
  }));
}

function readable(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)}kB` : `${(bytes / (1 << 20)).toFixed(1)}MB`;
}

/** Resources in use are kept, so nothing has to be computed again. */
function clear({ mesh }: DebugInputs): Response {
  const { collections, cells } = mesh.graph.evict({ collections: 0, cells: 0 });
  return text(`Cache cleared: ${collections} collections and ${cells} unused cells\n`);
}
