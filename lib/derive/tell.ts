/**
 * How computations say why: where several objects could decide the same thing,
 * the code that decides tells who won and who lost. Nobody listens while the
 * mesh is computed, and then telling costs nothing; to explain a value, the same
 * computation is run once more with somebody listening. So an explanation cannot
 * say anything else than what was done.
 *
 * @module
 */
import type { Derived, DeriveOptions, Graph, Read } from "../graph/mod.ts";
import { type ConfigObject, objectKey } from "../model/mod.ts";

/** Who decided something. */
export interface Source {
  /**
   * `object`: a configuration object; `mesh`: the mesh configuration;
   * `environment`: a variable of the daemon; `proxy`: what the proxy says of
   * itself; `built-in`: nobody said anything.
   */
  readonly source: "object" | "mesh" | "environment" | "proxy" | "built-in";
  /** `Kind/namespace/name`, of an object. */
  readonly object?: string;
  /** Where it stands there: `spec.http[0].retries`, `connectTimeout`, `PILOT_HTTP10`. */
  readonly field?: string;
}

/** An object, or a part of one, that would have decided if another had not. */
export interface PassedOver extends Source {
  /** A sentence without a full stop, for example `it is younger`. */
  readonly why: string;
}

/** One decision. */
export interface Told extends Source {
  /** What it was made for: the resource's name first, then parts of it. Empty: all that was computed. */
  readonly of: readonly string[];
  /** What was decided, for example `connectionPool`. */
  readonly group: string;
  /** What came out, where that is short. */
  readonly value?: string | number | boolean;
  readonly passedOver?: readonly PassedOver[];
}

/** Hears decisions. Call it as `tell?.(…)`: arguments are then made only when somebody listens. */
export type Tell = (told: Omit<Told, "of"> & { readonly of?: readonly string[] }) => void;

/** A listener for what is inside of a part. */
export function within(tell: Tell | undefined, ...part: readonly string[]): Tell | undefined {
  return tell && ((told) => tell({ ...told, of: [...part, ...told.of ?? []] }));
}

/** What is told before it is known of what: held until then. */
export interface Held {
  /** `undefined` when nobody listens. */
  readonly tell: Tell | undefined;
  /** Tells all of it, of a part. */
  of(...part: readonly string[]): void;
}

/** Holds what is told until its part is known, such as a listener that is named as it is made. */
export function held(tell: Tell | undefined): Held {
  const heard: Parameters<Tell>[0][] = [];
  return {
    tell: tell && ((told) => heard.push(told)),
    of: (...part) => {
      for (const told of heard) tell?.({ ...told, of: [...part, ...told.of ?? []] });
    },
  };
}

/** A candidate of {@link choose}. */
export interface Candidate<V> extends Source {
  /** `undefined`: it says nothing. */
  readonly value: V | undefined;
}

/**
 * The value of the first candidate that says something; tells whose it was, and
 * whom it was put before.
 *
 * @param group what is decided; the value is shown as `show` gives it
 * @param closed who could not be chosen, for a reason of its own
 */
export function choose<V>(
  tell: Tell | undefined,
  group: string,
  candidates: readonly Candidate<V>[],
  show: (value: V) => Told["value"] = () => undefined,
  closed: readonly PassedOver[] = [],
): V | undefined {
  const at = candidates.findIndex((c) => c.value !== undefined);
  const chosen = candidates[at];
  if (tell === undefined || chosen === undefined) return chosen?.value;
  const rest = candidates.slice(at + 1)
    .filter((c) => c.value !== undefined && c.source !== "built-in");
  tell({
    group,
    ...sourceOf(chosen),
    value: show(chosen.value!),
    passedOver: [
      ...rest.map((c) => ({
        ...sourceOf(c),
        why: `${chosen.field ?? "what was chosen"} goes before it`,
      })),
      ...closed,
    ],
  });
  return chosen.value;
}

/** A source alone, without what else its bearer has. */
export function sourceOf({ source, object, field }: Source): Source {
  return {
    source,
    ...(object === undefined ? {} : { object }),
    ...(field === undefined ? {} : { field }),
  };
}

/** How an object is named: `Kind/namespace/name`. */
export function objectRef({ meta }: Pick<ConfigObject, "meta">): string {
  return `${meta.kind}/${objectKey(meta)}`;
}

/** An object as a source. */
export function fromObject(object: Pick<ConfigObject, "meta">, field?: string): Source {
  return {
    source: "object",
    object: objectRef(object),
    ...(field === undefined ? {} : { field }),
  };
}

/** Why one of two objects of equal rank comes after the other. */
export function whyLater(later: ConfigObject, earlier: ConfigObject): string {
  const first = objectRef(earlier);
  const [a, b] = [later.meta.creationTime || Infinity, earlier.meta.creationTime || Infinity];
  return a > b ? `${first} is older` : `${first} comes first by name, and neither is older`;
}

/** A computation that tells when it is listened to. */
export type Telling<V> = (read: Read, key: string, tell?: Tell) => V;

/** The computations of a graph's tables, by table; they are there as long as the graph. */
const computations = new WeakMap<Graph, Map<string, Telling<unknown>>>();
const byTable = new WeakMap<Derived<unknown>, Telling<unknown>>();

/** Creates a derived table of which the computation can be run again by {@link lookUp} and {@link retell}. */
export function deriveTelling<V>(
  graph: Graph,
  name: string,
  compute: Telling<V>,
  options?: DeriveOptions<V>,
): Derived<V> {
  const table = graph.derive<V>(name, (read, key) => compute(read, key), options);
  byTable.set(table, compute);
  let tables = computations.get(graph);
  if (tables === undefined) computations.set(graph, tables = new Map());
  tables.set(name, compute);
  return table;
}

/** Reads a derived value; when somebody listens, by computing it again. */
export function lookUp<V>(
  read: Read,
  table: Derived<V>,
  key: string,
  tell: Tell | undefined,
): V {
  const compute = tell && byTable.get(table) as Telling<V> | undefined;
  return compute === undefined ? read.get(table, key) : compute(read, key, tell);
}

/**
 * Runs the computation behind a cell again for its explanation.
 *
 * @returns what it gives; `undefined` when the table does not tell
 */
export function retell(
  graph: Graph,
  read: Read,
  cell: { readonly table: string; readonly key: string },
  tell: Tell,
): { readonly value: unknown } | undefined {
  const compute = computations.get(graph)?.get(cell.table);
  return compute && { value: compute(read, cell.key, tell) };
}
