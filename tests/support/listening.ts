/**
 * TCP listeners of a process and its descendants, from `/proc` of Linux.
 *
 * @module
 */

/** A listening socket. */
export interface Listening {
  readonly pid: number;
  /** An address as text; IPv6 in the form of eight groups, or `::1` or `::`. */
  readonly address: string;
  readonly port: number;
}

/** State of a listening socket in `/proc/net/tcp`. */
const LISTEN = "0A";

/** The listeners of a process and its descendants. */
export async function listenersOf(root: number): Promise<Listening[]> {
  const sockets = await listeningSockets();
  const found: Listening[] = [];
  for (const pid of await descendants(root)) {
    for (const inode of await socketsOf(pid)) {
      const socket = sockets.get(inode);
      if (socket !== undefined) found.push({ pid, ...socket });
    }
  }
  return found;
}

async function descendants(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...children.get(parent) ?? [], Number(name)]);
  }
  const all = [root];
  for (const pid of all) all.push(...children.get(pid) ?? []);
  return all;
}

/** Inodes of the open sockets of a process; none when it ended. */
async function socketsOf(pid: number): Promise<string[]> {
  const inodes: string[] = [];
  try {
    for await (const { name } of Deno.readDir(`/proc/${pid}/fd`)) {
      const target = await Deno.readLink(`/proc/${pid}/fd/${name}`).catch(() => "");
      const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
      if (inode !== undefined) inodes.push(inode);
    }
  } catch (e) {
    if (!(e instanceof Deno.errors.NotFound)) throw e;
  }
  return inodes;
}

async function listeningSockets(): Promise<Map<string, Omit<Listening, "pid">>> {
  const found = new Map<string, Omit<Listening, "pid">>();
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await Deno.readTextFile(file).catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state !== LISTEN || inode === undefined) continue;
      const [address = "", port = ""] = local.split(":");
      found.set(inode, { address: addressText(address), port: parseInt(port, 16) });
    }
  }
  return found;
}

/** Addresses are hexadecimal, in groups of four bytes of which the last comes first. */
function addressText(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => word.match(/../g)!.toReversed());
  if (bytes.length === 4) return bytes.map((byte) => parseInt(byte, 16)).join(".");
  const text = bytes.join("").match(/.{4}/g)!.join(":").toLowerCase();
  if (/^[0:]*$/.test(text)) return "::";
  return /^[0:]*1$/.test(text) ? "::1" : text;
}
