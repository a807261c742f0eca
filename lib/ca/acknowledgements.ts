/**
 * The trusted roots that each proxy has received. The agents take the trusted roots from the answer to a
 * request for a certificate, so that a certificate issued since a root was announced acknowledges it.
 *
 * @module
 */

/** A connected proxy that was authenticated. */
export interface KnownProxy {
  /** Name for the operator. */
  readonly name: string;
  /** Its SPIFFE id. */
  readonly identity: string;
  /** `address:port`. */
  readonly peer: string;
}

/** A record of the roots that proxies received. */
export interface Acknowledgements {
  /** A certificate was issued, with these roots (their serial numbers). */
  issued(identity: string, peer: string, serials: readonly string[]): void;
  /** Names of the proxies that have not received all of these roots. */
  pending(serials: readonly string[], proxies: readonly KnownProxy[]): string[];
}

/** Proxies that are remembered; those who asked longest ago are forgotten first. */
const CAPACITY = 50_000;

/** Proxies are distinguished by identity and address. */
function keyOf(identity: string, peer: string): string {
  return `${identity} ${peer.replace(/:\d+$/, "")}`;
}

/** Makes an empty list. */
export function acknowledgements(): Acknowledgements {
  const received = new Map<string, readonly string[]>();
  return {
    issued(identity, peer, serials) {
      const key = keyOf(identity, peer);
      received.delete(key);
      received.set(key, serials);
      if (received.size > CAPACITY) received.delete(received.keys().next().value!);
    },
    pending: (serials, proxies) =>
      proxies.filter(({ identity, peer }) => {
        const has = received.get(keyOf(identity, peer)) ?? [];
        return !serials.every((serial) => has.includes(serial));
      }).map(({ name }) => name),
  };
}
