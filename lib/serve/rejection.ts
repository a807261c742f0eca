/**
 * What follows a rejection: find the resources it is about, hold those back, and see to it that
 * the others of the same response arrive. Where the client does not say which they are, the
 * response is sent again in halves, until single resources are left or enough was tried.
 *
 * @module
 */
import { printable } from "../base/mod.ts";
import type { Resource } from "../graph/mod.ts";
import { scope } from "../log/mod.ts";
import { named } from "./blame.ts";
import type { Parcel } from "./plan.ts";
import { sendAgain } from "./screening.ts";
import type { Session } from "./hall.ts";
import { type Sent, wants, type Watch } from "./watch.ts";
import { TYPE_URLS } from "../model/mod.ts";

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
  watch: Watch,
  sent: Sent,
  message: string,
): readonly string[] {
  const fresh = sent.resources.filter((resource) => isNew(sent, resource));
  const { culprits, together } = culpritsOf(session, watch, sent, fresh, message);
  for (const one of culprits) {
    if (!isCurrent(watch, one)) continue;
    if (isNew(sent, one) || !wasAccepted(watch, one)) {
      quarantine(session, watch, sent, one, { message, together });
    }
  }
  const screen = session.hall.quarantine.screen(session, watch.type.url);
  const rest = fresh.filter((one) =>
    !culprits.includes(one) && isCurrent(watch, one) && !screen?.holds(one)
  );
  // What was removed was not; a client that does not even take that back is not asked again.
  if (sent.removed.length > 0 && !sent.probe) {
    tryLater(session, watch, sent, [{ resources: [], removed: sent.removed }]);
  }
  const good = culprits.length > 0 && TAKEN_IN_PARTS.has(watch.type.url);
  if (rest.length > 0 && !good) probeLater(session, watch, sent, rest, culprits.length === 0);
  return culprits.map(({ name }) => name);
}

/** Whether the client did not hold a resource of a response before, so that it may be the reason. */
function isNew({ probe, origin }: Sent, { name, version }: Resource): boolean {
  if (probe) return true;
  return !!origin && (origin.asked(name) || origin.before(name)?.version !== version);
}

/** Whether a client took a version before: then it has it, whatever it says of it now. */
function wasAccepted({ view, settledAt }: Watch, { name, version }: Resource): boolean {
  return settledAt >= 0 && view?.at(settledAt, name)?.version === version;
}

/** Whether a resource is what the client is to have: one that was replaced meanwhile is of no interest. */
function isCurrent(watch: Watch, { name, version }: Resource): boolean {
  return wants(watch, name) && watch.view?.get(name)?.version === version;
}

/** What a rejection is put down to; none while that is to be found out. */
interface Blame {
  readonly culprits: readonly Resource[];
  /** Their names, when some of them may well be innocent. */
  readonly together: readonly string[];
}

function culpritsOf(
  session: Session,
  watch: Watch,
  sent: Sent,
  suspects: readonly Resource[],
  message: string,
): Blame {
  const found = named(message, sent.resources);
  if (found.length > 0) return { culprits: found, together: [] };
  if (suspects.length === 1) return { culprits: suspects, together: [] };
  // A full response cannot be halved: what it leaves out is gone.
  const whole = session.variant === "sotw" && watch.type.fullState;
  if (!whole && watch.probed < MAX_PROBES) return { culprits: [], together: [] };
  if (suspects.length > 0) {
    log.warn("a proxy rejects much without saying what; all of it is held back", {
      proxy: session.id,
      type: watch.type.short,
      resources: suspects.length,
      message: printable(message),
      response: sent.nonce,
    });
  }
  return { culprits: suspects, together: suspects.map(({ name }) => name) };
}

function quarantine(
  session: Session,
  watch: Watch,
  sent: Sent,
  resource: Resource,
  { message, together }: { readonly message: string; readonly together: readonly string[] },
): void {
  const { hall } = session;
  const { name, version } = resource;
  const asked = sent.origin?.asked(name);
  const before = asked ? undefined : sent.origin?.before(name);
  const instead = hall.quarantine.reject({
    stream: session,
    typeUrl: watch.type.url,
    resource,
    before: before?.version === version ? undefined : before,
    message,
    together,
    from: acceptedByOthers(session, watch, sent, name) || watch.probed >= MAX_PROBES
      ? "stream"
      : "class",
    culprits: watch.view ? hall.culprits(watch.view, name) : [],
  });
  if (!instead || !asked) return;
  // It has no version of its own yet, but there is one that others have.
  watch.answers.add(name);
  watch.due = true;
  hall.enqueue(session);
}

/** Whether another proxy of the class holds what this one rejects. */
function acceptedByOthers(session: Session, watch: Watch, sent: Sent, name: string): boolean {
  if (!watch.view) return false;
  for (const other of session.hall.registry.streams(watch.view)) {
    if (other === session || other.binding.classKey !== session.binding.classKey) continue;
    const theirs = other.watches.find(({ type }) => type === watch.type);
    if (!theirs || theirs.view !== watch.view || theirs.nack || !wants(theirs, name)) continue;
    if (theirs.settledAt >= sent.revision) return true;
  }
  return false;
}

/** Sends resources again: in halves when one of them is bad, together when they are only to arrive. */
function probeLater(
  session: Session,
  watch: Watch,
  sent: Sent,
  resources: readonly Resource[],
  halve: boolean,
): void {
  const groups = halve ? halves(resources) : [resources];
  tryLater(session, watch, sent, groups.map((group) => ({ resources: group, removed: [] })));
}

/** Sends one resource by itself, to see whether it is still rejected. */
export function sendOnce(session: Session, watch: Watch, resource: Resource): void {
  const sent = { from: watch.at, origin: undefined };
  tryLater(session, watch, sent, [{ resources: [resource], removed: [] }]);
}

function tryLater(
  session: Session,
  watch: Watch,
  { from, origin }: Pick<Sent, "from" | "origin">,
  trials: readonly Pick<Watch["probes"][number], "resources" | "removed">[],
): void {
  watch.probeFrom = isProbing(watch) ? Math.min(watch.probeFrom, from) : from;
  for (const trial of trials) watch.probes.push({ ...trial, origin });
  session.hall.enqueue(session);
}

/** Whether responses are sent, or to be sent, to find the reason of a rejection. */
export function isProbing(watch: Watch): boolean {
  return watch.probes.length > 0 || watch.probed > 0;
}

function halves(resources: readonly Resource[]): readonly (readonly Resource[])[] {
  const middle = Math.ceil(resources.length / 2);
  return [resources.slice(0, middle), resources.slice(middle)];
}

/** The next trials of a stream: one a type at a time, of what is still current. */
export function probes(session: Session): Parcel[] {
  const parcels: Parcel[] = [];
  for (const watch of session.watches) {
    if (watch.outstanding.some(({ probe }) => probe)) continue;
    const screen = session.hall.quarantine.screen(session, watch.type.url);
    while (watch.probes.length > 0) {
      const { resources, removed, origin } = watch.probes.shift()!;
      const current = resources.filter((one) => isCurrent(watch, one) && !screen?.holds(one));
      const gone = removed.filter((name) => wants(watch, name) && !watch.view?.get(name));
      if (current.length + gone.length === 0) continue;
      watch.probed++;
      const from = watch.probeFrom;
      parcels.push({ watch, resources: current, removed: gone, from, origin, probe: true });
      break;
    }
    if (watch.probes.length === 0 && !parcels.some((one) => one.watch === watch)) watch.probed = 0;
  }
  return parcels;
}

/** A client accepted a response: what was held back of it no longer is, from it and those like it. */
export function accepted(session: Session, watch: Watch, { resources }: Sent): void {
  const { quarantine } = session.hall;
  if (quarantine.size === 0 || !watch.view) return;
  const freed = quarantine.accept(session, watch.type.url, resources);
  if (freed.length > 0) sendAgain(session, watch, freed, session);
}
