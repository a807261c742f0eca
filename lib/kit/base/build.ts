/**
 * Build facts. The release script writes revision, status and tag into this file before it
 * compiles; a working copy has `Unknown`.
 *
 * @module
 */

/** Facts about the build, as shown by `version` commands, `/version` and the build metric. */
export interface BuildInfo {
  /** Semantic version, without a leading `v`. */
  readonly version: string;
  /** Commit of the build. */
  readonly revision: string;
  /** `Clean`, `Modified`, or `Unknown` for a working copy. */
  readonly status: string;
  /** Nearest tag. */
  readonly tag: string;
}

/** The facts of this build. */
export const buildInfo: BuildInfo = {
  version: "0.1.0",
  revision: "unknown",
  status: "Unknown",
  tag: "0.1.0",
};

/** The one-line form `<version>-<revision>-<status>`. */
export function buildLine(build: BuildInfo = buildInfo): string {
  return `${build.version}-${build.revision}-${build.status}`;
}
