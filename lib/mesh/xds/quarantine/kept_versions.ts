/**
 * The versions of a resource that proxies kept when they rejected a newer one. The version that most
 * identities kept replaces a rejected one for proxies that have none.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import type { KeptVersion } from "./types.ts";

/** Versions remembered of one name, and identities of each. */
const MAX_VERSIONS = 4;
const MAX_IDENTITIES = 64;

/** Records that a proxy kept a version. Each identity counts once; `undefined`: none is proved. */
export function keep(
  kept: KeptVersion[],
  resource: Resource,
  identity: string | undefined,
): KeptVersion[] {
  const others = kept.filter((one) => one.resource.version !== resource.version);
  const identities = kept.find((one) => one.resource.version === resource.version)?.identities ??
    new Set<string>();
  if (identity !== undefined) {
    for (const other of others) other.identities.delete(identity);
    if (identities.size < MAX_IDENTITIES) identities.add(identity);
  }
  return [...others, { resource, identities }].slice(-MAX_VERSIONS);
}

/** The version of most identities that is none of the rejected ones; among equals, the last one. */
export function replacement(
  kept: readonly KeptVersion[],
  rejected: readonly string[],
): Resource | undefined {
  let most: KeptVersion | undefined;
  for (const one of kept) {
    if (rejected.includes(one.resource.version)) continue;
    if (!most || one.identities.size >= most.identities.size) most = one;
  }
  return most?.resource;
}
