/**
 * The memory of the bodies of all requests in progress, shared by the addresses of the callers. When it
 * is full, the request that has been arriving for the longest time is given up, of the address that holds
 * the most.
 *
 * @module
 */

/** Bounds of bodies, bytes. */
export interface BodyBounds {
  /** The most for one request. */
  readonly one: number;
  /** The most for all requests in progress. */
  readonly all: number;
}

export interface BodyMemory {
  /** Takes further bytes; the status of the refusal if there is no room for them. */
  take(bytes: number): number | undefined;
  /** Gives the memory back. */
  free(): void;
}

/** The memory of the bodies of a listener. */
export interface Bodies {
  /** Begins a body. `giveUp` ends the request, to make room for another one. */
  begin(address: string, giveUp: () => void): BodyMemory;
  /** Bytes in use. */
  readonly bytes: number;
}

interface Held {
  bytes: number;
  readonly giveUp: () => void;
}

/** Makes the memory of a listener. */
export function boundBodies(bounds: BodyBounds): Bodies {
  /** Bodies by address, the oldest first. */
  const addresses = new Map<string, Set<Held>>();
  let total = 0;
  const free = (address: string, held: Held) => {
    const own = addresses.get(address);
    if (!own?.delete(held)) return;
    total -= held.bytes;
    if (own.size === 0) addresses.delete(address);
  };
  const makeRoom = (): void => {
    const [address, bodies] = [...addresses].reduce((a, b) => sum(b[1]) > sum(a[1]) ? b : a);
    const [oldest] = [...bodies].filter(({ bytes }) => bytes > 0);
    free(address, oldest!);
    oldest!.giveUp();
  };
  return {
    begin(address, giveUp) {
      const held: Held = { bytes: 0, giveUp };
      addresses.set(address, (addresses.get(address) ?? new Set()).add(held));
      return {
        take(bytes) {
          if (!addresses.get(address)?.has(held)) return 503;
          held.bytes += bytes;
          total += bytes;
          if (held.bytes > bounds.one) return 413;
          while (total > bounds.all) makeRoom();
          return addresses.get(address)?.has(held) ? undefined : 503;
        },
        free: () => free(address, held),
      };
    },
    get bytes() {
      return total;
    },
  };
}

function sum(bodies: Iterable<Held>): number {
  let bytes = 0;
  for (const held of bodies) bytes += held.bytes;
  return bytes;
}
