/**
 * How computations say why: where several objects could decide the same thing,
 * the code that decides tells who won and who lost. Nobody listens while the
 * mesh is computed, and then telling costs nothing; to explain a value, the same
 * computation is run once more with somebody listening. So an explanation cannot
 * say anything else than what was done.
 *
 * @module
 */
import {
  about,
  type Candidate,
  choose as chooseOf,
  type Decision,
  type DecisionLog,
  NO_DECISIONS,
  type PassedOver,
  type RecordedDecision,
  type Source,
  sourceOf,
} from "../base/mod.ts";
import type { Derived, DeriveOptions, Graph, Read } from "../graph/mod.ts";
import { fromObject, objectRef, whyLater } from "../model/mod.ts";

export { type Candidate, fromObject, objectRef, type PassedOver, type Source, sourceOf, whyLater };

/** One decision. */
export type Told = Decision;

/** Hears decisions. Call it as `tell?.(…)`: arguments are then made only when somebody listens. */
export type Tell = (told: RecordedDecision) => void;

/** A listener for what is inside of a part. */
export function within(tell: Tell | undefined, ...part: readonly string[]): Tell | undefined {
  return tell && ((told) => tell(about(part, told)));
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

/** As `choose` of `lib/base`, with a listener in place of a log. */
export function choose<V>(
  tell: Tell | undefined,
  group: string,
  candidates: readonly Candidate<V>[],
  show: (value: V) => Told["value"] = () => undefined,
  closed: readonly PassedOver[] = [],
): V | undefined {
  const log = tell === undefined ? NO_DECISIONS : { ...NO_DECISIONS, decide: tell } as DecisionLog;
  return chooseOf(log, { group, show, closed }, candidates);
}

/** A computation that tells when it is listened to. */
export type Telling<V> = (read: Read, key: string, tell?: Tell) => V;

/** Creates a derived table whose computation takes a listener. */
export function deriveTelling<V>(
  graph: Graph,
  name: string,
  compute: Telling<V>,
  options?: DeriveOptions<V>,
): Derived<V> {
  const run = (read: Read, key: string): V =>
    compute(read, key, read.decide && ((told) => read.decide!(told)));
  return graph.derive<V>(name, run, options);
}

/** Reads a derived value; when somebody listens, by computing it again. */
export function lookUp<V, K>(
  read: Read,
  table: Derived<V, K>,
  key: NoInfer<K>,
  tell: Tell | undefined,
): V {
  if (tell === undefined) return read.get(table, key);
  if (read.decide !== undefined) {
    return read.mapped((told) => {
      tell(told);
      return undefined;
    }).follow(table, key);
  }
  const { value, decisions } = read.explain(table, key);
  for (const decision of decisions) tell(decision);
  return value;
}
