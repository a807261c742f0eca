/**
 * The changes of one publication, the streams that follow them, and their progress. All receipts of
 * a publication share it.
 *
 * @module
 */
import type { ObservedStream } from "../../mesh/xds/mod.ts";
import { type BitPool, bitPool, type Bits } from "./bits.ts";
import type { Edited } from "./types.ts";

/** State of a stream's answer. The outcome of one edit depends on its resources. */
export const PENDING = 0;
/** Answered; see {@link Member.covered} and {@link Member.rejected}. */
export const SETTLED = 1;
/** The stream ended. */
export const CLOSED = 2;

/** A stream that follows resources of a type that a publication changed. */
export interface Member {
  readonly id: string;
  /** Followed indexes of {@link TypeChange.names}. */
  readonly names: Bits;
  state: typeof PENDING | typeof SETTLED | typeof CLOSED;
  /** When it was settled, milliseconds since the epoch. */
  at: number;
  /** Names that a later publication with the same answer changed again. */
  covered: Bits | undefined;
  /** Rejected names, with the client's message. */
  rejected: { readonly names: Bits; readonly message: string } | undefined;
  /** Names that were not sent. */
  withheld: Bits | undefined;
}

/** The changes of one resource type in a publication. */
export interface TypeChange {
  readonly typeUrl: string;
  readonly names: string[];
  /** Index of a name in {@link names}; cleared when no stream is pending. */
  readonly index: Map<string, number>;
  readonly pool: BitPool;
  readonly members: Member[];
  readonly rollout: Rollout;
}

/** One edit of a publication. */
export interface Entry {
  readonly edited: Edited;
  /** Indexes of the changed names in {@link TypeChange.names}. */
  readonly changed: Map<TypeChange, readonly number[]>;
  readonly rollout: Rollout;
}

/** A publication. */
export interface Rollout {
  readonly revision: number;
  readonly publishedAt: number;
  readonly types: Map<string, TypeChange>;
  readonly entries: Entry[];
  readonly exact: boolean;
  /** Members that are pending. */
  open: number;
  /** Approximate bytes. */
  bytes: number;
}

/** Creates a rollout without changes. */
export function newRollout(revision: number, publishedAt: number, exact: boolean): Rollout {
  return { revision, publishedAt, types: new Map(), entries: [], exact, open: 0, bytes: 0 };
}

/** The changes of a type in a publication. */
export function typeChange(rollout: Rollout, typeUrl: string): TypeChange {
  let change = rollout.types.get(typeUrl);
  if (!change) {
    change = { typeUrl, names: [], index: new Map(), pool: bitPool(), members: [], rollout };
    rollout.types.set(typeUrl, change);
  }
  return change;
}

/** The index of a changed name. */
export function numberOf(change: TypeChange, name: string): number {
  let at = change.index.get(name);
  if (at === undefined) {
    at = change.names.length;
    change.names.push(name);
    change.index.set(name, at);
  }
  return at;
}

/** Adds a stream that follows some of the names. */
export function addMember(change: TypeChange, stream: ObservedStream, names: Bits): Member {
  const member: Member = {
    id: stream.id,
    names,
    state: PENDING,
    at: 0,
    covered: undefined,
    rejected: undefined,
    withheld: undefined,
  };
  change.members.push(member);
  change.rollout.open++;
  return member;
}

/** Bytes of a member, an entry, and a name with its index; measured, rounded up. */
const SIZES = { member: 120, entry: 300, name: 48 };

/** Approximate bytes of a publication. Names are shared with the engine and count as pointers. */
export function weigh(rollout: Rollout): number {
  let bytes = 300;
  for (const { changed } of rollout.entries) {
    bytes += SIZES.entry;
    for (const numbers of changed.values()) bytes += 64 + numbers.length * 8;
  }
  for (const { names, members, pool } of rollout.types.values()) {
    bytes += names.length * SIZES.name + members.length * SIZES.member + pool.bytes;
  }
  return bytes;
}

/** No stream is pending: data for following answers is dropped. */
export function settleRollout(rollout: Rollout): void {
  for (const { index } of rollout.types.values()) index.clear();
}
