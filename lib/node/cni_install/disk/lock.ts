/**
 * The lock of a directory, between processes: the kernel's own, which ends with the process that holds
 * it, also by `kill -9`. It is on the directory itself, so that no file is left.
 *
 * @module
 */
import { sleep } from "../../../kit/async/mod.ts";
import { MeshError, messageOf } from "../../../kit/base/mod.ts";

/** Time between two attempts, milliseconds. */
const AGAIN_MS = 100;

/** Options of {@link lockDirectory}. */
export interface LockOptions {
  /** Ends the wait, with its reason as error. */
  readonly signal?: AbortSignal;
  /** Called once when another process holds the lock. */
  readonly onWait?: () => void | Promise<void>;
}

/**
 * Takes the lock of a directory; disposing of it gives it back. `undefined`: there is no such directory,
 * and nothing in it that others could change.
 *
 * @throws MeshError `cni-lock` when the file system has no locks
 */
export async function lockDirectory(
  dir: string,
  { signal, onWait }: LockOptions = {},
): Promise<Disposable | undefined> {
  for (let isFirst = true;; isFirst = false) {
    signal?.throwIfAborted();
    const handle = await attempt(dir);
    if (handle !== "busy") return handle;
    if (isFirst) await onWait?.();
    await sleep(AGAIN_MS, signal);
  }
}

/** Takes the lock if it is free. A directory that was replaced meanwhile counts as held: it is opened again. */
async function attempt(dir: string): Promise<Deno.FsFile | undefined | "busy"> {
  let handle: Deno.FsFile | undefined;
  try {
    handle = await Deno.open(dir, { read: true });
    if (await handle.tryLock(true) && await isAt(dir, handle)) {
      const held = handle;
      handle = undefined;
      return held;
    }
    return "busy";
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new MeshError("cni-lock", `cannot lock the directory ${dir}: ${messageOf(cause)}`, {
      remedy: "Mount a directory of the node, on a file system with locks.",
      cause,
    });
  } finally {
    handle?.close();
  }
}

async function isAt(dir: string, handle: Deno.FsFile): Promise<boolean> {
  const [opened, now] = [await handle.stat(), await Deno.stat(dir)];
  return opened.ino === now.ino && opened.dev === now.dev;
}
