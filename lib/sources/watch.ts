/**
 * Keeps watching a path that may vanish, come back, or be another one behind a
 * link.
 *
 * @module
 */
import { basename, dirname } from "node:path";
import { scope } from "../log/mod.ts";
import type { Io } from "./io.ts";

const log = scope("file");

/** A watch that can be renewed. */
export interface Watch {
  /** Looks whether the path is still what is being watched, and watches anew where not. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Called for events: with a path below the directory that is watched, or with none when anything
 * there may have changed.
 */
export type OnEvent = (path?: string) => void;

/** Watches a directory with all below it and the directory it lies in, so that its replacement is seen too. */
export function watchTree(path: string, io: Io, onEvent: OnEvent): Watch {
  const tree = watchOne(path, { recursive: true }, io, onEvent);
  const replaced = () => onEvent();
  const parent = watchOne(dirname(path), { recursive: false }, io, replaced, basename(path));
  return {
    async refresh() {
      await tree.refresh();
      await parent.refresh();
    },
    close() {
      tree.close();
      parent.close();
    },
  };
}

/** Watches the directory of a file. Links are often swapped beside it, so every event there counts. */
export function watchBeside(file: string, io: Io, onEvent: () => void): Watch {
  return watchOne(dirname(file), { recursive: false }, io, onEvent);
}

function watchOne(
  path: string,
  options: { recursive: boolean },
  io: Io,
  onEvent: OnEvent,
  /** Only events of an entry of this name count. */
  only?: string,
): Watch {
  let current: { readonly watcher: Deno.FsWatcher; readonly identity: string } | undefined;
  let failed: string | undefined;
  const close = () => {
    current?.watcher.close();
    current = undefined;
  };
  const open = async (identity: string) => {
    // A link that is watched reports nothing of what it leads to.
    const target = await Deno.realPath(path);
    // Another call may have opened meanwhile.
    close();
    const watcher = Deno.watchFs(target, options);
    current = { watcher, identity };
    follow(watcher, target, only, onEvent).finally(() => {
      if (current?.watcher === watcher) current = undefined;
    });
  };
  return {
    close,
    async refresh() {
      try {
        const { identity } = await io.stat(path);
        if (current?.identity === identity) return;
        await open(identity);
        failed = undefined;
        // What happened between the last look and now has no event.
        onEvent();
      } catch (error) {
        close();
        const message = error instanceof Error ? error.message : String(error);
        const missing = error instanceof Deno.errors.NotFound;
        // Without the directory above, its replacement is seen by the slow rescan.
        const write = only === undefined ? log.warn : log.debug;
        if (!missing && message !== failed) {
          write("cannot watch, will look now and then", { path, error: message });
        }
        failed = message;
      }
    },
  };
}

/** A path relative to the directory it lies in; none for the directory itself. */
function below(directory: string, path: string): string | undefined {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/** Calls back for events until the watcher ends. Reading makes `access` events, which would never end. */
async function follow(
  watcher: Deno.FsWatcher,
  target: string,
  only: string | undefined,
  onEvent: OnEvent,
): Promise<void> {
  try {
    for await (const event of watcher) {
      if (event.kind === "access") continue;
      const { paths } = event;
      // Without a path, or with a flag, events were lost.
      if (paths.length === 0 || event.flag != null) onEvent();
      else if (only === undefined) { for (const one of paths) onEvent(below(target, one)); }
      else if (paths.some((one) => basename(one) === only)) onEvent();
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted)) {
      log.warn("watching ended", { error: error instanceof Error ? error.message : String(error) });
    }
  }
  onEvent();
}
