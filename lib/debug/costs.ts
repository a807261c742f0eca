/**
 * What everything costs, put together: the engine's work and what was sent, by object, namespace and
 * class of proxies.
 *
 * @module
 */
import type { Costs } from "../graph/mod.ts";
import type { ProxyClass } from "../model/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import type { Spent } from "./spending.ts";

/** What an object, or a namespace of objects, has cost. */
export interface ObjectCost extends Spent {
  /** `Kind/namespace/name`, or the namespace. */
  readonly name: string;
  /** Time computed because of edits. */
  readonly micros: number;
  readonly computed: number;
}

/** What proxies of a class have cost. */
export interface ClassCost extends Spent {
  readonly role: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Proxies of the class that are connected. */
  readonly proxies: number;
  /** Time to compute what is the class's own; what it shares is nobody's. */
  readonly micros: number;
}

/** The ledger. Lists begin with the dearest; `tables` and `inputs` are the engine's own. */
export interface CostView extends Omit<Costs, "keys"> {
  /** Time computed in all tables, those that are not listed included. */
  readonly micros: number;
  /** Those whose edits were followed by work or by a response. */
  readonly objects: readonly ObjectCost[];
  readonly namespaces: readonly ObjectCost[];
  readonly classes: readonly ClassCost[];
  /** Sent to proxies as they connected. */
  readonly connects: Spent;
  /** Sent because of more edits than are told from each other. */
  readonly shared: Spent;
}

/** Entries of a list when the question does not say how many. */
const TOP = 30;
/** Most entries of a list. */
const MAX_TOP = 1_000;
/** Cells listed of each table when the question does not say. */
const CELLS = 3;
const MAX_CELLS = 100;

/** Puts the ledger together; `?top=` bounds the lists. */
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
    const name = `${table}/${key}`;
    found.set(name, { name, micros, computed, pushes: 0, bytes: 0, ...sent.get(name) });
  }
  for (const [name, spent] of sent) {
    if (!found.has(name)) found.set(name, { name, micros: 0, computed: 0, ...spent });
  }
  return [...found.values()]
    .filter(({ micros, computed, bytes, pushes }) => micros + computed + bytes + pushes > 0)
    .sort(dearer);
}

/** Time first, then bytes. */
function dearer(
  a: { readonly micros: number; readonly bytes: number },
  b: { readonly micros: number; readonly bytes: number },
): number {
  return b.micros - a.micros || b.bytes - a.bytes;
}

/** Sums by namespace; what has none, such as the mesh configuration, under the empty name. */
function byNamespace(objects: readonly ObjectCost[]): ObjectCost[] {
  const groups = Map.groupBy(objects, ({ name }) => {
    const [, namespace = "", rest] = name.split("/");
    return rest === undefined ? "" : namespace;
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
