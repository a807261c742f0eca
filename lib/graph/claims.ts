/**
 * Which member of a collection a name belongs to: of those that claim it the one
 * that sorts first, but a tombstone only when nobody has a resource, since it is
 * there to hide what lies below and not what stands beside it.
 *
 * @module
 */
import type { Resource } from "./api.ts";
import { lowerBound } from "./buckets.ts";

/** The live content of a collection. A class of its own so that a computation that returns it is noticed. */
export class Content extends Map<string, Resource> {}

/** Names, who claims them, and what is served under them. */
export class Claims {
  /** What is served. */
  readonly content: Content = new Content();
  /** The member whose resource is served under a name. */
  readonly owners: Map<string, string> = new Map();
  /** The other members that claim a name, sorted; only names that have any. */
  readonly rivals: Map<string, string[]> = new Map();
  /** Of each name written since the last {@link takeTouched}, what stood there. */
  touched: Map<string, Resource | undefined> = new Map();
  /** Of each name handed from member to member since the last {@link takeHanded}, who had it. */
  handed: Map<string, string> = new Map();
  /** Bytes of what is served. */
  bytes = 0;
  /** Tombstones in {@link content}. */
  tombstones = 0;

  /** Hands over what was touched, and begins anew. */
  takeTouched(): Map<string, Resource | undefined> {
    const touched = this.touched;
    if (touched.size > 0) this.touched = new Map();
    return touched;
  }

  /** Hands over who lost a name, and begins anew. */
  takeHanded(): Map<string, string> {
    const handed = this.handed;
    if (handed.size > 0) this.handed = new Map();
    return handed;
  }
}

/** Whether two resources, or the absence of them, are the same content. */
export function sameResource(a: Resource | undefined, b: Resource | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return a.version === b.version && a.tombstone === b.tombstone;
}

/** The resources without those whose name came before in the list: the first of a name is served. */
export function distinct(list: readonly Resource[]): readonly Resource[] {
  if (list.length < 2) return list;
  const byName = new Map<string, Resource>();
  for (const resource of list) if (!byName.has(resource.name)) byName.set(resource.name, resource);
  return byName.size === list.length ? list : [...byName.values()];
}

/**
 * Replaces the resources of one member. `held` tells the present resources of
 * another member, which take the place of a name given up.
 */
export function replaceClaims(
  claims: Claims,
  member: string,
  old: readonly Resource[],
  next: readonly Resource[],
  held: (member: string) => readonly Resource[],
): void {
  if (sameStanding(old, next)) {
    for (let i = 0; i < next.length; i++) {
      if (old[i] !== next[i]) renew(claims, member, next[i]!);
    }
    return;
  }
  const standing = new Map<string, boolean>();
  for (const { name, tombstone } of next) standing.set(name, tombstone === true);
  const kept = new Set<string>();
  for (const { name, tombstone } of old) {
    if (standing.get(name) === (tombstone === true)) kept.add(name);
    else giveUp(claims, member, name, held);
  }
  for (const resource of next) {
    if (kept.has(resource.name)) renew(claims, member, resource);
    else claim(claims, member, resource);
  }
}

/** Whether the same names are claimed, in the same order and with the same right. */
function sameStanding(a: readonly Resource[], b: readonly Resource[]): boolean {
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
  if (wins) hand(claims, name, member, resource);
}

function giveUp(
  claims: Claims,
  member: string,
  name: string,
  held: (member: string) => readonly Resource[],
): void {
  const rivals = claims.rivals.get(name);
  if (claims.owners.get(name) !== member) {
    rivals?.splice(rivals.indexOf(member), 1);
  } else if (rivals === undefined) {
    claims.owners.delete(name);
    if (!claims.handed.has(name)) claims.handed.set(name, member);
    put(claims, name, undefined);
  } else {
    const of = (rival: string) => held(rival).find((resource) => resource.name === name);
    const heir = rivals.find((rival) => !of(rival)?.tombstone) ?? rivals[0]!;
    rivals.splice(rivals.indexOf(heir), 1);
    hand(claims, name, heir, of(heir));
  }
  if (rivals?.length === 0) claims.rivals.delete(name);
}

/** Whether a member's claim goes before another's. */
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

/** Gives a name that has an owner to another one. */
function hand(claims: Claims, name: string, to: string, resource: Resource | undefined): void {
  if (!claims.handed.has(name)) claims.handed.set(name, claims.owners.get(name)!);
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
