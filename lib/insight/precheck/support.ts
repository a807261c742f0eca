/**
 * The versions that Mesh supports; `docs/releases.md` has the same table.
 *
 * @module
 */

/** Minor versions of the orchestrator, whose major version is 1. */
export interface SupportedVersions {
  /** The oldest one: the first with the API versions that the client uses. */
  readonly oldest: number;
  /** Those that tests run with, in order. */
  readonly tested: readonly number[];
}

/** Versions of the orchestrator. */
export const ORCHESTRATORS: SupportedVersions = { oldest: 28, tested: [36] };

/** The place of a version in the table. */
export type Support = "too-old" | "tested" | "not-tested" | "newer";

/** Reports how a version is supported. */
export function supportOf(
  { major, minor }: { readonly major: number; readonly minor: number },
  { oldest, tested }: SupportedVersions = ORCHESTRATORS,
): Support {
  if (major < 1 || (major === 1 && minor < oldest)) return "too-old";
  if (major === 1 && tested.includes(minor)) return "tested";
  return major > 1 || minor > Math.max(...tested) ? "newer" : "not-tested";
}
