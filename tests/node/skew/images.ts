/**
 * Images of an earlier commit, made by its own sources.
 *
 * @module
 */
import { fromFileUrl } from "../../../scripts/paths.ts";
import { unpackTree } from "../../support/earlier_tree.ts";

/** Tag of the images of the earlier commit. */
export const EARLIER_TAG = "earlier";
/** Programs of which there are images. */
const PROGRAMS = ["pilot-discovery", "pilot-agent"];

/** Makes the images; returns their archives. */
export async function earlierImages(commit: string, into: string): Promise<string[]> {
  await using tree = await unpackTree(commit);
  const task = fromFileUrl(new URL("scripts/images/task.ts", `file://${tree.main}`));
  const flags = ["--plain", "--newer", `--tag=${EARLIER_TAG}`, `--into=${into}`];
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", task, ...flags, ...PROGRAMS],
    cwd: task.slice(0, task.lastIndexOf("/scripts/")),
    stdout: "null",
  }).output();
  if (!success) throw new Error(`the images of commit ${commit} cannot be made`);
  return PROGRAMS.map((program) => `${into}/${program}.tar`);
}
