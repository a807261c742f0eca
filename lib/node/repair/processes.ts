/**
 * Network namespaces of running pods.
 *
 * @module
 */

/**
 * The path of the network namespace of a pod, by a process in the pod's control group.
 *
 * @param procDir the processes of the node, such as `/host/proc`
 * @returns `undefined` if no process of the pod runs on this node
 */
export async function namespaceOfPod(procDir: string, uid: string): Promise<string | undefined> {
  // The systemd driver writes the id with underscores.
  const names = [`pod${uid}`, `pod${uid.replaceAll("-", "_")}`];
  for await (const { name } of Deno.readDir(procDir)) {
    if (!/^\d+$/.test(name)) continue;
    const groups = await readGroups(`${procDir}/${name}/cgroup`);
    const isOfPod = groups.split(/[/\n]/).some((part) =>
      names.some((one) => part === one || part.endsWith(`-${one}.slice`))
    );
    if (isOfPod) return `${procDir}/${name}/ns/net`;
  }
  return undefined;
}

/** A process may end while it is looked at. */
async function readGroups(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch {
    return "";
  }
}
