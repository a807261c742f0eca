/**
 * What one publication changed, who follows it, and how far each of them is. All receipts of a
 * publication share it.
 *
 * @module
 */
import type { ObservedStream } from "../serve/mod.ts";
import { type BitPool, bitPool, type Bits } from "./bits.ts";
import type { Edited } from "./types.ts";

/** How a stream's answer stands; what it means for one edit depends on the resources of that edit. */
export const PENDING = 0;
/** Answered; see {@link Member.covered} and {@link Member.rejected}. */
export const SETTLED = 1;
/** The stream ended. */
export const CLOSED = 2;

/** A stream that follows resources of a type that a publication changed. */
export interface Member {
  readonly id: string;
  /** Which of {@link TypeChange.names} it follows. */
  readonly names: Bits;
  state: typeof PENDING | typeof SETTLED | typeof CLOSED;
  /** When it was settled, milliseconds since the epoch. */
  at: number;
  /** Names that a later publication, answered with it, changed again. */
  covered: Bits | undefined;
  /** Names that it rejected, with its words. */
  rejected: { readonly names: Bits; readonly message: string } | undefined;
  /** Names it was not sent. */
  withheld: Bits | undefined;
}

/** What a publication changed of one resource type. */
export interface TypeChange {
  readonly typeUrl: string;
  readonly names: string[];
  /** Place of a name in {@link names}; emptied when nobody is pending. */
  readonly index: Map<string, number>;
  readonly pool: BitPool;
  readonly members: Member[];
  readonly rollout: Rollout;
}

/** One edit of a publication. */
export interface Entry {
  readonly edited: Edited;
  /** Places of the names it changed in {@link TypeChange.names}. */
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
  /** Bytes it takes, about. */
  bytes: number;
}

/** A publication that changed nothing yet. */
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

/** The number of a name that changed. */
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

/** Bytes of a member, of an entry, and of a name with its place; measured, rounded up. */
const SIZES = { member: 120, entry: 300, name: 48 };

/** Bytes a publication takes, about. Names are shared with the engine, and count as pointers. */
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

/** Nobody is pending any more: what was only needed to follow answers goes. */
export function settleRollout(rollout: Rollout): void {
  for (const { index } of rollout.types.values()) index.clear();
}
