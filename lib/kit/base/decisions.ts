/**
 * Decisions: where several objects could decide the same thing, the code that
 * chooses records which one it chose, and which ones it passed over. Nobody
 * records while the mesh is computed, and recording then costs nothing; to
 * explain a value, the same computation runs once more with a recorder.
 *
 * @module
 */

/** Source of a decision. */
export interface Source {
  /**
   * `object`: a configuration object; `mesh`: the mesh configuration; `environment`: a variable of
   * the daemon; `proxy`: the proxy's own metadata; `built-in`: a default, because no setting
   * exists.
   */
  readonly source: "object" | "mesh" | "environment" | "proxy" | "built-in";
  /** `Kind/namespace/name`, of an object. */
  readonly object?: string;
  /** The field of that source: `spec.http[0].retries`, `connectTimeout`, `PILOT_HTTP10`. */
  readonly field?: string;
}

/** A source, or a part of one, that would have decided if another had not. */
export interface PassedOver extends Source {
  /** The reason as a sentence without a full stop, for example `it is younger`. */
  readonly why: string;
}

export interface Decision extends Source {
  /** The part of the value that it is about: the resource's name first, then parts of it. Empty: all of it. */
  readonly of: readonly string[];
  /** The thing decided, for example `connectionPool`. */
  readonly group: string;
  /** The outcome, where it is short. */
  readonly value?: string | number | boolean;
  readonly passedOver?: readonly PassedOver[];
}

/** A decision as the code that makes it records it; `of` is relative to the log's part. */
export type RecordedDecision = Omit<Decision, "of"> & { readonly of?: readonly string[] };

/**
 * Takes decisions. The read context of a computation is one; builders that know
 * no graph get one as the field `decisions` of their input.
 */
export interface DecisionLog {
  /**
   * Records a decision. Unset if decisions are not recorded: call it as `log.decide?.(…)`, so that
   * the arguments are only evaluated if they are used.
   */
  readonly decide?: (decision: RecordedDecision) => void;
  /** A log for a part: its decisions are about that part of this log's value. */
  within(...part: readonly string[]): this;
  /** A log that hands its decisions to `change` first; this log records the results, and nothing for `undefined`. */
  mapped(change: (decision: RecordedDecision) => RecordedDecision | undefined): this;
}

class NoDecisions implements DecisionLog {
  within(): this {
    return this;
  }

  mapped(): this {
    return this;
  }
}

/** A log that records nothing. */
export const NO_DECISIONS: DecisionLog = new NoDecisions();

/** A decision as one about a part of a larger value. */
export function about(part: readonly string[], decision: RecordedDecision): RecordedDecision {
  return { ...decision, of: [...part, ...decision.of ?? []] };
}

/** A log whose decisions wait until their part has a name, such as a listener that is named last. */
export interface HeldDecisions<L extends DecisionLog> {
  readonly log: L;
  /** Records all of them in the original log as decisions about a part. */
  release(...part: readonly string[]): void;
}

/** Holds decisions back until {@link HeldDecisions.release}. */
export function holdDecisions<L extends DecisionLog>(log: L): HeldDecisions<L> {
  const held: RecordedDecision[] = [];
  const hold = (decision: RecordedDecision): undefined => {
    held.push(decision);
  };
  return {
    log: log.mapped(hold),
    release: (...part) => {
      for (const decision of held) log.decide?.(about(part, decision));
    },
  };
}

/** A candidate of {@link choose}. */
export interface Candidate<V> extends Source {
  /** `undefined`: it sets nothing. */
  readonly value: V | undefined;
}

/** Input of {@link choose}, and the form of its record. */
export interface Choice<V> {
  /** The thing decided. */
  readonly group: string;
  /** The value as it is shown; default: not shown. */
  readonly show?: (value: V) => Decision["value"];
  /** Sources that could not be chosen, each for a reason of its own. */
  readonly closed?: readonly PassedOver[];
}

/**
 * The value of the first candidate that sets one. Records which candidate that
 * was and which others it was chosen over.
 */
export function choose<V>(
  log: DecisionLog,
  choice: string | Choice<V>,
  candidates: readonly Candidate<V>[],
): V | undefined {
  const at = candidates.findIndex((candidate) => candidate.value !== undefined);
  const chosen = candidates[at];
  if (log.decide === undefined || chosen === undefined) return chosen?.value;
  const { group, show, closed = [] }: Choice<V> = typeof choice === "string"
    ? { group: choice }
    : choice;
  const rest = candidates.slice(at + 1)
    .filter((other) => other.value !== undefined && other.source !== "built-in");
  const why = `${chosen.field ?? "what was chosen"} goes before it`;
  log.decide({
    group,
    ...sourceOf(chosen),
    value: show?.(chosen.value!),
    passedOver: [...rest.map((other) => ({ ...sourceOf(other), why })), ...closed],
  });
  return chosen.value;
}

/** The source alone, without the other fields of its bearer. */
export function sourceOf({ source, object, field }: Source): Source {
  return {
    source,
    ...(object === undefined ? {} : { object }),
    ...(field === undefined ? {} : { field }),
  };
}
