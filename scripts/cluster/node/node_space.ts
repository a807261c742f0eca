/**
 * The namespaces of a node inside those of its cluster: processes and mounts of its own, so that each node has
 * the folders that machines have, and its first process is in its network. They end with those of the cluster.
 *
 * @module
 */
import { eventually } from "../../harness/ports.ts";
import { join } from "../../paths.ts";
import { initScript, type SeenFolder, SETTINGS_FOLDER } from "./init.ts";
import { outerOf } from "./namespaces.ts";
import type { Space } from "./space.ts";

/** Folders of a node that machines have at these paths. */
const USUAL: Readonly<Record<string, string>> = {
  cni: "/etc/cni/net.d",
  plugins: "/opt/cni/bin",
};

/** Makes the namespaces of a node, whose network namespace is there. */
export async function openNode(space: Space, node: string): Promise<void> {
  const dir = join(space.dir, node);
  const seen: SeenFolder[] = [];
  for (const [name, at] of Object.entries(USUAL)) {
    await Deno.mkdir(join(dir, name), { recursive: true });
    seen.push({ folder: join(dir, name), at });
  }
  await Deno.mkdir(join(dir, SETTINGS_FOLDER));
  const script = join(dir, "init.sh");
  await Deno.writeTextFile(script, initScript(dir, seen));
  await space.launch(outerOf(node), [
    ...["nsenter", `--net=/run/netns/${node}`, "--", "unshare", "--mount", "--propagation=private"],
    ...["--pid", "--mount-proc", "--fork", "--kill-child", "bash", script],
  ]);
  try {
    await eventually(`the namespaces of ${node}`, async () => await Deno.stat(join(dir, "ready")));
  } catch (cause) {
    throw new Error(await space.log(outerOf(node)), { cause });
  }
}
