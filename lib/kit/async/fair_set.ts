/**
 * A set of waiting members in which every group has the same share: groups take turns, and the
 * members of a group are served in the order in which they were added.
 *
 * @module
 */

/** A set of members in groups. */
export interface FairSet<T> {
  /** Adds a member to the end of its group. */
  add(member: T): void;
  has(member: T): boolean;
  delete(member: T): boolean;
  /** Removes and returns the next member: the oldest one of the group whose turn it is. */
  take(): T | undefined;
  /** The oldest member of a group. */
  firstOf(group: string): T | undefined;
  readonly size: number;
  /** Groups with members. */
  readonly groups: number;
}

/** Makes an empty set. `groupOf` must always return the same group for a member. */
export function fairSet<T>(groupOf: (member: T) => string): FairSet<T> {
  /** Non-empty groups in the order of their turns. */
  const groups = new Map<string, Set<T>>();
  let size = 0;
  return {
    add(member) {
      const group = groupOf(member);
      const members = groups.get(group);
      if (!members) groups.set(group, new Set([member]));
      else if (members.has(member)) return;
      else members.add(member);
      size++;
    },
    has: (member) => groups.get(groupOf(member))?.has(member) === true,
    delete(member) {
      const group = groupOf(member);
      const members = groups.get(group);
      if (!members?.delete(member)) return false;
      if (members.size === 0) groups.delete(group);
      size--;
      return true;
    },
    take() {
      const [next] = groups;
      if (!next) return undefined;
      const [group, members] = next;
      const [member] = members;
      groups.delete(group);
      members.delete(member!);
      if (members.size > 0) groups.set(group, members);
      size--;
      return member;
    },
    firstOf(group) {
      const [member] = groups.get(group) ?? [];
      return member;
    },
    get size() {
      return size;
    },
    get groups() {
      return groups.size;
    },
  };
}
