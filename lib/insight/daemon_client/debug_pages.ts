/**
 * Debug pages of the daemons that a command asks.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import type { Invocation } from "../../kit/cli/mod.ts";
import { debugQuery } from "./ask.ts";
import type { PageParameters } from "./types.ts";
import { ask, type Daemon, type Daemons, openDaemons } from "./connect.ts";
import { isAway, warnOf } from "./each_daemon.ts";

/**
 * Reads a debug page as text.
 *
 * @param page below `/debug/`, such as `history`
 */
export type ReadPage = (page: string, parameters?: PageParameters) => Promise<string>;

/** The debug pages of the daemons. */
export interface DebugPages {
  /**
   * Reads a page of the first daemon that answers and does not answer with "not found": only the
   * daemon that serves a proxy knows it.
   */
  readonly read: ReadPage;
  /** One for each daemon. */
  readonly each: readonly ReadPage[];
}

/**
 * Calls `use` with the pages of the daemon that is named by its address, or of the daemons of the
 * cluster.
 *
 * @throws {MeshError} those of `openDaemons`
 */
export async function withDebugPages<T>(
  call: Invocation,
  use: (pages: DebugPages) => Promise<T>,
): Promise<T> {
  await using daemons = await openDaemons(call);
  const readerOf = (daemon: Daemon): ReadPage => async (page, parameters) =>
    (await ask(call, daemon, debugQuery(page, parameters))).text;
  return await use({ each: daemons.all.map(readerOf), read: readFirst(call, daemons, readerOf) });
}

function readFirst(
  call: Invocation,
  { all }: Daemons,
  readerOf: (daemon: Daemon) => ReadPage,
): ReadPage {
  const away = new Map<Daemon, unknown>();
  return async (page, parameters) => {
    let unknown: unknown;
    for (const daemon of all.filter((one) => !away.has(one))) {
      try {
        return await readerOf(daemon)(page, parameters);
      } catch (error) {
        call.signal.throwIfAborted();
        if (isAway(error)) {
          away.set(daemon, error);
          if (all.length > 1) warnOf(call, daemon, error);
        } else if (isNotFound(error)) unknown ??= error;
        else throw error;
      }
    }
    throw unknown ?? [...away.values()][0];
  };
}

function isNotFound(error: unknown): boolean {
  return error instanceof MeshError && error.code === "daemon-not-found";
}
