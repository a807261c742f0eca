/**
 * The filter of quarantined resources: a stream is sent the version before instead of one that it
 * rejected, or nothing.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import {
  type Change,
  contentChanged,
  resendName,
  type Subscription,
  wants,
} from "../subscription/mod.ts";
import type { Session } from "./session.ts";
import type { QuarantineFilter } from "../quarantine/mod.ts";

/**
 * A change without the resources that are quarantined for a stream. A new client is sent the version
 * that was accepted last. `undefined` when nothing is left.
 */
export function withoutQuarantined(session: Session, change: Change): Change | undefined {
  const { subscription, from } = change;
  const { context, variant } = session;
  const { url } = subscription.type;
  const screenBefore = context.quarantine.screen(session, url);
  if (!screenBefore) return change;
  const before = taken(screenBefore, change);
  const freed = context.quarantine.review(
    session,
    url,
    (name) => subscription.view?.get(name)?.version,
  );
  if (freed.length > 0) sendAgain(session, subscription, freed);
  const screen = context.quarantine.screen(session, url);
  if (!screen) return { ...change, before };
  const full = variant === "sotw" && subscription.type.fullState;
  const { resources, withheld } = replaced(
    screen,
    change.resources,
    (instead) => full || change.lacks(instead),
  );
  if (withheld.length === 0) return { ...change, before };
  const { observer, revision } = context;
  const event = { stream: session, typeUrl: url, from, revision: revision(), names: withheld };
  observer.withheld?.(event);
  const differing = change.differing.filter((one) => !screen.holds(one));
  const quiet = !change.asking && differing.length === 0 && change.removed.length === 0;
  if (quiet || (resources.length === 0 && !anything(change))) return undefined;
  return { ...change, resources, differing, before };
}

/** Returns the client's versions before a change, if it did not reject them. */
function taken(screen: QuarantineFilter, { resources, removed, before }: Change): Change["before"] {
  const instead = new Map<string, Resource | undefined>();
  for (const name of [...removed, ...resources.map((resource) => resource.name)]) {
    const was = before(name);
    const held = was && screen.holds(was);
    if (held) instead.set(name, held.instead);
  }
  return (name) => instead.has(name) ? instead.get(name) : before(name);
}

/** Returns the resources of a full response for a stream. */
export function shown(
  session: Session,
  subscription: Subscription,
  resources: readonly Resource[],
): readonly Resource[] {
  const screen = session.context.quarantine.screen(session, subscription.type.url);
  return screen ? replaced(screen, resources, () => true).resources : resources;
}

function replaced(
  screen: QuarantineFilter,
  resources: readonly Resource[],
  lacks: (instead: Resource) => boolean,
): { readonly resources: readonly Resource[]; readonly withheld: readonly string[] } {
  const left: Resource[] = [];
  const withheld: string[] = [];
  for (const resource of resources) {
    const held = screen.holds(resource);
    if (!held) left.push(resource);
    else {
      withheld.push(resource.name);
      if (held.instead && lacks(held.instead)) left.push(held.instead);
    }
  }
  return { resources: left, withheld };
}

/** Sends names again to a stream that wants them. */
function sendAgain(session: Session, subscription: Subscription, names: readonly string[]): void {
  for (const name of names) if (wants(subscription, name)) resendName(subscription, name);
  contentChanged(subscription);
  session.context.enqueue(session);
}

function anything({ absent, removed, respond }: Change): boolean {
  return respond || absent.length > 0 || removed.length > 0;
}
