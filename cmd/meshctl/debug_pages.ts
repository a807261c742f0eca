/**
 * Debug pages of the daemons that a command asks.
 *
 * @module
 */
import { MeshError } from "../../lib/base/mod.ts";
import type { Invocation } from "../../lib/cli/mod.ts";
import { debugQuery, type PageParameters } from "../../lib/daemon_client/mod.ts";
import { ask, openDaemons } from "./connect.ts";

/**
 * Reads a debug page as text.
 *
 * @param page below `/debug/`, such as `history`
 */
export type ReadPage = (page: string, parameters?: PageParameters) => Promise<string>;

/** The debug pages of the daemons. */
export interface DebugPages {
  /**
   * Reads a page of the first daemon that does not answer with "not found": only the daemon that
   * serves a proxy knows it.
   */
  readonly read: ReadPage;
  /** One for each daemon. */
  readonly each: readonly [ReadPage, ...ReadPage[]];
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
  const [first, ...others] = daemons.all.map((daemon): ReadPage => async (page, parameters) =>
    (await ask(call, daemon, debugQuery(page, parameters))).text
  );
  if (first === undefined) throw new TypeError("there is no daemon");
  const each: DebugPages["each"] = [first, ...others];
  return await use({ each, read: readFirst(each) });
}

function readFirst(each: DebugPages["each"]): ReadPage {
  return async (page, parameters) => {
    const [first, ...others] = each;
    let unknown: unknown;
    for (const read of [first, ...others]) {
      try {
        return await read(page, parameters);
      } catch (error) {
        if (!(error instanceof MeshError) || error.code !== "daemon-not-found") throw error;
        unknown ??= error;
      }
    }
    throw unknown;
  };
}
