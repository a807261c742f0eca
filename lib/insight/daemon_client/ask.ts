import { MeshError, printable } from "../../kit/base/mod.ts";
import { askOverHttp } from "./http.ts";
import type { DaemonAnswer, DaemonEndpoint, DaemonQuestion, PageParameters } from "./types.ts";

/**
 * Asks a debug query.
 *
 * @throws {MeshError} `daemon-unreachable`, `daemon-timeout`, `daemon-refused`, `daemon-not-found` or
 * `daemon-answer`
 */
export async function askDaemon(
  endpoint: DaemonEndpoint,
  { query, timeoutMs, signal }: DaemonQuestion,
): Promise<DaemonAnswer> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const ask = /^https?:/.test(endpoint.address)
    ? askOverHttp
    : (await import("./xds.ts")).askOverXds;
  try {
    return await ask(endpoint, query, either);
  } catch (error) {
    if (timeout.aborted && signal?.aborted !== true) throw late(endpoint, timeoutMs);
    throw error;
  }
}

/** The query of a debug page with parameters, such as `history?limit=3`. */
export function debugQuery(page: string, parameters: PageParameters = []): string {
  if (parameters.length === 0) return page;
  return `${page}?${new URLSearchParams(parameters.map(([name, value]) => [name, value]))}`;
}

function late({ address }: DaemonEndpoint, timeoutMs: number): MeshError {
  return new MeshError(
    "daemon-timeout",
    `the daemon at ${printable(address)} did not answer within ${timeoutMs / 1000} seconds`,
    { remedy: "Check that the address is that of a daemon, or allow more time with --timeout." },
  );
}
