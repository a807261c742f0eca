/**
 * What streams are shown in view of what is held back: the last good version, or nothing, in the
 * place of what a proxy rejected.
 *
 * @module
 */
import type { Resource } from "../graph/mod.ts";
import type { Change } from "./diff.ts";
import type { Session } from "./hall.ts";
import type { Screen } from "./held_back.ts";
import { wants, type Watch } from "./watch.ts";

/**
 * A change without what is held back from a stream; newcomers are sent what was accepted last.
 * `undefined` when nothing is left to say.
 */
export function screened(session: Session, change: Change): Change | undefined {
  const { watch, from } = change;
  const { hall, variant } = session;
  const { url } = watch.type;
  const screenBefore = hall.quarantine.screen(session, url);
  if (!screenBefore) return change;
  const before = taken(screenBefore, change);
  const freed = hall.quarantine.review(session, url, (name) => watch.view?.get(name)?.version);
  if (freed.length > 0) sendAgain(session, watch, freed);
  const screen = hall.quarantine.screen(session, url);
  if (!screen) return { ...change, before };
  const full = variant === "sotw" && watch.type.fullState;
  const { resources, withheld } = replaced(
    screen,
    change.resources,
    (instead) => full || change.lacks(instead),
  );
  if (withheld.length === 0) return { ...change, before };
  const { observer, revision } = hall;
  const event = { stream: session, typeUrl: url, from, revision: revision(), names: withheld };
  observer.withheld?.(event);
  const differing = change.differing.filter((one) => !screen.holds(one));
  const quiet = !change.asking && differing.length === 0 && change.removed.length === 0;
  if (quiet || (resources.length === 0 && !anything(change))) return undefined;
  return { ...change, resources, differing, before };
}

/** What a client had before a change, which is not what it rejected. */
function taken(screen: Screen, { resources, removed, before }: Change): Change["before"] {
  const instead = new Map<string, Resource | undefined>();
  for (const name of [...removed, ...resources.map((resource) => resource.name)]) {
    const was = before(name);
    const held = was && screen.holds(was);
    if (held) instead.set(name, held.instead);
  }
  return (name) => instead.has(name) ? instead.get(name) : before(name);
}

/** What is shown to a stream in a full response. */
export function shown(
  session: Session,
  watch: Watch,
  resources: readonly Resource[],
): readonly Resource[] {
  const screen = session.hall.quarantine.screen(session, watch.type.url);
  return screen ? replaced(screen, resources, () => true).resources : resources;
}

function replaced(
  screen: Screen,
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

/** Sends names to the streams of a class, `except` one that has them. */
export function sendAgain(
  { hall, binding }: Session,
  { type, view }: Watch,
  names: readonly string[],
  except?: Session,
): void {
  if (!view) return;
  for (const other of hall.registry.streams(view)) {
    if (other === except || other.binding.classKey !== binding.classKey) continue;
    for (const theirs of other.watches) {
      if (theirs.type !== type || theirs.view !== view) continue;
      for (const name of names) if (wants(theirs, name)) theirs.answers.add(name);
      theirs.due = true;
    }
    hall.enqueue(other);
  }
}

function anything({ absent, removed, respond }: Change): boolean {
  return respond || absent.length > 0 || removed.length > 0;
}
