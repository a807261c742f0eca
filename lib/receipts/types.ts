/**
 * What a receipt says, and what receipts are made from.
 *
 * @module
 */
import type { Collection, Edit } from "../graph/mod.ts";

/** A configuration object at one generation. */
export interface Edited {
  readonly kind: string;
  /** Empty for what has none, such as the mesh configuration. */
  readonly namespace: string;
  readonly name: string;
  /** `undefined` when the object is gone. */
  readonly generation: number | undefined;
  /** When the edit was seen, milliseconds since the epoch, where that is known. */
  readonly seenAt: number | undefined;
}

/** What happened to an edit at one proxy. */
export type Outcome =
  /** Not sent yet, or not answered. */
  | "pending"
  /** The proxy rejected a resource of it. */
  | "rejected"
  /** Not sent, because a proxy of its kind rejected this version. */
  | "withheld"
  /** The stream ended before the proxy answered. */
  | "closed"
  /** The proxy answered, but to a later version of the same resources, or nothing differed in the end. */
  | "superseded"
  | "acknowledged";

/** Outcomes, the one that tells most about an edit first: of several at a proxy it counts. */
export const OUTCOMES: readonly Outcome[] = [
  "pending",
  "rejected",
  "withheld",
  "closed",
  "superseded",
  "acknowledged",
];

/** What became of one edit of one object. Times in milliseconds since the epoch. */
export interface Receipt extends Edited {
  /** Revision of the publication that the edit was out with. */
  readonly revision: number;
  readonly publishedAt: number;
  /** Resources that the edit changed or removed and somebody follows; a part of them when there are many. */
  readonly resources: readonly { readonly typeUrl: string; readonly name: string }[];
  readonly resourceCount: number;
  /** False when the publication changed so much that edits were not told from each other. */
  readonly exact: boolean;
  /** Streams concerned, by outcome. A stream that does not follow what changed is not concerned. */
  readonly sessions: Readonly<Record<Outcome, number>> & { readonly concerned: number };
  /** Nobody is pending. */
  readonly complete: boolean;
  readonly firstAckAt: number | undefined;
  readonly lastAckAt: number | undefined;
  /** From the moment the edit was seen (published, when that is not known) to acknowledgements, milliseconds. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Some of the streams that did not simply acknowledge. */
  readonly streams: readonly StreamOutcome[];
}

/** One stream's part in a receipt. */
export interface StreamOutcome {
  /** Connection id, `<name>.<namespace>-<number>`. */
  readonly id: string;
  readonly outcome: Exclude<Outcome, "acknowledged">;
  /** The client's words, for a rejection. */
  readonly message?: string;
}

/** What receipts are made from. */
export interface ReceiptOptions {
  /** Rows changed later than a revision; see `Graph.edits`. */
  readonly edits: (since: number) => readonly Edit[] | undefined;
  /** Why a resource changed in the last publication; see `Graph.causes`. */
  readonly causes: (collection: Collection, name: string) => readonly Edit[];
  /** The object of a row; `undefined` for rows that are none. */
  readonly identify: (edit: Edit) => Edited | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Receipts kept (default 10,000). */
  readonly limit?: number;
  /** Bytes they may take, about (default 16 MiB). */
  readonly maxBytes?: number;
  /** Changes of resources, over all views, that a publication is followed exactly for (default 200,000). */
  readonly exactLimit?: number;
}
