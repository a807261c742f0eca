/**
 * Waiting for changes in the directories of an installation.
 *
 * @module
 */
import { sleep } from "../../kit/async/mod.ts";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";

const log = scope("cni-agent");

/** Time between two looks, which find what the watch misses, milliseconds. */
const LOOK_MS = 5_000;
/** Time in which changes that belong together arrive, milliseconds. */
const SETTLE_MS = 50;

/** Tells when files may have changed. */
export interface Changes extends Disposable {
  /** Resolves at the next change, or when it is time to look; at once if there was one since. */
  next(signal: AbortSignal): Promise<void>;
}

/** Watches directories. One that is missing is watched once it is there. */
export function watchDirectories(dirs: readonly string[]): Changes {
  const watchers = new Map<string, Deno.FsWatcher>();
  let isChanged = false;
  let wake = () => {};
  const changed = () => {
    isChanged = true;
    wake();
  };
  const open = () => {
    for (const dir of new Set(dirs)) {
      if (!watchers.has(dir)) watch(dir, watchers, changed);
    }
  };
  return {
    async next(signal) {
      open();
      if (!isChanged) {
        const woken = new AbortController();
        wake = () => woken.abort();
        await sleep(LOOK_MS, AbortSignal.any([signal, woken.signal]));
        wake = () => {};
      }
      if (isChanged) await sleep(SETTLE_MS, signal);
      isChanged = false;
    },
    [Symbol.dispose]() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

function watch(dir: string, watchers: Map<string, Deno.FsWatcher>, changed: () => void): void {
  try {
    const watcher = Deno.watchFs(dir, { recursive: false });
    watchers.set(dir, watcher);
    void follow(watcher, changed).finally(() => {
      if (watchers.get(dir) === watcher) watchers.delete(dir);
    });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    log.debug("a directory is looked at instead of watched", { dir, error: messageOf(error) });
  }
}

/** Calls back for each change; reads are none. A directory that is removed ends the watch. */
async function follow(watcher: Deno.FsWatcher, changed: () => void): Promise<void> {
  try {
    for await (const { kind } of watcher) {
      if (kind !== "access") changed();
    }
  } catch (error) {
    log.debug("a watch ended", { error: messageOf(error) });
  }
}
