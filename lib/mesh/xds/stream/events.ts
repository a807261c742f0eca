/**
 * The events of a stream: its requests, publications that concern it, another class of its proxy, its
 * end.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import { HEALTH_TYPE_URL, PROXY_STATE_TYPE_URL, xdsType } from "../../model/mod.ts";
import { sleep } from "../../../kit/async/mod.ts";
import { RpcError } from "../../../kit/rpc/mod.ts";
import * as metrics from "../metrics.ts";
import { acknowledge } from "./acknowledgement.ts";
import { enqueue, type Session } from "./session.ts";
import {
  addNames,
  close,
  connect,
  contentChanged,
  followView,
  keepSnapshot,
  newSubscription,
  noteRequested,
  noteSuperseded,
  refuseNames,
  setOnDemand,
  setUnasked,
  subscribeDelta,
  subscribeSotw,
  type Subscription,
} from "../subscription/mod.ts";
import { tooManyNames, type XdsRequest } from "../wire/mod.ts";
import { armDrain } from "./push_timers.ts";

/** Processes a request. Throws `RpcError` if the request ends the stream. */
export function receive(session: Session, request: XdsRequest): void {
  if (request.typeUrl === "") throw new RpcError("INVALID_ARGUMENT", "the request names no type");
  if (request.typeUrl === HEALTH_TYPE_URL) {
    const fault = request.error && (request.error.message || `code ${request.error.code}`);
    return session.context.observer.reported?.({ stream: session, fault });
  }
  if (request.typeUrl === PROXY_STATE_TYPE_URL) {
    const { node, context } = session;
    const text = request.error?.message ?? "";
    return context.observer.reportedState?.({ node, stream: session, text });
  }
  const known = session.subscriptionOf(request.typeUrl);
  const subscription = known ?? open(session, request.typeUrl);
  const verdict = known ? acknowledge(session, subscription, request) : "none";
  // A stale SotW request is overtaken: the client repeats its list when it sees the latest response.
  if (session.variant === "delta") {
    subscribeDelta(subscription, request, !known);
    noteAsked(session, subscription, request, !known);
    noteRequested(subscription, request.names);
  } else if (verdict === "stale") noteSuperseded(subscription, request);
  else subscribeSotw(subscription, request, !known);
  checkNames(session);
  session.removals.messagePassed(session.context.now());
  if (subscription.due) enqueue(session);
  armDrain(session);
}

function open(session: Session, typeUrl: string): Subscription {
  const { context, subscriptions, variant } = session;
  if (subscriptions.length >= context.limits.maxTypes) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `more than ${context.limits.maxTypes} resource types are asked for`,
    );
  }
  const view = session.binding.view(typeUrl);
  const encoder = context.encoder(typeUrl, variant, view !== undefined);
  const subscription = newSubscription(xdsType(typeUrl), encoder, context.names);
  if (variant === "delta") {
    connect(subscriptions, subscription);
    setOnDemand(subscription, session.binding.onDemand?.(typeUrl));
    setUnasked(subscription, session.binding.unasked ?? []);
  }
  look(session, subscription, view);
  if (!view) context.unserved(session, typeUrl);
  session.add(subscription);
  return subscription;
}

/** Remembers what the client asks for on demand, and adds what others of its workload class asked for. */
function noteAsked(
  session: Session,
  subscription: Subscription,
  { names }: XdsRequest,
  first: boolean,
): void {
  const { onDemand, type: { url: typeUrl }, versions, view } = subscription;
  const { learned } = session.context;
  if (onDemand?.sharers === undefined) return;
  const { workload, owner } = onDemand.sharers;
  if (first) {
    // What a client holds of resources that exist is not taken from it.
    const held = onDemand.refusal === undefined ? versions?.names() ?? [] : [];
    addNames(subscription, [...held].filter((name) => onDemand.withheld(name) && view?.get(name)));
    addNames(subscription, learned?.begin(session, workload, typeUrl) ?? []);
  }
  const asked = names.filter((name) => name !== "*" && onDemand.withheld(name));
  if (asked.length === 0) return;
  const refused = learned?.ask(session, { workload, owner, typeUrl }, asked) ?? [];
  refuseNames(subscription, refused);
  if (refused.length > 0) metrics.refusedNames.inc(refused.length);
}

function checkNames({ subscriptions, context: { limits } }: Session): void {
  let names = 0;
  let bytes = 0;
  for (const subscription of subscriptions) {
    names += subscription.names.size;
    bytes += subscription.names.characters + (subscription.versions?.bytes ?? 0);
  }
  if (names > limits.maxNames) throw tooManyNames(limits.maxNames);
  if (bytes > limits.maxNameBytes) {
    throw new RpcError(
      "RESOURCE_EXHAUSTED",
      `the resource names and versions of the stream take more than ${limits.maxNameBytes} bytes`,
    );
  }
}

/** Handles a publication that changed a view of the session. */
export function notice(session: Session, view: View, time: number): void {
  for (const subscription of session.subscriptions) {
    if (subscription.view === view) contentChanged(subscription);
  }
  session.push.published(time);
  enqueue(session);
}

/** The proxy was bound to another class: its views may be other ones. */
export function rebound(session: Session): void {
  const { observer, rebinds } = session.context;
  for (const subscription of session.subscriptions) {
    const before = subscription.view;
    look(session, subscription, session.binding.view(subscription.type.url));
    if (subscription.view !== subscription.held) contentChanged(subscription);
    const notifies = observer.published !== undefined && subscription.view !== before;
    if (notifies && !rebinds.has(subscription)) rebinds.set(subscription, { session, before });
  }
  session.push.published(session.context.changedAt());
  if (session.beginRebinding()) void afterRebinding(session);
}

/** Enqueues the session when the resources of its new views are computed. */
async function afterRebinding(session: Session): Promise<void> {
  // Proxies are bound again within publications, in which nothing can be computed ahead.
  await sleep(0);
  await session.context.prepared();
  session.endRebinding();
  if (!session.closed) enqueue(session);
}

/**
 * Sets the view of a subscription. The previous view stays registered until the two were compared,
 * so that it is not evicted.
 */
function look(session: Session, subscription: Subscription, view: View | undefined): void {
  const old = subscription.view;
  if (old === view) return;
  const { registry } = session.context;
  if (view && view !== subscription.held) registry.look(session, view);
  if (old && old !== subscription.held) registry.leave(session, old);
  followView(subscription, view);
}

/** Ends a session: closes its binding, and releases its views and names. */
export function closeSession(session: Session): void {
  if (!session.close()) return;
  const { registry } = session.context;
  for (const subscription of session.subscriptions) {
    if (subscription.view) registry.leave(session, subscription.view);
    if (subscription.held && subscription.held !== subscription.view) {
      registry.leave(session, subscription.held);
    }
    close(subscription);
    session.context.rebinds.delete(subscription);
  }
  session.context.learned?.end(session);
  session.context.quarantine.leave(session);
  session.binding.close();
}

/** Stores the content of a slow client, as long as the logs have it. */
export function takeSnapshots({ context, subscriptions, closed }: Session): void {
  if (closed) return;
  for (const subscription of subscriptions) {
    if (subscription.started && subscription.held) {
      if (!subscription.snapshot) {
        keepSnapshot(subscription, context.snapshots.keep(subscription.held, subscription.heldAt));
      }
    }
  }
}
