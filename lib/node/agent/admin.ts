/**
 * Client of the proxy's admin API, with the calls that the agent needs.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** The admin API of one proxy. */
export interface Admin {
  /** Values of the counters and gauges whose names match a regular expression. */
  stats(filter: string): Promise<ReadonlyMap<string, number>>;
  /** Starts draining inbound listeners; outbound listeners continue to serve the workload. */
  drainListeners(): Promise<void>;
}

/** Timeout of a call. The admin API is on this machine, so a slower response is a failure. */
const TIMEOUT_MS = 5000;

/**
 * Returns a client of the admin API at an address.
 *
 * All its calls throw `MeshError` `proxy-admin` if they fail.
 *
 * @param address `127.0.0.1:15000`
 */
export function adminApi(address: string): Admin {
  return {
    async stats(filter) {
      const query = new URLSearchParams({ usedonly: "", filter });
      return parseStats(await ask(address, "GET", `/stats?${query}`));
    },
    async drainListeners() {
      await ask(address, "POST", "/drain_listeners?inboundonly&graceful");
    },
  };
}

async function ask(address: string, method: string, path: string): Promise<string> {
  const url = `http://${address}${path}`;
  try {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await response.text();
    if (response.ok) return text;
    throw new Error(`status ${response.status}: ${text.trim()}`);
  } catch (cause) {
    throw new MeshError("proxy-admin", `the proxy's admin API did not answer ${path}`, { cause });
  }
}

/** Parses lines of the form `name: number`; histograms and texts are omitted. */
export function parseStats(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^(.+): (\d+)\s*$/.exec(line);
    if (match) values.set(match[1] ?? "", Number(match[2]));
  }
  return values;
}
