/**
 * The sources of an earlier commit, to run programs of two versions together.
 *
 * @module
 */
import { fromFileUrl } from "../../scripts/paths.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** The generated codec, which is not in git. */
const CODEC = "lib/kit/proto/gen";

/**
 * Commits or tags whose programs must work with these; the first one that git has is taken. Name the
 * tag of each release here, the newest first.
 */
const EARLIER: readonly string[] = ["97274f828ac5c53f73e52168f3587ab3bebddd9b"];
/** The commit where git has none of them. */
const PARENT = "HEAD~1";

/** Sources in a folder of their own. */
export interface EarlierTree extends AsyncDisposable {
  readonly commit: string;
  /** Path of its `main.ts`. */
  readonly main: string;
}

/** The commit that these programs are tested with; `undefined` where git has no earlier one. */
export async function earlierCommit(): Promise<string | undefined> {
  for (const name of [...EARLIER, PARENT]) {
    const commit = await git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
    if (commit !== undefined) return commit;
  }
  return undefined;
}

/** Unpacks the sources of a commit, with the codec that its protos make. */
export async function unpackTree(commit: string): Promise<EarlierTree> {
  await using stack = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "mesh-earlier-" });
  stack.defer(() => Deno.remove(dir, { recursive: true }));
  const archive = `${dir}/tree.tar`;
  await run("git", ["archive", `--output=${archive}`, commit], ROOT);
  await run("tar", ["-xf", archive], dir);
  await Deno.remove(archive);
  // Its stamp says whether it fits the protos of the commit; if not, it is made again.
  await run("cp", ["-R", `${ROOT}/${CODEC}`, `${dir}/${CODEC}`], dir);
  await run(Deno.execPath(), ["run", "-A", "-q", "scripts/gen.ts"], dir);
  const parts = stack.move();
  return { commit, main: `${dir}/main.ts`, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, {
    ...{ args: [...args], cwd, stdout: "null", stderr: "piped" },
  }).output();
  if (success) return;
  throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** The output of git; `undefined` if it fails, or if there is no git. */
async function git(...args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("git", {
      ...{ args: [...args], cwd: ROOT, stdout: "piped", stderr: "null" },
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
