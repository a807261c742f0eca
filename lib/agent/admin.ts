/**
 * The proxy's admin API, as far as the agent uses it.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";

/** The admin API of one proxy. */
export interface Admin {
  /** Values of the counters and gauges whose names match a regular expression. */
  stats(filter: string): Promise<ReadonlyMap<string, number>>;
  /** Asks for the draining of inbound listeners; outbound ones go on serving the workload. */
  drainListeners(): Promise<void>;
}

/** The admin API is on this machine, so an answer that takes longer will not come. */
const TIMEOUT_MS = 5000;

/**
 * The admin API at an address.
 *
 * All of its calls throw `MeshError` `proxy-admin` when there is no good answer.
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

/** Lines of the form `name: number`; histograms and texts are left out. */
export function parseStats(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const match = /^(.+): (\d+)\s*$/.exec(line);
    if (match) values.set(match[1] ?? "", Number(match[2]));
  }
  return values;
}
