/**
 * The search for the resources that a client rejects. They are quarantined, and the other resources
 * of the response are sent again. When the client does not name them, the response is sent again in
 * halves, until single resources are left or the bound on responses is reached.
 *
 * @module
 */
import { printable } from "../../../kit/base/mod.ts";
import type { Resource } from "../../graph/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { named } from "../quarantine/mod.ts";
import type { PendingResponse } from "./pending_response.ts";
import type { Session } from "./session.ts";
import { TYPE_URLS } from "../../model/mod.ts";
import {
  addTrials,
  contentChanged,
  resendName,
  searchFinished,
  type Sent,
  type Subscription,
  takeTrial,
  type Trial,
  trialSent,
  wants,
} from "../subscription/mod.ts";

const log = scope("ads");

/**
 * Responses that are split in one search: enough to find three resources among a thousand. The
 * halves that wait when the bound is reached are sent once more, so at most twice as many are sent.
 */
const MAX_PROBES = 64;

/** Types of which Envoy accepts the valid resources of a response that it rejects. */
const PARTLY_ACCEPTED: ReadonlySet<string> = new Set([TYPE_URLS.cluster, TYPE_URLS.listener]);

/** A rejection of a response. */
interface Rejected {
  readonly session: Session;
  readonly subscription: Subscription;
  readonly sent: Sent;
  /** The client's error message. */
  readonly message: string;
}

/** Handles a rejection. Returns the names of the rejected resources; none if they are not known yet. */
export function rejected(
  session: Session,
  subscription: Subscription,
  sent: Sent,
  message: string,
): readonly string[] {
  const rejection: Rejected = { session, subscription, sent, message };
  const suspects = sent.resources.filter((resource) => isNew(sent, resource));
  const { culprits, together } = culpritsOf(rejection, suspects);
  for (const one of culprits) {
    if (!isCurrent(subscription, one)) continue;
    if (isNew(sent, one) || !wasAccepted(subscription, one)) quarantine(rejection, one, together);
  }
  const filter = session.context.quarantine.screen(session, subscription.type.url);
  const rest = suspects.filter((one) =>
    !culprits.includes(one) && isCurrent(subscription, one) && !filter?.holds(one)
  );
  // The removals of the response did not happen. They are sent once more, and not again after that.
  if (sent.removed.length > 0 && !sent.probe) {
    sendLater(session, subscription, sent, [{ resources: [], removed: sent.removed }]);
  }
  const arrived = culprits.length > 0 && PARTLY_ACCEPTED.has(subscription.type.url);
  if (rest.length > 0 && !arrived) {
    const groups = culprits.length === 0 ? split(session, subscription, rest) : [rest];
    const trials = groups.map((resources) => ({ resources, removed: [] }));
    sendLater(session, subscription, sent, trials);
  }
  return culprits.map(({ name }) => name);
}

/** Reports if a resource of a response was new to the client, so that it may be rejected. */
function isNew({ probe, origin }: Sent, { name, version }: Resource): boolean {
  if (probe) return true;
  return !!origin && (origin.asked(name) || origin.before(name)?.version !== version);
}

/** Reports if the client accepted this version earlier; then it still has it. */
function wasAccepted({ view, settledAt }: Subscription, { name, version }: Resource): boolean {
  return settledAt >= 0 && view?.at(settledAt, name)?.version === version;
}

/** Reports if this version of the resource is still the current one for the client. */
function isCurrent(subscription: Subscription, { name, version }: Resource): boolean {
  return wants(subscription, name) && subscription.view?.get(name)?.version === version;
}

/** The resources that are taken to be rejected; none while they are searched. */
interface Culprits {
  readonly culprits: readonly Resource[];
  /** Their names, if it is not known which of them are valid. */
  readonly together: readonly string[];
}

function culpritsOf(
  { session, subscription, sent, message }: Rejected,
  suspects: readonly Resource[],
): Culprits {
  const found = named(message, sent.resources);
  if (found.length > 0) return { culprits: found, together: [] };
  if (suspects.length === 1) return { culprits: suspects, together: [] };
  // A response of full state cannot be halved: a resource that it leaves out is removed.
  const whole = session.variant === "sotw" && subscription.type.fullState;
  if (!whole && subscription.probed < MAX_PROBES) return { culprits: [], together: [] };
  if (suspects.length > 0) {
    log.warn("a proxy rejects many resources without naming them; all of them are quarantined", {
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
  { session, subscription, sent, message }: Rejected,
  resource: Resource,
  together: readonly string[],
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
    culprits: subscription.view ? context.culprits(subscription.view, name) : [],
  });
  if (!instead || !asked) return;
  // The client has no version yet, but other proxies have one.
  resendName(subscription, name);
  contentChanged(subscription);
  context.enqueue(session);
}

/** Sends one resource in a separate response, to find out whether it is still rejected. */
export function sendOnce(session: Session, subscription: Subscription, resource: Resource): void {
  const sent = { from: subscription.at, origin: undefined };
  sendLater(session, subscription, sent, [{ resources: [resource], removed: [] }]);
}

function sendLater(
  session: Session,
  subscription: Subscription,
  { from, origin }: Pick<Sent, "from" | "origin">,
  trials: readonly Pick<Trial, "resources" | "removed">[],
): void {
  addTrials(subscription, trials.map((trial) => ({ ...trial, origin })), from);
  session.context.enqueue(session);
}

/** Reports if a search is running. */
export function isProbing({ search }: Subscription): boolean {
  return search === "searching";
}

/**
 * Splits what a client rejected: the resources that others rejected apart from the rest, if there are
 * both, otherwise in halves.
 */
function split(
  session: Session,
  { type }: Subscription,
  resources: readonly Resource[],
): readonly (readonly Resource[])[] {
  const suspects = new Set(session.context.quarantine.suspects(session, type.url, resources));
  if (suspects.size === 0 || suspects.size === resources.length) return halves(resources);
  return [resources.filter((one) => !suspects.has(one)), [...suspects]];
}

function halves(resources: readonly Resource[]): readonly (readonly Resource[])[] {
  const middle = Math.ceil(resources.length / 2);
  return [resources.slice(0, middle), resources.slice(middle)];
}

/** The next responses of the searches of a stream: one for each type, of the resources that are still current. */
export function probes(session: Session): PendingResponse[] {
  const pendingResponses: PendingResponse[] = [];
  for (const subscription of session.subscriptions) {
    if (subscription.outstanding.some(({ probe }) => probe)) continue;
    const filter = session.context.quarantine.screen(session, subscription.type.url);
    while (subscription.trials.length > 0) {
      const { resources, removed, origin } = takeTrial(subscription)!;
      const current = resources.filter((one) =>
        isCurrent(subscription, one) && !filter?.holds(one)
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

/** A client accepted a response: its resources are withheld from it no longer. */
export function accepted(session: Session, subscription: Subscription, { resources }: Sent): void {
  const { quarantine } = session.context;
  if (quarantine.size === 0 || !subscription.view) return;
  quarantine.accept(session, subscription.type.url, resources);
}
