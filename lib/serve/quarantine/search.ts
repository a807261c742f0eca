/**
 * What follows a rejection: find the resources it is about, hold those back, and see to it that
 * the others of the same response arrive. Where the client does not say which they are, the
 * response is sent again in halves, until single resources are left or enough was tried.
 *
 * @module
 */
import { printable } from "../../base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import { scope } from "../../log/mod.ts";
import { named } from "./nack_message.ts";
import type { PendingResponse } from "../push/plan.ts";
import { sendAgain } from "./filter.ts";
import type { Session } from "../session/context.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import type { Sent, Trial } from "../subscription/state.ts";
import { type Subscription, wants } from "../subscription/subscription.ts";
import {
  addTrials,
  contentChanged,
  resendName,
  searchFinished,
  takeTrial,
  trialSent,
} from "../subscription/transitions.ts";

const log = scope("ads");

/**
 * Responses split to find the reason of one rejection: enough to find three among a thousand. What
 * waits to be tried then is tried once, so that the innocent arrive; twice as many are sent at most.
 */
const MAX_PROBES = 64;

/** Types of which clients take what is good of a response that they reject. */
const TAKEN_IN_PARTS: ReadonlySet<string> = new Set([TYPE_URLS.cluster, TYPE_URLS.listener]);

/** Takes in a rejection; returns the names it is found to be about, none if that is not known yet. */
export function rejected(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  message: string,
): readonly string[] {
  const fresh = sent.resources.filter((resource) => isNew(sent, resource));
  const { culprits, together } = culpritsOf(session, subscription, sent, fresh, message);
  for (const one of culprits) {
    if (!isCurrent(subscription, one)) continue;
    if (isNew(sent, one) || !wasAccepted(subscription, one)) {
      quarantine(session, subscription, sent, one, { message, together });
    }
  }
  const screen = session.context.quarantine.screen(session, subscription.type.url);
  const rest = fresh.filter((one) =>
    !culprits.includes(one) && isCurrent(subscription, one) && !screen?.holds(one)
  );
  // What was removed was not; a client that does not even take that back is not asked again.
  if (sent.removed.length > 0 && !sent.probe) {
    tryLater(session, subscription, sent, [{ resources: [], removed: sent.removed }]);
  }
  const good = culprits.length > 0 && TAKEN_IN_PARTS.has(subscription.type.url);
  if (rest.length > 0 && !good) {
    probeLater(session, subscription, sent, rest, culprits.length === 0);
  }
  return culprits.map(({ name }) => name);
}

/** Whether the client did not hold a resource of a response before, so that it may be the reason. */
function isNew({ probe, origin }: Sent, { name, version }: Resource): boolean {
  if (probe) return true;
  return !!origin && (origin.asked(name) || origin.before(name)?.version !== version);
}

/** Whether a client took a version before: then it has it, whatever it says of it now. */
function wasAccepted({ view, settledAt }: Subscription, { name, version }: Resource): boolean {
  return settledAt >= 0 && view?.at(settledAt, name)?.version === version;
}

/** Whether a resource is what the client is to have: one that was replaced meanwhile is of no interest. */
function isCurrent(subscription: Subscription, { name, version }: Resource): boolean {
  return wants(subscription, name) && subscription.view?.get(name)?.version === version;
}

/** What a rejection is put down to; none while that is to be found out. */
interface Blame {
  readonly culprits: readonly Resource[];
  /** Their names, when some of them may well be innocent. */
  readonly together: readonly string[];
}

function culpritsOf(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  suspects: readonly Resource[],
  message: string,
): Blame {
  const found = named(message, sent.resources);
  if (found.length > 0) return { culprits: found, together: [] };
  if (suspects.length === 1) return { culprits: suspects, together: [] };
  // A full response cannot be halved: what it leaves out is gone.
  const whole = session.variant === "sotw" && subscription.type.fullState;
  if (!whole && subscription.probed < MAX_PROBES) return { culprits: [], together: [] };
  if (suspects.length > 0) {
    log.warn("a proxy rejects much without saying what; all of it is held back", {
      proxy: session.id,
      type: subscription.type.short,
      resources: suspects.length,
      message: printable(message),
      response: sent.nonce,
    });
  }
  return { culprits: suspects, together: suspects.map(({ name }) => name) };
}

function quarantine(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  resource: Resource,
  { message, together }: { readonly message: string; readonly together: readonly string[] },
): void {
  const { context } = session;
  const { name, version } = resource;
  const asked = sent.origin?.asked(name);
  const before = asked ? undefined : sent.origin?.before(name);
  const instead = context.quarantine.reject({
    stream: session,
    typeUrl: subscription.type.url,
    resource,
    before: before?.version === version ? undefined : before,
    message,
    together,
    from: acceptedByOthers(session, subscription, sent, name) || subscription.probed >= MAX_PROBES
      ? "stream"
      : "class",
    culprits: subscription.view ? context.culprits(subscription.view, name) : [],
  });
  if (!instead || !asked) return;
  // It has no version of its own yet, but there is one that others have.
  resendName(subscription, name);
  contentChanged(subscription);
  context.enqueue(session);
}

/** Whether another proxy of the class holds what this one rejects. */
function acceptedByOthers(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  name: string,
): boolean {
  if (!subscription.view) return false;
  for (const other of session.context.registry.streams(subscription.view)) {
    if (other === session || other.binding.classKey !== session.binding.classKey) continue;
    const theirs = other.subscriptions.find(({ type }) => type === subscription.type);
    if (!theirs || theirs.view !== subscription.view || theirs.nack || !wants(theirs, name)) {
      continue;
    }
    if (theirs.settledAt >= sent.revision) return true;
  }
  return false;
}

/** Sends resources again: in halves when one of them is bad, together when they are only to arrive. */
function probeLater(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  resources: readonly Resource[],
  halve: boolean,
): void {
  const groups = halve ? halves(resources) : [resources];
  tryLater(session, subscription, sent, groups.map((group) => ({ resources: group, removed: [] })));
}

/** Sends one resource by itself, to see whether it is still rejected. */
export function sendOnce(session: Session, subscription: Subscription, resource: Resource): void {
  const sent = { from: subscription.at, origin: undefined };
  tryLater(session, subscription, sent, [{ resources: [resource], removed: [] }]);
}

function tryLater(
  session: Session,
  subscription: Subscription,
  { from, origin }: Pick<Sent, "from" | "origin">,
  trials: readonly Pick<Trial, "resources" | "removed">[],
): void {
  addTrials(subscription, trials.map((trial) => ({ ...trial, origin })), from);
  session.context.enqueue(session);
}

/** Whether responses are sent, or to be sent, to find the reason of a rejection. */
export function isProbing({ search }: Subscription): boolean {
  return search === "searching";
}

function halves(resources: readonly Resource[]): readonly (readonly Resource[])[] {
  const middle = Math.ceil(resources.length / 2);
  return [resources.slice(0, middle), resources.slice(middle)];
}

/** The next trials of a stream: one a type at a time, of what is still current. */
export function probes(session: Session): PendingResponse[] {
  const pendingResponses: PendingResponse[] = [];
  for (const subscription of session.subscriptions) {
    if (subscription.outstanding.some(({ probe }) => probe)) continue;
    const screen = session.context.quarantine.screen(session, subscription.type.url);
    while (subscription.trials.length > 0) {
      const { resources, removed, origin } = takeTrial(subscription)!;
      const current = resources.filter((one) =>
        isCurrent(subscription, one) && !screen?.holds(one)
      );
      const gone = removed.filter((name) =>
        wants(subscription, name) && !subscription.view?.get(name)
      );
      if (current.length + gone.length === 0) continue;
      trialSent(subscription);
      const from = subscription.probeFrom;
      pendingResponses.push({
        subscription,
        resources: current,
        removed: gone,
        from,
        origin,
        probe: true,
      });
      break;
    }
    if (
      subscription.trials.length === 0 &&
      !pendingResponses.some((one) => one.subscription === subscription)
    ) searchFinished(subscription);
  }
  return pendingResponses;
}

/** A client accepted a response: what was held back of it no longer is, from it and those like it. */
export function accepted(session: Session, subscription: Subscription, { resources }: Sent): void {
  const { quarantine } = session.context;
  if (quarantine.size === 0 || !subscription.view) return;
  const freed = quarantine.accept(session, subscription.type.url, resources);
  if (freed.length > 0) sendAgain(session, subscription, freed, session);
}
