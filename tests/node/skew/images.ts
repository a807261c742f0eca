/**
 * Images of an earlier commit, made by its own sources and kept in the cache of `deno task tools`.
 *
 * @module
 */
import { fromFileUrl, join } from "../../../scripts/paths.ts";
import { cacheDir, HOST } from "../../../scripts/tools.ts";
import { unpackTree } from "../../support/earlier_tree.ts";

/** Tag of the images of the earlier commit. */
export const EARLIER_TAG = "earlier";
/** Programs of which there are images. */
const PROGRAMS = ["pilot-discovery", "pilot-agent"];

/** Makes the images, unless the cache has them; returns their archives. */
export async function earlierImages(commit: string): Promise<string[]> {
  const folder = join(cacheDir(HOST), `earlier-${commit}`);
  const archives = PROGRAMS.map((program) => join(folder, `${program}.tar`));
  if (await areThere(archives)) return archives;
  await using tree = await unpackTree(commit);
  const root = fromFileUrl(new URL(".", `file://${tree.main}`));
  const partial = await Deno.makeTempDir({ dir: cacheDir(HOST), prefix: ".partial-" });
  const flags = ["--plain", "--newer", `--tag=${EARLIER_TAG}`, `--into=${partial}`];
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "scripts/images/task.ts", ...flags, ...PROGRAMS],
    cwd: root,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`the images of commit ${commit} cannot be made`);
  await Deno.rename(partial, folder);
  return archives;
}

async function areThere(files: readonly string[]): Promise<boolean> {
  const found = await Promise.allSettled(files.map((file) => Deno.stat(file)));
  return found.every(({ status }) => status === "fulfilled");
}
