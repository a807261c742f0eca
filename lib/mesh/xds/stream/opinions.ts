/**
 * The clients that accept a version that others reject. One proxy that rejects what others accept has a
 * fault of its own, or lies.
 *
 * @module
 */
import type { Session } from "./session.ts";
import { wants } from "../subscription/mod.ts";
import { clientName } from "../quarantine/mod.ts";
import type { Quarantined, Rejected } from "../quarantine/mod.ts";

/** Most clients of a class that are asked for their opinion. */
const MAX_CLIENTS = 64;

/** Adds the clients that accepted the rejected versions; they are computed when they are read. */
export function withOpinions(
  rejected: readonly Rejected[],
  sessions: ReadonlySet<Session>,
): Quarantined[] {
  const clients = clientsByClass(sessions);
  return rejected.map((one) => {
    let opinion: Opinion | undefined;
    const opinionNow = () => opinion ??= opinionOf(one, clients(one.classKey));
    return {
      ...one,
      get acceptedBy() {
        return opinionNow().acceptedBy;
      },
      get outvoted() {
        return opinionNow().outvoted;
      },
    };
  });
}

/**
 * Streams of a class by client, those with a proved identity first, because a client without one may
 * have any number of names.
 */
function clientsByClass(
  sessions: ReadonlySet<Session>,
): (classKey: string) => ReadonlyMap<string, readonly Session[]> {
  const known = new Map<string, Map<string, Session[]>>();
  return (classKey) => {
    const found = known.get(classKey);
    if (found) return found;
    const clients = new Map<string, Session[]>();
    const ofClass = [...sessions].filter(({ binding }) => binding.classKey === classKey);
    const isProved = ({ node }: Session) => node.identity !== undefined;
    for (const session of [...ofClass.filter(isProved), ...ofClass.filter((s) => !isProved(s))]) {
      const name = clientName(session);
      const streams = clients.get(name);
      if (streams) streams.push(session);
      else if (clients.size < MAX_CLIENTS) clients.set(name, [session]);
    }
    known.set(classKey, clients);
    return clients;
  };
}

type Opinion = Pick<Quarantined, "acceptedBy" | "outvoted">;

function opinionOf(
  one: Rejected,
  clients: ReadonlyMap<string, readonly Session[]>,
): Opinion {
  const accepting = [...clients].filter(([, streams]) =>
    streams.some((session) => hasAccepted(session, one))
  ).map(([name]) => name);
  // Proved identities decide, if there are any: the others count only among themselves.
  const isProved = (name: string) => !name.includes(" ");
  const hasProved = [...accepting, ...one.rejectedBy].some(isProved);
  const voters = (names: readonly string[]) => names.filter((name) => !hasProved || isProved(name));
  const [accepted, refused] = [voters(accepting), voters(one.rejectedBy)];
  const isOutvoted = accepted.length > 0 && accepted.length >= refused.length;
  return {
    acceptedBy: accepting.sort(),
    outvoted: isOutvoted ? one.rejectedBy.filter((name) => !accepted.includes(name)) : [],
  };
}

/** Reports if a stream took the last rejected version, and answered everything up to it. */
function hasAccepted(
  { id, subscriptions }: Session,
  { typeUrl, name, streams, versions }: Rejected,
): boolean {
  const subscription = subscriptions.find(({ type }) => type.url === typeUrl);
  if (!subscription?.started || subscription.settledAt < 0 || !wants(subscription, name)) {
    return false;
  }
  const { view, settledAt } = subscription;
  return view?.at(settledAt, name)?.version === versions.at(-1) && !streams.includes(id);
}
