/**
 * Reads the daemon's debug views.
 *
 * @module
 */
import type { Daemon } from "../../scripts/harness/mod.ts";

/** A problem of a rejected document, or a warning about one in use. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
  readonly lastGoodServes?: boolean;
}

/** `/debug/configz?problems=true`. */
export function problemsOf(
  daemon: Daemon,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  return daemon.debug("configz?problems=true");
}

/** One row of `/debug/syncz`. */
export interface SyncRow {
  readonly proxy: string;
  readonly proxy_type: string;
  readonly cluster_id: string;
  readonly proxy_version: string;
  readonly mesh_version: string;
  readonly cluster_sent: string;
  readonly cluster_acked: string;
  readonly cluster_status: string;
  readonly listener_status: string;
  readonly route_status: string;
  readonly endpoint_status: string;
  /** Absent for proxies without extensions. */
  readonly extensionconfig_status?: string;
  readonly extensionconfig_sent?: string;
  readonly extensionconfig_acked?: string;
}

/** `/debug/syncz`. */
export function syncOf(daemon: Daemon): Promise<readonly SyncRow[]> {
  return daemon.debug("syncz");
}

/** Sum of a metric of the daemon over its labels; `undefined` when there is no such metric. */
export async function metricOf(daemon: Daemon, name: string): Promise<number | undefined> {
  const answer = await fetch(`${daemon.monitoring}/metrics`);
  const lines = (await answer.text()).split("\n");
  const values = lines
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
