/**
 * Slots for signing, with a fair line of the requests that wait for one.
 *
 * @module
 */
import { fairLine, type LineMember } from "../../kit/async/mod.ts";
import { MeshError } from "../../kit/base/mod.ts";

/** The client that asks for a slot. */
export interface Claimant {
  /** The identity of the certificate. */
  readonly identity: string;
  /** `address:port` of the client. */
  readonly peer?: string;
  /** Resolves when the client is gone: then it waits no longer. */
  readonly ended?: Promise<unknown>;
}

/** Slots for work at the same time. */
export interface Slots {
  /**
   * Waits for a slot; the result frees it.
   *
   * @throws MeshError `ca-busy` when the line is full and the identity uses its share of it, or more;
   * `ca-gone` when the client is gone before its turn
   */
  take(claimant: Claimant): Promise<() => void>;
}

interface Waiter extends LineMember {
  readonly begin: () => void;
  readonly refuse: (error: MeshError) => void;
}

/**
 * Makes slots. Identities take turns, and so do the addresses of the clients of an identity, so that
 * a flood of one delays others by a turn of it. When the line is full, the identity that has the most
 * requests in it loses one.
 *
 * Signing runs on threads of the runtime; what is left on the event loop takes about a millisecond
 * a certificate. A freed slot is handed on in a later round, so that connections are read between.
 *
 * @param parallel slots
 * @param most requests that wait
 */
export function createSlots(parallel: number, most: number): Slots {
  const line = fairLine<Waiter>(most);
  let free = parallel;
  const release = () => {
    const next = line.take();
    if (next) setTimeout(next.begin, 0);
    else free++;
  };
  return {
    take({ identity, peer = "", ended }) {
      if (free > 0) {
        free--;
        return Promise.resolve(release);
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiter: Waiter = {
        source: identity,
        connection: peer.replace(/:\d+$/, ""),
        weight: 1,
        begin: () => resolve(release),
        refuse: reject,
      };
      for (const one of line.add(waiter)) {
        one.refuse(new MeshError("ca-busy", `${most} requests for certificates wait already`));
      }
      void ended?.then(() => {
        if (line.delete(waiter)) reject(new MeshError("ca-gone", "the client is gone"));
      });
      return promise;
    },
  };
}
