/**
 * The first process of namespaces, of a cluster or of a node: a shell that prepares mounts, then reaps.
 *
 * @module
 */

/** Folders that programs have fixed paths in. What they write there stays in the namespaces. */
const PRIVATE_FOLDERS = ["/run", "/var/lib", "/var/log"];

/** Settings of the kernel that a kubelet changes for the whole machine, with the values it wants. */
const KERNEL_SETTINGS: Readonly<Record<string, string>> = {
  "vm/overcommit_memory": "1",
  "vm/panic_on_oom": "0",
  "kernel/panic": "10",
  "kernel/panic_on_oops": "1",
};

/** Folder with a file for each of them. */
export const SETTINGS_FOLDER = "kernel-settings";

/** A folder that is seen at another path, too. */
export interface SeenFolder {
  readonly folder: string;
  readonly at: string;
}

/**
 * The script of the shell.
 *
 * @param dir has {@linkcode SETTINGS_FOLDER}, and the file `ready` when the mounts are there
 */
export function initScript(dir: string, seen: readonly SeenFolder[] = []): string {
  const settings = Object.entries(KERNEL_SETTINGS).flatMap(([name, value]) => {
    const file = `${dir}/${SETTINGS_FOLDER}/${name.replace("/", ".")}`;
    return [`echo ${value} > ${file}`, `mount --bind ${file} /proc/sys/${name}`];
  });
  return [
    "set -e",
    // A kubelet asks for shared mounts, as those of a machine are.
    "mount --make-rshared /",
    ...PRIVATE_FOLDERS.map((folder) => `mount -t tmpfs -o mode=755 tmpfs ${folder}`),
    "mkdir -p /run/netns /run/lock",
    ...seen.flatMap(({ folder, at }) => [`mkdir -p ${at}`, `mount --bind ${folder} ${at}`]),
    ...settings,
    "ip link set lo up",
    "echo 1 > /proc/sys/net/ipv4/ip_forward",
    `touch ${dir}/ready`,
    // The shell reaps whatever becomes its child.
    "set +e",
    "while :; do sleep 3600 & wait $!; done",
    "",
  ].join("\n");
}
