/**
 * The order of a push. Additions and changes go out as clusters, endpoints, listeners, routes,
 * then the rest; removals the other way round, and only when the client has accepted what
 * replaces them: make before break.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { type Change, collect, wanted } from "../subscription/changes.ts";
import { isPremature } from "../subscription/child_resources.ts";
import { isEdsCluster } from "../wire/eds_clusters.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import type { Origin } from "../subscription/state.ts";
import { type Subscription, wants } from "../subscription/subscription.ts";
import {
  contentChanged,
  postponeRemovals,
  resendName,
  respondToNext,
  revokeRemovals,
  takeRemovals,
} from "../subscription/transitions.ts";

/** What is sent of one type in one go; in slices if it is large. */
export interface PendingResponse {
  readonly subscription: Subscription;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** Revision of what the client held before it. */
  readonly from: number;
  /** What its resources are sent for; `undefined` when the client had them all. */
  readonly origin?: Origin;
  /** Sent again, to find the reason of a rejection. */
  readonly probe?: boolean;
}

/** What planning needs of a stream. */
export interface PushState {
  readonly variant: "sotw" | "delta";
  /** In the order of their types. */
  readonly subscriptions: readonly Subscription[];
  /** Clusters sent before the client asked for endpoints, when it may hold those already. */
  readonly early: Set<string>;
  /** New clusters whose endpoints the client has not taken yet; until it did, it would answer 503 for routes to them. */
  readonly cold: Set<string>;
  /** Whether there are endpoints of a name for this stream's proxy. */
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
 * Collects all that is due in a stream, as of one revision. Removals that something may still
 * refer to are put aside in `Subscription.pendingRemovals`; see {@link drain}. They may be referred to when other
 * types change in the same push, or when the stream is still `busy` with an earlier one.
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
        removed: [...absent, ...removed],
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
      const merged = changes.length === 1 ? [...absent, ...now] : absent;
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
    const told = stream.variant === "sotw" && respond;
    if (now.length > 0 && !told) drains.push(removalResponse(stream, subscription, now, from));
  }
  return [...pendingResponses, ...drains.reverse()];
}

/** Whether a change may take the place of what is removed of other types. What is atomic is removed in the midst of it. */
function replaces({ subscription, resources, removed }: Change): boolean {
  return resources.length > 0 || (subscription.type.atomic === true && removed.length > 0);
}

/** Whether what is due of a type waits for clusters to become warm. What a client without knowledge asks for does not. */
export function waitsForClusters(
  { cold }: PushState,
  { type, started, versions }: Subscription,
): boolean {
  return cold.size > 0 && type.refersToClusters && (started || versions !== undefined);
}

/** The removals put aside, once nothing is under way that the client did not answer yet. */
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

/** In SotW what a full response leaves out is gone, so it holds what is not to go yet. */
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

/** Endpoints the client says to hold, of clusters that were sent before it said so. */
function resendEarly(stream: PushState, subscription: Subscription): void {
  if (subscription.type.url !== TYPE_URLS.endpoint) return;
  if (subscription.versions) { for (const name of stream.early) resendName(subscription, name); }
  stream.early.clear();
}
