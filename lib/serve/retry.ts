/**
 * Trying again what proxies rejected, after a while and ever more seldom: by one proxy, as a response
 * of its own; when that takes it, the others of its kind are sent it.
 *
 * @module
 */
import { scope } from "../log/mod.ts";
import type { Session } from "./hall.ts";
import type { Entry, Quarantine } from "./held_back.ts";
import { sendOnce } from "./rejection.ts";
import { wants, type Watch } from "./watch.ts";

const log = scope("ads");

/** Resources tried in one go, and the least time between two of these, milliseconds. */
const BATCH = 32;
const PAUSE_MS = 1000;

/** Runs something later; returns the way to call it off. */
export type LaterTimer = (run: () => void, ms: number) => () => void;

/** Looks after what is to be tried again. */
export interface Retries {
  /** Sees to it that what is held back is tried when it is time; what is new, at a time of its own. */
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
  const { session, watch } = taker;
  const resource = watch.view!.get(entry.name)!;
  const { name, tries } = entry;
  log.info("a rejected resource is tried again", {
    proxy: session.id,
    type: watch.type.short,
    name,
    tries,
  });
  sendOnce(session, watch, resource);
}

/** Who is sent it: one that rejected it, or else one of its kind. */
function takerOf(
  entry: Entry,
  sessions: ReadonlySet<Session>,
): { readonly session: Session; readonly watch: Watch } | undefined {
  const rejecting = [...sessions].filter((session) => entry.streams.has(session));
  const others = entry.from === "class"
    ? [...sessions].filter(({ binding }) => binding.classKey === entry.classKey)
    : [];
  for (const session of [...rejecting, ...others]) {
    const watch = session.watches.find(({ type }) => type.url === entry.typeUrl);
    if (watch && canTry(session, watch, entry)) return { session, watch };
  }
  return undefined;
}

/** A full response of state of the world cannot hold one resource alone: what it leaves out is gone. */
function canTry({ variant, closed }: Session, watch: Watch, { name, versions }: Entry): boolean {
  if (closed || !watch.started || (variant === "sotw" && watch.type.fullState)) return false;
  return wants(watch, name) && watch.view?.get(name)?.version === versions.at(-1);
}
