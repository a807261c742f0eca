/**
 * Collects costs: the engine's work and the sent bytes, by object, namespace and proxy class.
 *
 * @module
 */
import { isTableKind } from "../../mesh/schema/mod.ts";
import { type Costs, parseRowRef, rowRef } from "../../mesh/graph/mod.ts";
import { namespaceOf, type ProxyClass } from "../../mesh/model/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import type { Spent } from "./spending.ts";

/** Cost of an object, or of the objects of a namespace. */
export interface ObjectCost extends Spent {
  /** `Kind/namespace/name`, or the namespace. */
  readonly name: string;
  /** Computation time for its edits. */
  readonly micros: number;
  readonly computed: number;
}

/** Cost of the proxies of a class. */
export interface ClassCost extends Spent {
  readonly role: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Number of connected proxies of the class. */
  readonly proxies: number;
  /** Computation time of the class's own cells; shared cells are not included. */
  readonly micros: number;
}

/**
 * All costs. Lists are sorted by cost, highest first; `tables` and `inputs` are the engine's own.
 */
export interface CostView extends Omit<Costs, "keys"> {
  /** Computation time of all tables, including those that are not listed. */
  readonly micros: number;
  /** Objects whose edits caused work or a response. */
  readonly objects: readonly ObjectCost[];
  readonly namespaces: readonly ObjectCost[];
  readonly classes: readonly ClassCost[];
  /** First responses to proxies. */
  readonly connects: Spent;
  /** Responses for edits that cannot be separated. */
  readonly shared: Spent;
}

/** Default length of a list. */
const TOP = 30;
/** Maximum length of a list. */
const MAX_TOP = 1_000;
/** Default number of cells of each table. */
const CELLS = 3;
const MAX_CELLS = 100;

/** Collects all costs; `?top=` limits the lists. */
export function costView(inputs: DebugInputs, url: URL): CostView {
  const asked = Number(url.searchParams.get("top") ?? NaN);
  const given = Number.isInteger(asked) && asked > 0 ? asked : undefined;
  const top = Math.min(given ?? TOP, MAX_TOP);
  const { spending, mesh } = inputs;
  const keys = [...spending.classes.keys()];
  const costs = mesh.graph.costs({ top: Math.min(given ?? CELLS, MAX_CELLS), keys });
  const objects = objectCosts(costs, spending.objects);
  return {
    micros: sum(costs.tables, "micros"),
    tables: costs.tables.slice(0, top),
    inputs: costs.inputs.slice(0, top),
    unattributed: costs.unattributed,
    objects: objects.slice(0, top),
    namespaces: byNamespace(objects).slice(0, top),
    classes: classCosts(inputs, costs).slice(0, top),
    connects: spending.connects,
    shared: spending.shared,
  };
}

function objectCosts({ inputs }: Costs, sent: ReadonlyMap<string, Spent>): ObjectCost[] {
  const found = new Map<string, ObjectCost>();
  for (const { table, key, micros, computed } of inputs) {
    const name = rowRef({ table, key });
    found.set(name, { name, micros, computed, pushes: 0, bytes: 0, ...sent.get(name) });
  }
  for (const [name, spent] of sent) {
    if (!found.has(name)) found.set(name, { name, micros: 0, computed: 0, ...spent });
  }
  return [...found.values()]
    .filter(({ micros, computed, bytes, pushes }) => micros + computed + bytes + pushes > 0)
    .sort(dearer);
}

/** Compares by time, then by bytes. */
function dearer(
  a: { readonly micros: number; readonly bytes: number },
  b: { readonly micros: number; readonly bytes: number },
): number {
  return b.micros - a.micros || b.bytes - a.bytes;
}

/**
 * Sums by namespace; objects without namespace, such as the mesh configuration, have the empty
 * name.
 */
function byNamespace(objects: readonly ObjectCost[]): ObjectCost[] {
  const groups = Map.groupBy(objects, ({ name }) => {
    const ref = parseRowRef(name);
    return ref !== undefined && isTableKind(ref.table) ? namespaceOf(ref.key) : "";
  });
  return [...groups].map(([name, group]) => ({
    name,
    micros: sum(group, "micros"),
    computed: sum(group, "computed"),
    pushes: sum(group, "pushes"),
    bytes: sum(group, "bytes"),
  })).sort(dearer);
}

function sum<K extends string>(list: readonly Readonly<Record<K, number>>[], field: K): number {
  return list.reduce((total, one) => total + one[field], 0);
}

function classCosts({ spending, sessions }: DebugInputs, { keys }: Costs): ClassCost[] {
  const connected = new Map<string, number>();
  for (const { classKey } of sessions()) {
    connected.set(classKey, (connected.get(classKey) ?? 0) + 1);
  }
  return keys.map(({ key, micros }): ClassCost => {
    const { role, namespace, labels } = JSON.parse(key) as ProxyClass;
    const proxies = connected.get(key) ?? 0;
    return { role, namespace, labels, proxies, micros, ...spending.classes.get(key)! };
  }).sort((a, b) => b.bytes - a.bytes || b.micros - a.micros);
}
