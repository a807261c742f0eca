/**
 * The hosts that names and patterns cover.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import { isWildcard } from "../../model/mod.ts";
import type { Indexes } from "./indexes.ts";

/** Returns the hosts that a name or pattern matches, including itself. */
export function coveredHosts(
  read: Read,
  { hostsByPattern }: Pick<Indexes, "hostsByPattern">,
  name: string,
): string[] {
  return isWildcard(name) ? [name, ...read.members(hostsByPattern, name)] : [name];
}
