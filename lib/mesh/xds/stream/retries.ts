/**
 * Retries of quarantined versions, at growing intervals. One of the proxies of a class that rejected a
 * version is sent it again, in a separate response, each time another one. If it accepts, the
 * others follow.
 *
 * @module
 */
import { scope } from "../../../kit/log/mod.ts";
import type { Session } from "./session.ts";
import type { Entry, Quarantine } from "../quarantine/mod.ts";
import { PAUSE_MS } from "../quarantine/mod.ts";
import { sendOnce } from "./culprit_search.ts";
import { type Subscription, wants } from "../subscription/mod.ts";

const log = scope("ads");

/** Number of responses in one round of retries. */
const BATCH = 32;

/** Runs something later; returns the way to call it off. */
export type LaterTimer = (run: () => void, ms: number) => () => void;

/** Schedules retries of quarantined resources. */
export interface Retries {
  /** Sets the timer for the next retry. `newAt`: the time of a resource that was quarantined just now. */
  arm(newAt?: number): void;
  stop(): void;
}

/** Makes one over the streams there are. `clock`: milliseconds since the epoch. */
export function retries(options: {
  readonly quarantine: () => Quarantine;
  readonly sessions: ReadonlySet<Session>;
  readonly clock: () => number;
  readonly timer: LaterTimer;
}): Retries {
  let cancel: (() => void) | undefined;
  let at = Infinity;
  const stop = () => {
    cancel?.();
    cancel = undefined;
    at = Infinity;
  };
  const arm = (newAt?: number) => {
    const next = newAt ?? options.quarantine().next;
    if (next === undefined || options.sessions.size === 0) return stop();
    if (cancel && at <= next) return;
    stop();
    at = next;
    cancel = options.timer(run, Math.max(PAUSE_MS, next - options.clock()));
  };
  const run = () => {
    stop();
    const quarantine = options.quarantine();
    let left = BATCH;
    for (const entry of quarantine.due()) {
      left -= attempt(entry, quarantine, { sessions: options.sessions, left });
      if (left <= 0) break;
    }
    arm();
  };
  return { arm, stop };
}

/** Sends an entry again, to at most `left` streams; returns their number, at least 1. */
function attempt(
  entry: Entry,
  quarantine: Quarantine,
  { sessions, left }: { readonly sessions: ReadonlySet<Session>; readonly left: number },
): number {
  const takers = takersOf(entry, sessions).slice(0, entry.isEased ? left : 1);
  quarantine.tryAgain(entry, takers.map(({ session }) => session));
  for (const { session, subscription } of takers) {
    const { name, tries } = entry;
    log.info("a rejected resource is tried again", {
      proxy: session.id,
      type: subscription.type.short,
      name,
      tries,
    });
    sendOnce(session, subscription, subscription.view!.get(name)!);
  }
  return Math.max(1, takers.length);
}

interface Taker {
  readonly session: Session;
  readonly subscription: Subscription;
  readonly tries: number;
}

/** The streams that rejected an entry and can be sent it, those with the fewest retries first. */
function takersOf({ holders, typeUrl, name }: Entry, sessions: ReadonlySet<Session>): Taker[] {
  const takers: Taker[] = [];
  for (const session of sessions) {
    const held = holders.get(session);
    if (!held) continue;
    const subscription = session.subscriptionOf(typeUrl);
    if (subscription && canTry(session, subscription, { name, versions: held.versions })) {
      takers.push({ session, subscription, tries: held.tries });
    }
  }
  return takers.sort((a, b) => a.tries - b.tries);
}

/** A full SotW response cannot have only one resource, because it removes what it omits. */
function canTry(
  { variant, closed }: Session,
  subscription: Subscription,
  { name, versions }: Pick<Entry, "name" | "versions">,
): boolean {
  if (closed || !subscription.started || (variant === "sotw" && subscription.type.fullState)) {
    return false;
  }
  return wants(subscription, name) && subscription.view?.get(name)?.version === versions.at(-1);
}
