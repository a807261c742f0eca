/**
 * The trusted roots that each proxy has received. Agents receive them over discovery, and acknowledge
 * them there. They also receive them with each certificate, so that a certificate issued since a root was
 * announced acknowledges it, too.
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
  /** Serial numbers of the roots that it has acknowledged over discovery. */
  readonly acknowledged: readonly string[];
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
      proxies.filter(({ identity, peer, acknowledged }) => {
        const issued = received.get(keyOf(identity, peer)) ?? [];
        return ![issued, acknowledged].some((has) => serials.every((one) => has.includes(one)));
      }).map(({ name }) => name),
  };
}
