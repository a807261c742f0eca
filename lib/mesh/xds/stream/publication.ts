/**
 * Notifies observers of a publication with the streams that follow its changes.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import type { Concern, Subscriber } from "./observe.ts";
import { isProxy, type ServerContext, type Session } from "./session.ts";
import { type Subscription, wants, wantsAll } from "../subscription/mod.ts";

type Notifier = (concerned: ReadonlyMap<View, readonly Session[]>, revision: number) => void;

/** Creates the notifier; it does nothing without observers. */
export function publicationNotifier(context: ServerContext): Notifier {
  const { observer, rebinds } = context;
  let from = context.revision();
  return (concerned, revision) => {
    if (observer.published) {
      const concerns = [...movedConcerns(context)];
      for (const [view, streams] of concerned) {
        const subscribers = streams.filter(isProxy)
          .flatMap((session) => stayed(context, session, view));
        if (subscribers.length > 0) concerns.push({ view, before: view, subscribers });
      }
      observer.published({ revision, from, time: context.clock(), concerns });
    }
    rebinds.clear();
    from = revision;
  };
}

/** Watches of a stream that followed a view already before the publication. */
function stayed({ rebinds }: ServerContext, session: Session, view: View): Subscriber[] {
  return session.subscriptions
    .filter((subscription) =>
      subscription.started && subscription.view === view && !rebinds.has(subscription)
    )
    .map((subscription) => subscriber(session, subscription));
}

function* movedConcerns({ rebinds }: ServerContext): Generator<Concern> {
  const byViews = new Map<View | undefined, Map<View | undefined, Subscriber[]>>();
  for (const [subscription, { session, before }] of rebinds) {
    if (!subscription.started || subscription.view === before) continue;
    let byView = byViews.get(before);
    if (!byView) byViews.set(before, byView = new Map());
    const subscribers = byView.get(subscription.view);
    if (subscribers) subscribers.push(subscriber(session, subscription));
    else byView.set(subscription.view, [subscriber(session, subscription)]);
  }
  for (const [before, byView] of byViews) {
    for (const [view, subscribers] of byView) yield { view, before, subscribers };
  }
}

function subscriber(stream: Session, subscription: Subscription): Subscriber {
  return {
    stream,
    typeUrl: subscription.type.url,
    wildcard: wantsAll(subscription),
    wants: (name) => wants(subscription, name),
  };
}
