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
import type { PendingResponse } from "./pending_response.ts";
import type { Session } from "./session.ts";
import { AnswerWait } from "./answer_wait.ts";
import { shown, withoutQuarantined } from "./withheld.ts";

/**
 * Collects all pending changes of a stream, as of one revision. Removals of resources that may
 * still be referred to are stored in `Subscription.pendingRemovals`; see {@link drain}. That is the
 * case if other types change in the same push, or if the stream is still `busy` with an earlier
 * one.
 */
export function plan(session: Session, revision: number, busy: boolean): PendingResponse[] {
  const changes: Change[] = [];
  session.warming.keep((name) => session.hasEndpoints(name));
  for (const subscription of session.subscriptions) {
    if (!subscription.due || waitsForClusters(session, subscription) || isPremature(subscription)) {
      continue;
    }
    if (answerWait(session, subscription) > 0) continue;
    if (!subscription.started) resendEarly(session, subscription);
    const knowing = subscription.started || subscription.versions !== undefined;
    const found = collect(subscription, session.variant, revision);
    const change = found && withoutQuarantined(session, found);
    if (!change) continue;
    changes.push(change);
    revokeRemovals(subscription);
    if (subscription.type.url === TYPE_URLS.cluster && knowing) warm(session, change);
    if (subscription.type.url === TYPE_URLS.listener) {
      for (const other of session.subscriptions) {
        if (other.type.name === subscription.type.dependent) respondToNext(other);
      }
    }
  }
  return responsesFor(session, changes, busy);
}

/** The responses for changes: additions in the order of types, then removals in the opposite order. */
function responsesFor(
  session: Session,
  changes: readonly Change[],
  busy: boolean,
): PendingResponse[] {
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
      (busy || session.warming.isCold ||
        changes.some((other) => other !== change && replaces(other)));
    if (keep) {
      const removals = removed.map((name) => [name, change.before(name)] as const);
      postponeRemovals(subscription, removals, change.from);
    }
    const now = keep ? [] : removed;
    if (resources.length > 0 || absent.length > 0 || respond) {
      const merged = changes.length === 1 ? joined(absent, now) : absent;
      const all = withPendingRemovals(session, subscription, resources);
      pendingResponses.push({
        subscription,
        resources: all,
        removed: merged,
        from,
        origin: change,
      });
      if (changes.length === 1) continue;
    }
    const contained = session.variant === "sotw" && respond;
    if (now.length > 0 && !contained) {
      drains.push(removalResponse(session, subscription, now, from));
    }
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
  { warming }: Session,
  { type, started, versions }: Subscription,
): boolean {
  return warming.isCold && type.refersToClusters && (started || versions !== undefined);
}

/** Milliseconds that pending changes of a type wait for the answer to those before. */
export function answerWait({ context }: Session, subscription: Subscription): number {
  return AnswerWait.left(subscription, context.clock(), context.limits.answerMs);
}

/** Returns the pending removals when all responses were answered. */
export function drain(session: Session): PendingResponse[] {
  const pendingResponses: PendingResponse[] = [];
  for (const subscription of session.subscriptions) {
    if (subscription.pendingRemovals.size === 0) continue;
    const names = takeRemovals(subscription).filter((name) => wants(subscription, name));
    if (names.length > 0) {
      pendingResponses.push(
        removalResponse(session, subscription, names, subscription.pendingRemovalsFrom),
      );
    }
  }
  return pendingResponses.reverse();
}

function removalResponse(
  session: Session,
  subscription: Subscription,
  names: readonly string[],
  from: number,
): PendingResponse {
  if (session.variant === "delta") return { subscription, resources: [], removed: names, from };
  const resources = shown(session, subscription, wanted(subscription));
  return { subscription, resources, removed: [], from };
}

/** A full SotW response removes what it omits, so it includes resources with a pending removal. */
function withPendingRemovals(
  { variant }: Session,
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
 * for those it holds: they are sent again. Clusters it is to ask for are {@link Session.warming}.
 */
function warm(session: Session, { differing }: Change): void {
  const endpoints = session.subscriptionOf(TYPE_URLS.endpoint);
  for (const cluster of differing) {
    const asked = endpoints !== undefined && wants(endpoints, cluster.name);
    if (asked || !isEdsCluster(cluster) || !session.hasEndpoints(cluster.name)) continue;
    session.warming.waitFor(cluster.name);
  }
  if (!endpoints) {
    if (session.variant === "delta") {
      for (const { name } of differing) session.warming.sentEarly(name);
    }
    return;
  }
  if (session.variant === "sotw") respondToNext(endpoints);
  for (const { name } of differing) {
    if (!wants(endpoints, name)) continue;
    resendName(endpoints, name);
    contentChanged(endpoints);
  }
}

/**
 * Sends endpoints again that the client reported, for clusters that were sent before the report.
 */
function resendEarly({ warming }: Session, subscription: Subscription): void {
  if (subscription.type.url !== TYPE_URLS.endpoint) return;
  const early = warming.takeEarly();
  if (subscription.versions) { for (const name of early) resendName(subscription, name); }
}
