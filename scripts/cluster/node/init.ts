/**
 * The first process of a cluster's namespaces: a shell that prepares mounts, then reaps.
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

/** The script of the shell for a cluster with that folder. */
export function initScript(dir: string): string {
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
