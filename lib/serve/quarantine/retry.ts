/**
 * Retries of quarantined versions, at growing intervals. One proxy of the class is sent the version in
 * a response of its own; if it accepts, the other proxies of the class are sent it.
 *
 * @module
 */
import { scope } from "../../log/mod.ts";
import type { Session } from "../session/context.ts";
import type { Entry, Quarantine } from "./types.ts";
import { sendOnce } from "./search.ts";
import { type Subscription, wants } from "../subscription/mod.ts";

const log = scope("ads");

/** Number of resources in one retry, and minimum time between two retries, milliseconds. */
const BATCH = 32;
const PAUSE_MS = 1000;

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
    for (const entry of quarantine.due().slice(0, BATCH)) {
      attempt(entry, quarantine, options.sessions);
    }
    arm();
  };
  return { arm, stop };
}

function attempt(entry: Entry, quarantine: Quarantine, sessions: ReadonlySet<Session>): void {
  const taker = takerOf(entry, sessions);
  quarantine.tryAgain(entry, taker?.session);
  if (!taker) return;
  const { session, subscription } = taker;
  const resource = subscription.view!.get(entry.name)!;
  const { name, tries } = entry;
  log.info("a rejected resource is tried again", {
    proxy: session.id,
    type: subscription.type.short,
    name,
    tries,
  });
  sendOnce(session, subscription, resource);
}

/** Selects the stream for a retry: one that rejected it, otherwise one of its class. */
function takerOf(
  entry: Entry,
  sessions: ReadonlySet<Session>,
): { readonly session: Session; readonly subscription: Subscription } | undefined {
  const rejecting = [...sessions].filter((session) => entry.streams.has(session));
  const others = entry.from === "class"
    ? [...sessions].filter(({ binding }) => binding.classKey === entry.classKey)
    : [];
  for (const session of [...rejecting, ...others]) {
    const subscription = session.subscriptions.find(({ type }) => type.url === entry.typeUrl);
    if (subscription && canTry(session, subscription, entry)) return { session, subscription };
  }
  return undefined;
}

/** A full SotW response cannot have only one resource, because it removes what it omits. */
function canTry(
  { variant, closed }: Session,
  subscription: Subscription,
  { name, versions }: Entry,
): boolean {
  if (closed || !subscription.started || (variant === "sotw" && subscription.type.fullState)) {
    return false;
  }
  return wants(subscription, name) && subscription.view?.get(name)?.version === versions.at(-1);
}
