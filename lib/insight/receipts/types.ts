/**
 * Types of receipts and of their inputs.
 *
 * @module
 */
import type { Collection, Edit } from "../../mesh/graph/mod.ts";

/** A configuration object at one generation. */
export interface Edited {
  readonly kind: string;
  /** Empty for objects without one, such as the mesh configuration. */
  readonly namespace: string;
  readonly name: string;
  /** `undefined` for a deleted object. */
  readonly generation: number | undefined;
  /** When the edit was seen, milliseconds since the epoch, if known. */
  readonly seenAt: number | undefined;
}

/** Outcome of an edit at one proxy. */
export type Outcome =
  /** Not sent or not answered yet. */
  | "pending"
  /** The proxy rejected a resource of it. */
  | "rejected"
  /** Not sent, because a proxy of its class rejected this version. */
  | "withheld"
  /** The stream ended before the proxy answered. */
  | "closed"
  /** The proxy answered a later version of the same resources, or nothing differed in the end. */
  | "superseded"
  | "acknowledged";

/** Outcomes by significance: the first of several at a proxy is its outcome. */
export const OUTCOMES: readonly Outcome[] = [
  "pending",
  "rejected",
  "withheld",
  "closed",
  "superseded",
  "acknowledged",
];

/** The result of one edit of one object. Times in milliseconds since the epoch. */
export interface Receipt extends Edited {
  /** Revision of the publication with the edit. */
  readonly revision: number;
  readonly publishedAt: number;
  /** Changed or removed resources with subscribers; truncated when there are many. */
  readonly resources: readonly { readonly typeUrl: string; readonly name: string }[];
  readonly resourceCount: number;
  /** False if the publication had too many changes to separate edits. */
  readonly exact: boolean;
  /** Affected streams by outcome. A stream is affected if it follows changed resources. */
  readonly sessions: Readonly<Record<Outcome, number>> & { readonly concerned: number };
  /** No stream is pending. */
  readonly complete: boolean;
  readonly firstAckAt: number | undefined;
  readonly lastAckAt: number | undefined;
  /** From the time the edit was seen (or published) to acknowledgements, milliseconds. */
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Some of the streams with other outcomes than acknowledgement. */
  readonly streams: readonly StreamOutcome[];
}

/** One stream's part in a receipt. */
export interface StreamOutcome {
  /** Connection id, `<name>.<namespace>-<number>`. */
  readonly id: string;
  readonly outcome: Exclude<Outcome, "acknowledged">;
  /** The client's message of a rejection. */
  readonly message?: string;
}

/** Inputs of receipts. */
export interface ReceiptOptions {
  /** Rows changed later than a revision; see `Graph.edits`. */
  readonly edits: (since: number) => readonly Edit[] | undefined;
  /** Causes of a resource's change in the last publication; see `Graph.causes`. */
  readonly causes: (collection: Collection, name: string) => readonly Edit[];
  /** The object of a row; `undefined` for other rows. */
  readonly identify: (edit: Edit) => Edited | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Maximum number of receipts (default 10,000). */
  readonly limit?: number;
  /** Approximate maximum of bytes (default 16 MiB). */
  readonly maxBytes?: number;
  /**
   * Maximum of resource changes, over all views, that are followed exactly in a publication
   * (default 200,000).
   */
  readonly exactLimit?: number;
}
