/**
 * Cost of sending, in addition to computing: bytes and responses, by the object whose edit caused
 * them and by the class of the receiving proxies.
 *
 * @module
 */
import { type Graph, rowRef } from "../../mesh/graph/mod.ts";
import type { SentEvent, XdsObserver } from "../../mesh/xds/mod.ts";
import { type Publication, reasonsOf, sharesOf } from "./reasons.ts";

/** Responses and bytes of an account. */
export interface Spent {
  /** Number of responses; a fraction if several edits share one. */
  readonly pushes: number;
  readonly bytes: number;
}

/** The accounts. */
export interface Spending {
  /** Observer for the discovery server. */
  readonly observer: XdsObserver;
  /** By row, `Kind/namespace/name`. */
  readonly objects: ReadonlyMap<string, Spent>;
  /** By the class's key. */
  readonly classes: ReadonlyMap<string, Spent>;
  /** First responses to proxies. */
  readonly connects: Spent;
  /**
   * Responses that cannot be charged to one edit: too many were published together, or too long
   * ago.
   */
  readonly shared: Spent;
}

/** Maximum number of accounts of objects, and of classes. */
const ACCOUNTS = 5_000;
/** Number of publications with recorded edits; responses follow within seconds. */
const PUBLICATIONS = 200;
/** A publication with more edits is charged to the shared account. */
const EDITS = 500;

type Account = { -readonly [K in keyof Spent]: Spent[K] };

/**
 * Creates empty accounts. A response is charged to the rows edited since the previous response, by
 * what each of them changed in it.
 */
export function createSpending(
  graph: Pick<Graph, "edits" | "causes">,
  limit: number = ACCOUNTS,
): Spending {
  const objects = new Map<string, Account>();
  const classes = new Map<string, Account>();
  const connects = nothing();
  const shared = nothing();
  /** By revision, ascending, with the previous revision. */
  const publications = new Map<number, { from: number; what: Publication | undefined }>();

  const between = (from: number, to: number): readonly Publication[] | undefined => {
    const found: Publication[] = [];
    let at = from;
    for (const [revision, { from, what }] of publications) {
      if (revision <= at || revision > to) continue;
      if (from > at || what === undefined) return undefined;
      found.push(what);
      at = revision;
    }
    return at < to ? undefined : found;
  };

  const sent = (event: SentEvent): void => {
    const { stream, from, revision, bytes } = event;
    charge(accountOf(classes, stream.binding.classKey, limit), 1, bytes);
    if (from === 0) return charge(connects, 1, bytes);
    const shares = sharesOf(event, between(from, revision) ?? []);
    if (shares.size === 0) return charge(shared, 1, bytes);
    for (const [row, share] of shares) {
      charge(accountOf(objects, row, limit), share, bytes * share);
    }
  };

  return {
    observer: {
      published: (event) => {
        const { revision, from } = event;
        const edits = graph.edits(from);
        const rows = [...new Set(edits?.map(rowRef))];
        const what = edits === undefined || rows.length > EDITS
          ? undefined
          : { rows, ...rows.length > 1 && { reasons: reasonsOf(graph, event) } };
        publications.set(revision, { from, what });
        if (publications.size > PUBLICATIONS) {
          publications.delete(publications.keys().next().value!);
        }
      },
      sent,
    },
    objects,
    classes,
    connects,
    shared,
  };
}

function nothing(): Account {
  return { pushes: 0, bytes: 0 };
}

function charge(account: Account, pushes: number, bytes: number): void {
  account.pushes += pushes;
  account.bytes += bytes;
}

/** Returns the account of a key; above the limit, a new one replaces the cheapest quarter. */
function accountOf(accounts: Map<string, Account>, key: string, limit: number): Account {
  let account = accounts.get(key);
  if (account !== undefined) return account;
  if (accounts.size >= limit) {
    const cheap = [...accounts].sort(([, a], [, b]) => a.bytes - b.bytes);
    for (const [old] of cheap.slice(0, Math.ceil(limit / 4))) accounts.delete(old);
  }
  accounts.set(key, account = nothing());
  return account;
}
