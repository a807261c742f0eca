/**
 * What a resource's version is called on the wire.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/**
 * Characters of a version that clients are told. Twelve of base64url are 72 bits: that two contents
 * of one name have the same by accident is beyond all bounds, and a client that comes back names
 * thousands of them. Within the daemon versions are compared whole.
 */
const CHARACTERS = 12;

/** The version as clients are told it, and tell it when they come back. */
export function wireVersion({ version }: Pick<Resource, "version">): string {
  return version.slice(0, CHARACTERS);
}
