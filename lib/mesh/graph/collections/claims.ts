/**
 * Ownership of names in a collection. The first member, by its key, that claims a
 * name owns it; a member with a tombstone owns it only when no member
 * has a resource, because a tombstone hides resources of lower layers, not those
 * of its own collection.
 *
 * @module
 */
import type { Resource } from "../api/collections.ts";
import { lowerBound } from "../cells/mod.ts";

/** The live content of a collection. A separate class, so that a computation that returns it can be recognised. */
export class Content extends Map<string, Resource> {}

/** Names with their claimants, their owners and the resources served under them. */
export class Claims {
  /** The resources served. */
  readonly content: Content = new Content();
  /** The member whose resource is served under a name. */
  readonly owners: Map<string, string> = new Map();
  /** The other members that claim a name, sorted; only names that have any. */
  readonly rivals: Map<string, string[]> = new Map();
  /** Name → its resource before, for names written since the last {@link takeTouched}. */
  touched: Map<string, Resource | undefined> = new Map();
  /** Name → its owner before, for names that lost their owner since the last {@link takeTransferred}. */
  transferred: Map<string, string> = new Map();
  /** Bytes of the resources served. */
  bytes = 0;
  /** Tombstones in {@link content}. */
  tombstones = 0;

  /** Returns {@link touched} and starts a new map. */
  takeTouched(): Map<string, Resource | undefined> {
    const touched = this.touched;
    if (touched.size > 0) this.touched = new Map();
    return touched;
  }

  /** Returns {@link transferred} and starts a new map. */
  takeTransferred(): Map<string, string> {
    const transferred = this.transferred;
    if (transferred.size > 0) this.transferred = new Map();
    return transferred;
  }
}

/** Reports if two resources have the same content, or both are absent. */
export function sameResource(a: Resource | undefined, b: Resource | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return a.version === b.version && a.tombstone === b.tombstone;
}

/** The first resource of each name. */
export function distinct(list: readonly Resource[]): readonly Resource[] {
  if (list.length < 2) return list;
  const byName = new Map<string, Resource>();
  for (const resource of list) if (!byName.has(resource.name)) byName.set(resource.name, resource);
  return byName.size === list.length ? list : [...byName.values()];
}

/** The resources of one member, before and now. */
export interface MemberChange {
  readonly member: string;
  readonly old: readonly Resource[];
  readonly next: readonly Resource[];
}

/** The present resources of a member. */
type ResourcesOf = (member: string) => readonly Resource[];

/**
 * Replaces the resources of one member. A name that it releases goes to another
 * claimant, whose resources `resourcesOf` returns.
 */
export function replaceClaims(
  claims: Claims,
  { member, old, next }: MemberChange,
  resourcesOf: ResourcesOf,
): void {
  if (sameNames(old, next)) {
    for (let i = 0; i < next.length; i++) {
      if (old[i] !== next[i]) renew(claims, member, next[i]!);
    }
    return;
  }
  const wanted = new Map<string, boolean>();
  for (const { name, tombstone } of next) wanted.set(name, tombstone === true);
  const kept = new Set<string>();
  for (const { name, tombstone } of old) {
    if (wanted.get(name) === (tombstone === true)) kept.add(name);
    else release(claims, member, name, resourcesOf);
  }
  for (const resource of next) {
    if (kept.has(resource.name)) renew(claims, member, resource);
    else claim(claims, member, resource);
  }
}

/**
 * Reports if both lists claim the same names in the same order, each as resource or tombstone
 * alike.
 */
function sameNames(a: readonly Resource[], b: readonly Resource[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i]!.name !== b[i]!.name || a[i]!.tombstone !== b[i]!.tombstone) return false;
  }
  return true;
}

function renew(claims: Claims, member: string, resource: Resource): void {
  if (claims.owners.get(resource.name) === member) put(claims, resource.name, resource);
}

function claim(claims: Claims, member: string, resource: Resource): void {
  const { name } = resource;
  const owner = claims.owners.get(name);
  if (owner === undefined) {
    claims.owners.set(name, member);
    put(claims, name, resource);
    return;
  }
  const wins = precedes(member, resource, owner, claims.content.get(name));
  const rivals = claims.rivals.get(name) ?? [];
  const loser = wins ? owner : member;
  rivals.splice(lowerBound(rivals, loser), 0, loser);
  claims.rivals.set(name, rivals);
  if (wins) transfer(claims, name, member, resource);
}

function release(
  claims: Claims,
  member: string,
  name: string,
  resourcesOf: ResourcesOf,
): void {
  const rivals = claims.rivals.get(name);
  if (claims.owners.get(name) !== member) {
    rivals?.splice(rivals.indexOf(member), 1);
  } else if (rivals === undefined) {
    claims.owners.delete(name);
    if (!claims.transferred.has(name)) claims.transferred.set(name, member);
    put(claims, name, undefined);
  } else {
    const of = (rival: string) => resourcesOf(rival).find((resource) => resource.name === name);
    const next = rivals.find((rival) => !of(rival)?.tombstone) ?? rivals[0]!;
    rivals.splice(rivals.indexOf(next), 1);
    transfer(claims, name, next, of(next));
  }
  if (rivals?.length === 0) claims.rivals.delete(name);
}

/** Reports if a member's claim wins over another's. */
function precedes(
  member: string,
  resource: Resource,
  other: string,
  its: Resource | undefined,
): boolean {
  const hides = resource.tombstone === true;
  const otherHides = its?.tombstone === true;
  return hides === otherHides ? member < other : otherHides;
}

/** Transfers a name that has an owner to another member. */
function transfer(claims: Claims, name: string, to: string, resource: Resource | undefined): void {
  if (!claims.transferred.has(name)) claims.transferred.set(name, claims.owners.get(name)!);
  claims.owners.set(name, to);
  put(claims, name, resource);
}

function put(claims: Claims, name: string, resource: Resource | undefined): void {
  const before = claims.content.get(name);
  if (resource === undefined) claims.content.delete(name);
  else claims.content.set(name, resource);
  claims.bytes += (resource?.bytes.length ?? 0) - (before?.bytes.length ?? 0);
  if (sameResource(before, resource)) return;
  claims.tombstones += (resource?.tombstone ? 1 : 0) - (before?.tombstone ? 1 : 0);
  if (!claims.touched.has(name)) claims.touched.set(name, before);
}
