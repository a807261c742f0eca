/**
 * The edit behind the outcome of a request: the publication that gave it, and who accepted it.
 *
 * @module
 */
import { type Verdict, verdictLine } from "../verdict/mod.ts";
import type { Acceptance, Edit } from "../incident/mod.ts";
import { objectKeys, objectOfRow } from "../../mesh/model/mod.ts";
import { rowRef } from "../../mesh/graph/mod.ts";
import type { Receipt } from "../receipts/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import type { PastOutcome } from "./request_history.ts";

/** The outcomes of a request, of which one is in question. */
export interface Turns {
  /** The outcome at the time of the request, if it is another one than now. */
  readonly then?: PastOutcome;
  /** The outcome in question, unset if the history lacks it, and the one before. */
  readonly asked?: PastOutcome;
  readonly before?: PastOutcome;
  readonly unknown: readonly string[];
}

/** A request as it was seen, and what tells if an outcome is its outcome. */
export interface SeenRequest {
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly agrees: (one: PastOutcome) => boolean;
  /** When the last proxy acknowledged a publication; `undefined`: not known. */
  readonly acknowledgedAt: (revision: number) => number | undefined;
  /** The outcome now, which the history may lack. */
  readonly now: Verdict["outcome"];
}

/** Selects the outcome at a time; without a time, the latest. */
export function relevantTurn(past: readonly PastOutcome[], seen: SeenRequest): Turns {
  const [first] = past;
  const last = past.at(-1);
  if (first === undefined || last === undefined) {
    return { unknown: ["the edit: the daemon has no history"] };
  }
  const begins = `the history of this daemon begins at revision ${first.revision}, ` +
    new Date(first.at).toISOString();
  if (seen.at !== undefined && seen.at < first.at) {
    return { unknown: [`the outcome at the time of the request, because ${begins}`] };
  }
  const asked = turnAt(past, seen) ?? last;
  if (asked === last && last.verdict.outcome !== seen.now) {
    return { before: last, unknown: [] };
  }
  const before = past[past.indexOf(asked) - 1];
  return {
    ...asked === last ? {} : { then: asked },
    ...{ asked, before },
    unknown: before === undefined
      ? [`since when exactly: the request had this outcome before, and ${begins}`]
      : [],
  };
}

/**
 * The outcome in force at the time of the request: the latest before it, or the one before that if it
 * is the one seen and proxies had not acknowledged the later one.
 */
function turnAt(
  past: readonly PastOutcome[],
  { at, agrees, acknowledgedAt }: SeenRequest,
): PastOutcome | undefined {
  if (at === undefined) return undefined;
  const latest = past.findLast((one) => one.at <= at);
  if (latest === undefined || agrees(latest)) return latest;
  const before = past[past.indexOf(latest) - 1];
  const reached = acknowledgedAt(latest.revision) ?? Infinity;
  return before !== undefined && agrees(before) && at < reached ? before : latest;
}

type EditInputs = Pick<DebugInputs, "history" | "receipts">;

/** When the last proxy acknowledged the edits of a publication. */
export function acknowledgedAt(inputs: EditInputs, revision: number): number | undefined {
  const times = receiptsOf(inputs, revision).map(({ receipt }) => receipt.lastAckAt);
  return times.length === 0 || times.includes(undefined)
    ? undefined
    : Math.max(...times as number[]);
}

/** The receipts of the edits of a publication, by object. */
function receiptsOf(
  { history, receipts }: EditInputs,
  revision: number,
): { readonly object: string; readonly receipt: Receipt }[] {
  return (history.revision(revision)?.edits ?? []).flatMap((row) => {
    const object = objectOfRow(row);
    const { namespace, name } = objectKeys.decode(object.key);
    const receipt = receipts.of(object.table, namespace, name)
      .find((one) => one.revision === revision);
    return receipt === undefined ? [] : [{ object: rowRef(object), receipt }];
  });
}

/**
 * The edit that gave the outcome in question. Where the history does not reach back, it is the latest
 * edit of the deciding objects. `undefined`: not known.
 */
export function editBehind(
  inputs: EditInputs,
  { asked, before }: Turns,
  deciding: readonly string[],
): Edit | undefined {
  if (asked === undefined) {
    const latest = before && latestEdit(inputs, deciding);
    if (latest === undefined || before === undefined) return undefined;
    return latest.revision > before.revision
      ? { ...latest, before: verdictLine(before.verdict) }
      : latest;
  }
  if (before === undefined) return latestEdit(inputs, deciding);
  const { revision, at, edits } = asked;
  const found = receiptsOf(inputs, revision);
  const own = found.filter(({ object }) => deciding.includes(object));
  const shown = own.length > 0 ? own : found;
  return {
    ...{ revision, at, edits, before: verdictLine(before.verdict) },
    accepted: shown.map(({ object, receipt }) => acceptance(object, receipt)),
  };
}

function latestEdit({ receipts }: EditInputs, deciding: readonly string[]): Edit | undefined {
  const found = deciding.flatMap((object) => {
    const [kind = "", namespace = "", name = ""] = object.split("/");
    const [receipt] = receipts.of(kind, namespace, name);
    return receipt === undefined ? [] : [{ object, receipt }];
  }).sort((a, b) => b.receipt.revision - a.receipt.revision);
  const [latest] = found;
  if (latest === undefined) return undefined;
  const { revision, publishedAt } = latest.receipt;
  const same = found.filter(({ receipt }) => receipt.revision === revision);
  return {
    ...{ revision, at: publishedAt },
    edits: same.map(({ object }) => object.replace("/", " ")),
    accepted: same.map(({ object, receipt }) => acceptance(object, receipt)),
  };
}

function acceptance(object: string, receipt: Receipt): Acceptance {
  const { generation, sessions, streams } = receipt;
  return {
    object,
    ...generation === undefined ? {} : { generation },
    ...{ concerned: sessions.concerned, acknowledged: sessions.acknowledged },
    others: streams.map(({ id, outcome, message }) =>
      `${id}: ${outcome}${message === undefined ? "" : ` (${message})`}`
    ),
  };
}
