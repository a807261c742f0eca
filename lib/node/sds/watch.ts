/**
 * Following files of certificates: reading them again after a change.
 *
 * @module
 */
import { dirname } from "node:path";
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";

/** Options of {@link watchFiles}. */
export interface WatchOptions {
  readonly paths: readonly string[];
  /** Quiet time after a change, ms. */
  readonly debounceMs: number;
  /** Called after a change, and now and then without one: the callee compares the contents. */
  readonly changed: () => void;
}

/** Interval of reads without an event, ms: some file systems report no changes. */
const POLL_MS = 2000;

const log = scope("cache");

const failures = counter({
  name: "num_file_watcher_failures_total",
  help: "Folders of certificates that could not be watched. They are read at an interval.",
});

/** Watches the folders of files. The returned function ends it. */
export function watchFiles({ paths, debounceMs, changed }: WatchOptions): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const trigger = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, debounceMs);
  };
  const watchers = [...new Set(paths.map(dirname))].map((dir) => watchFolder(dir, trigger));
  const poll = setInterval(changed, POLL_MS);
  Deno.unrefTimer(poll);
  return () => {
    clearTimeout(timer);
    clearInterval(poll);
    for (const watcher of watchers) watcher?.close();
  };
}

function watchFolder(dir: string, trigger: () => void): Deno.FsWatcher | undefined {
  try {
    const watcher = Deno.watchFs(dir, { recursive: false });
    void (async () => {
      for await (const _ of watcher) trigger();
    })();
    return watcher;
  } catch (error) {
    failures.inc();
    log.warn("a folder of certificates cannot be watched", { dir, reason: messageOf(error) });
    return undefined;
  }
}
