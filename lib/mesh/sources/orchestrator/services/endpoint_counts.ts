/**
 * Counts of endpoints that are not ready, or whose pod is not known.
 *
 * @module
 */
import { pendingPods, podless, unreadyEndpoints, withoutPods } from "./metrics.ts";

/** Endpoints of a Service. */
export interface Counts {
  /** Those that name a pod which is not known. */
  readonly missing: number;
  /** Those that are not ready. */
  readonly unready: number;
}

/** Counts by Service. */
export interface EndpointCounts {
  set(service: string, counts: Counts): void;
  /** Takes the counts of this registry from the metrics. */
  close(): void;
}

const NONE: Counts = { missing: 0, unready: 0 };

/** Starts without endpoints. */
export function createEndpointCounts(): EndpointCounts {
  const countsOf = new Map<string, Counts>();
  const set = (service: string, counts: Counts): void => {
    const before = countsOf.get(service) ?? NONE;
    const missing = counts.missing - before.missing;
    const unready = counts.unready - before.unready;
    if (counts.missing + counts.unready === 0) countsOf.delete(service);
    else countsOf.set(service, counts);
    if (missing !== 0) { for (const gauge of [pendingPods, podless]) gauge.inc({}, missing); }
    if (missing > 0) withoutPods.inc(missing);
    if (unready !== 0) unreadyEndpoints.inc({}, unready);
  };
  return {
    set,
    close: () => {
      for (const service of [...countsOf.keys()]) set(service, NONE);
    },
  };
}
