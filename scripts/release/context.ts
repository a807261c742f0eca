/**
 * The facts that all parts of a release share.
 *
 * @module
 */
import { type BuildInfo, MeshError } from "../../lib/kit/base/mod.ts";
import { buildFacts, type ReadEnv } from "../build_facts.ts";
import { fromFileUrl } from "../paths.ts";

/** Root of the tree. */
export const ROOT: string = fromFileUrl(new URL("../..", import.meta.url));

/** A release that is being made. */
export interface ReleaseContext {
  readonly facts: BuildInfo;
  /** Time of the commit, in RFC 3339 of UTC: the only time in a release. */
  readonly created: string;
  /** Folder for the results. */
  readonly into: string;
  /** Is told each step. */
  progress(line: string): void;
  /** Is told a part that is left out, with the reason. */
  leftOut(what: string, reason: string): void;
}

/** SemVer 2.0.0: a version without a build. */
const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?$/;

/** True for a version that a release can have. */
export function isVersion(text: string): boolean {
  return SEMVER.test(text);
}

/**
 * The facts of a release: version of `lib/kit/base/build.ts`, commit, time of the commit.
 *
 * @throws MeshError `release-…` with a remedy
 */
export async function releaseFacts(
  env: ReadEnv = (name) => Deno.env.get(name),
): Promise<{ facts: BuildInfo; created: string }> {
  const facts = await buildFacts(ROOT, env);
  if (!isVersion(facts.version)) {
    throw new MeshError("release-version", `${facts.version} is no version of SemVer.`, {
      remedy: "Correct `version` in lib/kit/base/build.ts.",
    });
  }
  return { facts, created: await commitTime(facts.revision, env) };
}

async function commitTime(revision: string, env: ReadEnv): Promise<string> {
  const epoch = env("SOURCE_DATE_EPOCH");
  if (epoch !== undefined && /^\d+$/.test(epoch)) return utc(Number(epoch));
  const { success, stdout } = await new Deno.Command("git", {
    args: ["-C", ROOT, "show", "-s", "--format=%ct", revision],
    stderr: "null",
  }).output().catch(() => ({ success: false, stdout: new Uint8Array() }));
  if (success) return utc(Number(new TextDecoder().decode(stdout).trim()));
  throw new MeshError("release-time", `The time of commit ${revision} is not known.`, {
    remedy: "Make releases in a clone with git, or set SOURCE_DATE_EPOCH to seconds.",
  });
}

function utc(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
