/**
 * Unknown facts of an explanation after all replicas of the daemon were asked.
 *
 * @module
 */
import type { Doubt, Explanation } from "./explanation.ts";

/** The replicas that were asked. */
export interface AskedReplicas {
  readonly asked: number;
  /** Why some were not asked, as sentences. */
  readonly silent: readonly string[];
}

/** Says of proxies that are connected nowhere that all replicas were asked for them. */
export function afterReplicas(
  found: Explanation,
  { asked, silent }: AskedReplicas,
): Explanation {
  if (asked < 2) return found;
  const remedy = "Look at the proxy of the endpoint: meshctl proxy-status.";
  const doubts = found.doubts.map((one): Doubt =>
    one.what.endsWith(" is not connected here")
      ? { what: one.what.replace(/here$/, `to any of the ${asked} daemons`), remedy }
      : one
  );
  if (found.elsewhere.length === 0) return { ...found, doubts };
  const away = silent.map((what): Doubt => ({
    what,
    remedy: "Ask again when all daemons answer.",
  }));
  return { ...found, doubts: [...doubts, ...away] };
}
