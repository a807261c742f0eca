/**
 * Tells observers of a publication: which streams follow what it changed.
 *
 * @module
 */
import type { View } from "../graph/mod.ts";
import type { Concern, Onlooker } from "./observe.ts";
import type { Hall, Session } from "./hall.ts";
import { wants, wantsAll, type Watch } from "./watch.ts";

type Told = (concerned: ReadonlyMap<View, readonly Session[]>, revision: number) => void;

/** Makes the teller; it does nothing when nobody listens. */
export function publicationTeller(hall: Hall): Told {
  const { observer, moves } = hall;
  let from = hall.revision();
  return (concerned, revision) => {
    if (observer.published) {
      const concerns = [...movedConcerns(hall)];
      for (const [view, streams] of concerned) {
        const onlookers = streams.flatMap((session) => stayed(hall, session, view));
        if (onlookers.length > 0) concerns.push({ view, before: view, onlookers });
      }
      observer.published({ revision, from, time: hall.clock(), concerns });
    }
    moves.clear();
    from = revision;
  };
}

/** Watches of a stream that followed a view already before the publication. */
function stayed({ moves }: Hall, session: Session, view: View): Onlooker[] {
  return session.watches
    .filter((watch) => watch.started && watch.view === view && !moves.has(watch))
    .map((watch) => onlooker(session, watch));
}

function* movedConcerns({ moves }: Hall): Generator<Concern> {
  const byViews = new Map<View | undefined, Map<View | undefined, Onlooker[]>>();
  for (const [watch, { session, before }] of moves) {
    if (!watch.started || watch.view === before) continue;
    let byView = byViews.get(before);
    if (!byView) byViews.set(before, byView = new Map());
    const onlookers = byView.get(watch.view);
    if (onlookers) onlookers.push(onlooker(session, watch));
    else byView.set(watch.view, [onlooker(session, watch)]);
  }
  for (const [before, byView] of byViews) {
    for (const [view, onlookers] of byView) yield { view, before, onlookers };
  }
}

function onlooker(stream: Session, watch: Watch): Onlooker {
  return {
    stream,
    typeUrl: watch.type.url,
    wildcard: wantsAll(watch),
    wants: (name) => wants(watch, name),
  };
}
