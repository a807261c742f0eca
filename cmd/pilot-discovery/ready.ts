/**
 * The HTTP listener, which answers `/ready` while the daemon waits for its sources, and the reasons in
 * that answer.
 *
 * @module
 */
import { type Readiness, type ReadyReason, readyRoute } from "../../lib/insight/monitor/mod.ts";
import type { FollowedTypes } from "../../lib/kit/orch/mod.ts";
import type { Route } from "../../lib/kit/web/mod.ts";
import { withProfiles } from "./introspection.ts";
import { startWeb } from "./listeners.ts";
import type { DiscoveryOptions } from "./options.ts";

/** HTTP listeners are closed within this time, in milliseconds, even if the grace time is longer. */
const HTTP_GRACE_MS = 1_000;

/** An HTTP listener of the daemon. */
export interface HttpListener {
  /** The port that it is bound to. */
  readonly port: number;
  /** Serves further routes. */
  add(routes: readonly Route[]): void;
  /** Closes it; later calls do nothing. */
  close(): Promise<void>;
}

/** Longest time to close an HTTP listener, in milliseconds. */
export function httpGrace(
  { shutdownDurationMs }: Pick<DiscoveryOptions, "shutdownDurationMs">,
): number {
  return Math.min(shutdownDurationMs, HTTP_GRACE_MS);
}

/**
 * Opens the listener of `--httpAddr`; `undefined` if the address is empty.
 *
 * @throws MeshError for an address that cannot be bound
 */
export async function openHttp(
  options: DiscoveryOptions,
  readiness: Readiness,
  stack: AsyncDisposableStack,
): Promise<HttpListener | undefined> {
  if (options.httpAddr === "") return undefined;
  const { routes, limits } = withProfiles(options);
  const web = await startWeb({
    name: "http",
    address: options.httpAddr,
    routes: [readyRoute(readiness), ...routes],
    limits,
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => closing ??= web.stop(httpGrace(options));
  stack.defer(close);
  return { port: web.address.port, add: (more) => web.add(more), close };
}

/**
 * The reasons of a client: resource types whose objects were not received yet, and those that cannot be
 * followed now. Types that were received and are followed have none.
 */
export function reasonsOf({ list }: Pick<FollowedTypes, "list">): ReadyReason[] {
  return list().flatMap(({ resource, state }): ReadyReason[] => {
    const { synced, fault: detail, faultSince } = state();
    const since = faultSince === undefined ? "" : ` since ${new Date(faultSince).toISOString()}`;
    const missing = `${resource}: the objects were not received yet`;
    if (detail === undefined) return synced ? [] : [{ text: missing }];
    const text = synced
      ? `${resource}: cannot be followed${since}, the last objects stay in use`
      : `${missing}; the API server cannot be read${since}`;
    return [{ text, detail }];
  });
}
