import { askDaemon } from "../../lib/daemon_client/mod.ts";

/** The debug address of a daemon, and how long to wait for it. */
export interface DaemonPages {
  /** `host:port` or a URL. */
  readonly address: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The answer of a debug page, in JSON.
 *
 * @param page below `/debug/`, such as `history`
 * @throws {MeshError} those of `askDaemon`
 */
export async function readPage(
  { address, ...limits }: DaemonPages,
  page: string,
  parameters: readonly (readonly [string, string])[] = [],
): Promise<string> {
  const url = /^https?:\/\//.test(address) ? address : `http://${address}`;
  const search = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
  const query = search.size === 0 ? page : `${page}?${search}`;
  return (await askDaemon({ address: url }, { query, ...limits })).text;
}
