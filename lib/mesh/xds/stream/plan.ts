/**
 * The order of a push. Additions and changes are sent as clusters, endpoints, listeners, routes,
 * then the rest; removals in the opposite order, and only after the client has accepted the
 * replacements (make before break).
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import {
  type Change,
  collect,
  contentChanged,
  isPremature,
  type Origin,
  postponeRemovals,
  resendName,
  respondToNext,
  revokeRemovals,
  type Subscription,
  takeRemovals,
  wanted,
  wants,
} from "../subscription/mod.ts";
import { isEdsCluster } from "../wire/mod.ts";
import { TYPE_URLS } from "../../model/mod.ts";

/** Resources of one type that are sent together; in slices if they are large. */
export interface PendingResponse {
  readonly subscription: Subscription;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** Revision of the client's state before it. */
  readonly from: number;
  /** Origin of its resources; `undefined` if the client had them all. */
  readonly origin?: Origin;
  /** Sent again, to find the reason of a rejection. */
  readonly probe?: boolean;
}

/** The parts of a stream that planning needs. */
export interface PushState {
  readonly variant: "sotw" | "delta";
  /** In the order of their types. */
  readonly subscriptions: readonly Subscription[];
  /**
   * Clusters sent before the client subscribed to their endpoints, if it may have the endpoints
   * already.
   */
  readonly early: Set<string>;
  /**
   * New clusters whose endpoints the client has not acknowledged; until then, routes to them would
   * cause 503 responses.
   */
  readonly cold: Set<string>;
  /** Reports if endpoints with a name exist for this stream's proxy. */
  readonly hasEndpoints: (name: string) => boolean;
  /** A change without the resources that are quarantined for the client; `undefined` when nothing is left. */
  readonly withoutQuarantined: (change: Change) => Change | undefined;
  /** The resources of a full response, without the quarantined ones. */
  readonly shown: (
    subscription: Subscription,
    resources: readonly Resource[],
  ) => readonly Resource[];
}

/**
 * Collects all pending changes of a stream, as of one revision. Removals of resources that may
 * still be referred to are stored in `Subscription.pendingRemovals`; see {@link drain}. That is the
 * case if other types change in the same push, or if the stream is still `busy` with an earlier
 * one.
 */
export function plan(stream: PushState, revision: number, busy: boolean): PendingResponse[] {
  const changes: Change[] = [];
  for (const name of stream.cold) if (!stream.hasEndpoints(name)) stream.cold.delete(name);
  for (const subscription of stream.subscriptions) {
    if (!subscription.due || waitsForClusters(stream, subscription) || isPremature(subscription)) {
      continue;
    }
    if (!subscription.started) resendEarly(stream, subscription);
    const knowing = subscription.started || subscription.versions !== undefined;
    const found = collect(subscription, stream.variant, revision);
    const change = found && stream.withoutQuarantined(found);
    if (!change) continue;
    changes.push(change);
    revokeRemovals(subscription);
    if (subscription.type.url === TYPE_URLS.cluster && knowing) warm(stream, change);
    if (subscription.type.url === TYPE_URLS.listener) {
      for (const other of stream.subscriptions) {
        if (other.type.name === subscription.type.dependent) respondToNext(other);
      }
    }
  }
  const pendingResponses: PendingResponse[] = [];
  const drains: PendingResponse[] = [];
  for (const change of changes) {
    const { subscription, resources, absent, removed, respond, from } = change;
    if (subscription.type.atomic) {
      pendingResponses.push({
        subscription,
        resources,
        removed: joined(absent, removed),
        from,
        origin: change,
      });
      continue;
    }
    const keep = removed.length > 0 &&
      (busy || stream.cold.size > 0 ||
        changes.some((other) => other !== change && replaces(other)));
    if (keep) {
      const removals = removed.map((name) => [name, change.before(name)] as const);
      postponeRemovals(subscription, removals, change.from);
    }
    const now = keep ? [] : removed;
    if (resources.length > 0 || absent.length > 0 || respond) {
      const merged = changes.length === 1 ? joined(absent, now) : absent;
      const all = withPendingRemovals(stream, subscription, resources);
      pendingResponses.push({
        subscription,
        resources: all,
        removed: merged,
        from,
        origin: change,
      });
      if (changes.length === 1) continue;
    }
    const contained = stream.variant === "sotw" && respond;
    if (now.length > 0 && !contained) drains.push(removalResponse(stream, subscription, now, from));
  }
  return [...pendingResponses, ...drains.reverse()];
}

/** Concatenates lists. Returns a list itself if the other is empty: it may have 100,000 names. */
function joined(first: readonly string[], second: readonly string[]): readonly string[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/**
 * Reports if a change may replace removed resources of other types. Atomic resources are removed
 * together with it.
 */
function replaces({ subscription, resources, removed }: Change): boolean {
  return resources.length > 0 || (subscription.type.atomic === true && removed.length > 0);
}

/** Reports if pending changes of a type wait for warm clusters. First responses do not wait. */
export function waitsForClusters(
  { cold }: PushState,
  { type, started, versions }: Subscription,
): boolean {
  return cold.size > 0 && type.refersToClusters && (started || versions !== undefined);
}

/** Returns the pending removals when all responses were answered. */
export function drain(stream: PushState): PendingResponse[] {
  const pendingResponses: PendingResponse[] = [];
  for (const subscription of stream.subscriptions) {
    if (subscription.pendingRemovals.size === 0) continue;
    const names = takeRemovals(subscription).filter((name) => wants(subscription, name));
    if (names.length > 0) {
      pendingResponses.push(
        removalResponse(stream, subscription, names, subscription.pendingRemovalsFrom),
      );
    }
  }
  return pendingResponses.reverse();
}

function removalResponse(
  { variant, shown }: PushState,
  subscription: Subscription,
  names: readonly string[],
  from: number,
): PendingResponse {
  return variant === "delta"
    ? { subscription, resources: [], removed: names, from }
    : { subscription, resources: shown(subscription, wanted(subscription)), removed: [], from };
}

/** A full SotW response removes what it omits, so it includes resources with a pending removal. */
function withPendingRemovals(
  { variant }: PushState,
  subscription: Subscription,
  resources: readonly Resource[],
): readonly Resource[] {
  if (variant === "delta" || subscription.pendingRemovals.size === 0) return resources;
  return [
    ...resources,
    ...[...subscription.pendingRemovals.values()].filter((resource) => resource !== undefined),
  ];
}

/**
 * Envoy warms a changed cluster until endpoints of its name arrive, and in delta it does not ask
 * for those it holds: they are sent again. Clusters it is to ask for are {@link PushState.cold}.
 */
function warm(stream: PushState, { differing }: Change): void {
  const endpoints = stream.subscriptions.find((other) => other.type.url === TYPE_URLS.endpoint);
  for (const cluster of differing) {
    const asked = endpoints !== undefined && wants(endpoints, cluster.name);
    if (asked || !isEdsCluster(cluster) || !stream.hasEndpoints(cluster.name)) continue;
    stream.cold.add(cluster.name);
  }
  if (!endpoints) {
    if (stream.variant === "delta") { for (const { name } of differing) stream.early.add(name); }
    return;
  }
  if (stream.variant === "sotw") respondToNext(endpoints);
  for (const { name } of differing) {
    if (!wants(endpoints, name)) continue;
    resendName(endpoints, name);
    contentChanged(endpoints);
  }
}

/**
 * Sends endpoints again that the client reported, for clusters that were sent before the report.
 */
function resendEarly(stream: PushState, subscription: Subscription): void {
  if (subscription.type.url !== TYPE_URLS.endpoint) return;
  if (subscription.versions) { for (const name of stream.early) resendName(subscription, name); }
  stream.early.clear();
}
