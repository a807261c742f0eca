/**
 * Versions of resources on the wire.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";

/**
 * Length of a version in responses. Twelve characters of base64url are 72 bits: accidental equality
 * of two contents of one name is practically impossible, and a reconnecting client sends thousands
 * of them. Inside the daemon versions are compared in full length.
 */
const CHARACTERS = 12;

/** Returns the version in the form that responses and reconnecting clients have. */
export function wireVersion({ version }: Pick<Resource, "version">): string {
  return version.slice(0, CHARACTERS);
}
