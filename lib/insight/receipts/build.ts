/**
 * Builds the rollout of a publication: which edits changed which resources, and which streams
 * follow them.
 *
 * @module
 */
import { type Collection, type Delta, type Edit, rowRef, type View } from "../../mesh/graph/mod.ts";
import type { Concern, PublishedEvent, Subscriber } from "../../mesh/xds/mod.ts";
import { type Bits, withBit } from "./bits.ts";
import {
  addMember,
  type Entry,
  type Member,
  newRollout,
  numberOf,
  type Rollout,
  type TypeChange,
  typeChange,
  weigh,
} from "./rollout.ts";
import type { ReceiptOptions } from "./types.ts";

/** Called for each affected stream. */
export type OnMember = (subscriber: Subscriber, change: TypeChange, member: Member) => void;

/** Default limit of resource changes of a publication that are followed exactly. */
const EXACT_LIMIT = 200_000;
const NOTHING: Bits = new Uint32Array(0);

/** The rollout of a publication; `undefined` when no object was edited in it. */
export function buildRollout(
  event: PublishedEvent,
  options: ReceiptOptions,
  onMember: OnMember,
): Rollout | undefined {
  const changes = event.concerns.map((concern) => changeOf(concern, event.from));
  const size = changes.reduce((sum, { names }) => sum + names.length, 0);
  const exact = size <= (options.exactLimit ?? EXACT_LIMIT);
  const rollout = newRollout(event.revision, event.time, exact);
  const entries = entriesOf(rollout, event.from, options);
  if (entries.size === 0) return undefined;
  const blame = exact ? blamer(entries, event.from, options) : undefined;
  for (const change of changes) addConcern(rollout, change, blame, onMember);
  if (blame) blame.finish();
  else blameAll(rollout);
  rollout.bytes = weigh(rollout);
  return rollout;
}

interface ConcernChange extends Concern {
  readonly names: readonly string[];
}

/** The changes for the subscribers of a concern. */
function changeOf(concern: Concern, from: number): ConcernChange {
  const { changed, removed } = deltaOf(concern, from);
  return { ...concern, names: [...changed.map(({ name }) => name), ...removed] };
}

function deltaOf({ view, before }: Concern, from: number): Delta {
  if (!view) return { changed: [], removed: before ? [...before.names()] : [] };
  if (!before) return { changed: [...view.entries()], removed: [] };
  return (view === before ? view.since(from) : undefined) ?? view.diffFrom(before, from);
}

/** An entry for each edited object, with its last edit. */
function entriesOf(rollout: Rollout, from: number, options: ReceiptOptions): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const edits = new Map<string, Edit>();
  for (const edit of options.edits(from) ?? []) edits.set(rowRef(edit), edit);
  for (const [row, edit] of edits) {
    const edited = options.identify(edit);
    if (!edited) continue;
    const entry: Entry = { edited, changed: new Map(), rollout };
    entries.set(row, entry);
    rollout.entries.push(entry);
  }
  return entries;
}

/** Finds the edits behind changes. */
interface Blame {
  /** Records which edits changed a name of a view. */
  add(concern: Concern, change: TypeChange, name: string): void;
  /** Adds the results to the entries. */
  finish(): void;
}

function blamer(entries: ReadonlyMap<string, Entry>, from: number, options: ReceiptOptions): Blame {
  const found = new Map<Entry, Map<TypeChange, Set<number>>>();
  const causes = layerCauses(entries, from, options);
  const everybody = [...entries.values()];
  return {
    add({ view, before }, change, name) {
      const number = numberOf(change, name);
      const blamed = new Set<Entry>();
      // A single edit is the cause of everything.
      for (const layer of everybody.length > 1 ? layersOf(view, before) : []) {
        for (const entry of causes(layer, name)) blamed.add(entry);
      }
      // A stream with a new binding sees other resources although none changed: any edit may be the
      // cause.
      for (const entry of blamed.size > 0 ? blamed : everybody) {
        let byType = found.get(entry);
        if (!byType) found.set(entry, byType = new Map());
        const numbers = byType.get(change);
        if (numbers) numbers.add(number);
        else byType.set(change, new Set([number]));
      }
    },
    finish() {
      for (const [entry, byType] of found) {
        for (const [change, numbers] of byType) entry.changed.set(change, [...numbers]);
      }
    },
  };
}

/** The entries that caused the change of a name in a layer; the engine is asked once. */
function layerCauses(
  entries: ReadonlyMap<string, Entry>,
  from: number,
  options: ReceiptOptions,
): (collection: Collection, name: string) => readonly Entry[] {
  const known = new Map<Collection, Map<string, readonly Entry[] | undefined>>();
  const causesOf = (collection: Collection): Map<string, readonly Entry[] | undefined> => {
    let causes = known.get(collection);
    if (!causes) {
      causes = new Map();
      for (const { name } of collection.since(from) ?? []) causes.set(name, undefined);
      known.set(collection, causes);
    }
    return causes;
  };
  return (collection, name) => {
    const causes = causesOf(collection);
    if (!causes.has(name)) return [];
    let found = causes.get(name);
    if (!found) {
      found = options.causes(collection, name)
        .map((edit) => entries.get(rowRef(edit)))
        .filter((entry) => entry !== undefined);
      causes.set(name, found);
    }
    return found;
  };
}

function layersOf(view: View | undefined, before: View | undefined): readonly Collection[] {
  if (view === before || !before) return view?.layers ?? [];
  return view ? [...view.layers, ...before.layers] : before.layers;
}

function addConcern(
  rollout: Rollout,
  concern: ConcernChange,
  blame: Blame | undefined,
  onMember: OnMember,
): void {
  const { subscribers, names } = concern;
  const first = subscribers[0];
  if (!first || names.length === 0) return;
  const change = typeChange(rollout, first.typeUrl);
  const followed = new Set<string>();
  let all: Bits | undefined;
  for (const subscriber of subscribers) {
    const wanted = subscriber.wildcard ? names : names.filter((name) => subscriber.wants(name));
    if (wanted.length === 0) continue;
    for (const name of followed.size < names.length ? wanted : []) followed.add(name);
    const bits = wanted === names ? all ??= bitsOf(change, names) : bitsOf(change, wanted);
    onMember(subscriber, change, addMember(change, subscriber.stream, bits));
  }
  if (blame) { for (const name of followed) blame.add(concern, change, name); }
}

function bitsOf(change: TypeChange, names: readonly string[]): Bits {
  let bits = NOTHING;
  for (const name of names) bits = withBit(bits, numberOf(change, name));
  return change.pool.share(bits);
}

/** If there are too many changes, each edit is recorded as a cause of all of them. */
function blameAll(rollout: Rollout): void {
  for (const change of rollout.types.values()) {
    const all = change.names.map((_, number) => number);
    for (const entry of rollout.entries) entry.changed.set(change, all);
  }
}
