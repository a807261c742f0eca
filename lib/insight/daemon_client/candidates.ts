/**
 * Names of proxies for completion.
 *
 * @module
 */
import type { CandidateRequest, Io } from "../../kit/cli/mod.ts";
import { podNames } from "../cluster_access/mod.ts";
import { askDaemon } from "./ask.ts";
import { namesDaemon, openDaemons } from "./connect.ts";

/** Time for the answer of the daemon, in milliseconds; completion itself waits two seconds. */
const TIMEOUT_MS = 1_500;

/** Completion writes nothing but names. */
const SILENT: Io = { out: () => {}, err: () => {} };

/** Proxies of the daemon that the flags or the settings name. */
export async function proxyNames({ flags, signal }: CandidateRequest): Promise<readonly string[]> {
  if (!flags.has("xds-address") || !namesDaemon(flags)) return await podNames({ flags, signal });
  await using daemons = await openDaemons({ flags, io: SILENT, signal });
  const { endpoint } = daemons.all[0];
  const { text } = await askDaemon(endpoint, { query: "syncz", timeoutMs: TIMEOUT_MS, signal });
  const rows = JSON.parse(text) as readonly { readonly proxy: string }[];
  return rows.map(({ proxy }) => proxy).sort();
}
