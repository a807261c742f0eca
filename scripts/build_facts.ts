/**
 * Build facts: version, revision, state of the tree and tag, for `version` commands.
 *
 * @module
 */
import { type BuildInfo, buildInfo } from "../lib/kit/base/mod.ts";

/** Environment variables with the facts of a build without a repository, such as in a container. */
const VARIABLES = {
  revision: "MESH_BUILD_REVISION",
  status: "MESH_BUILD_STATUS",
  tag: "MESH_BUILD_TAG",
} as const;

/** Reads an environment variable, like `Deno.env.get`. */
export type ReadEnv = (name: string) => string | undefined;

/**
 * The facts of a build of the tree at `root`: from the environment, else from git, else `unknown`.
 */
export async function buildFacts(
  root: string,
  env: ReadEnv = (name) => Deno.env.get(name),
): Promise<BuildInfo> {
  const revision = env(VARIABLES.revision) || await git(root, "rev-parse", "HEAD");
  // The tree's state is not that of a revision from the environment.
  const changes = env(VARIABLES.revision) ? undefined : await git(root, "status", "--porcelain");
  const state = changes === undefined ? "Unknown" : changes === "" ? "Clean" : "Modified";
  return {
    version: buildInfo.version,
    revision: revision || "unknown",
    status: env(VARIABLES.status) || state,
    tag: env(VARIABLES.tag) || await git(root, "describe", "--tags", "--abbrev=0") ||
      buildInfo.version,
  };
}

/** The output of git; `undefined` without git or a repository, or if it fails. */
async function git(root: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      args: ["-C", root, ...args],
      stderr: "null",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The declaration in `lib/kit/base/build.ts`, from its name to its closing line. */
const DECLARATION = /^export const buildInfo: BuildInfo = \{\n[^}]*\};$/m;

/**
 * The text of `lib/kit/base/build.ts` with other facts.
 *
 * @throws Error when the text has no declaration
 */
export function withFacts(source: string, facts: BuildInfo): string {
  if (!DECLARATION.test(source)) throw new Error("the module declares no build facts");
  const literal = JSON.stringify(facts, null, 2);
  return source.replace(DECLARATION, () => `export const buildInfo: BuildInfo = ${literal};`);
}
