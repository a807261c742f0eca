/**
 * Watches a path that may disappear, come back, or be replaced behind a link.
 *
 * @module
 */
import { dirname } from "node:path";
import { scope } from "../../../kit/log/mod.ts";
import type { Io } from "./io.ts";

const log = scope("file");

/** A watch that can be renewed. */
export interface Watch {
  /** Opens the watch again when the path is not the watched directory any more. */
  refresh(): Promise<void>;
  close(): void;
}

/**
 * Is called for events: with a path below the watched directory, or without one when anything there
 * may have changed. `complete`: the path was closed by its writer, moved there, or removed, so that
 * nobody is writing to it.
 */
export type OnEvent = (path?: string, complete?: boolean) => void;

/**
 * Milliseconds between two checks if a directory was replaced. The parent directory is not watched
 * for that: every write in it (a log, in `/tmp` or `/var`) would be an event.
 */
const LOOK_MS = 500;

/** Watches a directory with everything below it, and checks regularly whether it was replaced. */
export function watchTree(path: string, io: Io, onEvent: OnEvent): Watch {
  const tree = watchOne(path, { recursive: true }, io, onEvent);
  const others = lookForAnother(path, io, () => onEvent());
  return {
    async refresh() {
      await tree.refresh();
      others.start(tree.identity());
    },
    close() {
      tree.close();
      others.close();
    },
  };
}

/** Notices when a path is replaced, disappears or comes back. */
function lookForAnother(
  path: string,
  io: Io,
  onOther: () => void,
): { start(identity: string | undefined): void; close(): void } {
  let seen: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  const look = async () => {
    const identity = await io.stat(path).then(({ identity }) => identity, () => undefined);
    if (closed) return;
    if (seen !== identity) onOther();
    seen = identity;
    timer = setTimeout(look, LOOK_MS);
  };
  return {
    start(identity) {
      if (timer !== undefined) return;
      seen = identity;
      timer = setTimeout(look, LOOK_MS);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Watches the directory of a file. Every event there counts, because links in it are often swapped.
 */
export function watchBeside(file: string, io: Io, onEvent: () => void): Watch {
  return watchOne(dirname(file), { recursive: false }, io, onEvent);
}

function watchOne(
  path: string,
  options: { recursive: boolean },
  io: Io,
  onEvent: OnEvent,
): Watch & { identity(): string | undefined } {
  let current: { readonly watcher: Deno.FsWatcher; readonly identity: string } | undefined;
  let failed: string | undefined;
  const close = () => {
    current?.watcher.close();
    current = undefined;
  };
  const open = async (identity: string) => {
    // A watched link reports no events of its target.
    const target = await Deno.realPath(path);
    // Another call may have opened a watch in the meantime.
    close();
    const watcher = Deno.watchFs(target, options);
    current = { watcher, identity };
    follow(watcher, target, onEvent).finally(() => {
      if (current?.watcher === watcher) current = undefined;
    });
  };
  return {
    close,
    identity: () => current?.identity,
    async refresh() {
      try {
        const { identity } = await io.stat(path);
        if (current?.identity === identity) return;
        await open(identity);
        failed = undefined;
        // There are no events for changes between the last look and now.
        onEvent();
      } catch (error) {
        close();
        const message = error instanceof Error ? error.message : String(error);
        const missing = error instanceof Deno.errors.NotFound;
        if (!missing && message !== failed) {
          log.warn("cannot watch the path; it is read regularly instead", { path, error: message });
        }
        failed = message;
      }
    },
  };
}

/** A path relative to a directory; `undefined` for the directory itself. */
function below(directory: string, path: string): string | undefined {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}

/**
 * Kinds of events after which a file is complete. `access` is the end of writing (`IN_CLOSE_WRITE`);
 * reads make no events.
 */
const COMPLETE: ReadonlySet<Deno.FsEvent["kind"]> = new Set(["access", "rename", "remove"]);

/** Calls back for events until the watcher ends. */
async function follow(
  watcher: Deno.FsWatcher,
  target: string,
  onEvent: OnEvent,
): Promise<void> {
  try {
    for await (const event of watcher) {
      const { kind, paths } = event;
      // Without a path, or with a flag, events were lost.
      if (paths.length === 0 || event.flag != null) onEvent();
      else for (const one of paths) onEvent(below(target, one), COMPLETE.has(kind));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted)) {
      log.warn("watching ended", { error: error instanceof Error ? error.message : String(error) });
    }
  }
  onEvent();
}
