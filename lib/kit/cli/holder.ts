/**
 * The program that listens on a port of this machine, by `/proc`.
 *
 * @module
 */

/** State of listening sockets in the kernel's tables. */
const LISTENS = "0A";

/** The listening program, or the reason why it is unknown. */
export type Holder =
  | { readonly kind: "program"; readonly pid: number; readonly name: string }
  | { readonly kind: "own" }
  | { readonly kind: "unknown"; readonly why: string };

/** Finds the program that listens on a TCP port, on any address. */
export function holderOf(port: number): Holder {
  try {
    const sockets = socketsOn(port);
    if (sockets.size === 0) return unknown("no program that listens there can be seen from here");
    for (const { name: pid } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(pid) || !holds(pid, sockets)) continue;
      if (Number(pid) === Deno.pid) return { kind: "own" };
      const name = Deno.readTextFileSync(`/proc/${pid}/comm`).trim();
      return { kind: "program", pid: Number(pid), name };
    }
    return unknown("the program belongs to another user");
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return unknown("this program may not look");
    return unknown("this system does not tell");
  }
}

function unknown(why: string): Holder {
  return { kind: "unknown", why };
}

/** Inode numbers of the sockets that listen on a port, as in `/proc/PID/fd`. */
function socketsOn(port: number): ReadonlySet<string> {
  const found = new Set<string>();
  for (const table of ["tcp", "tcp6"]) {
    const rows = tableText(table).trim().split("\n").slice(1);
    for (const columns of rows.map((row) => row.trim().split(/\s+/))) {
      const [local = "", state, inode = ""] = [columns[1], columns[3], columns[9]];
      const itsPort = parseInt(local.slice(local.lastIndexOf(":") + 1), 16);
      if (state === LISTENS && itsPort === port) found.add(`socket:[${inode}]`);
    }
  }
  return found;
}

/** Empty if the kernel has no IPv6. */
function tableText(table: string): string {
  try {
    return Deno.readTextFileSync(`/proc/net/${table}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound && table === "tcp6") return "";
    throw error;
  }
}

/** Reports if a process has one of the sockets open; processes of other users cannot be read. */
function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
      if (sockets.has(linkOf(`/proc/${pid}/fd/${name}`))) return true;
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
  }
  return false;
}

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
