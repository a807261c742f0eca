/**
 * Slots bound the requests of a listener that are in progress, and the memory of their answers. A
 * request holds a slot from its headers until the runtime has sent its answer.
 *
 * @module
 */

/** Bounds of the slots. */
export interface SlotLimits {
  /** Requests in progress at one time. */
  readonly maxRequests: number;
  /** Bytes of answers that wait for their clients, of all requests together. */
  readonly maxPendingBytes: number;
}

/** The slot of one request. */
export interface Slot {
  /** Sets how many bytes of the answer are in memory. False when there is no room for them. */
  hold(bytes: number): boolean;
  /** Frees the slot; a second call does nothing. */
  release(): void;
}

/** The slots of a listener. */
export interface Slots {
  /** A slot for a new request; `undefined` when all are taken. */
  enter(): Slot | undefined;
  /** Resolves once no request is in progress. */
  idle(): Promise<void>;
}

/**
 * Makes the slots of a listener.
 *
 * @param onFull a request or an answer was refused, because others take all slots or bytes
 */
export function createSlots(
  { maxRequests, maxPendingBytes }: SlotLimits,
  onFull: () => void,
): Slots {
  /** The bytes that each slot holds. */
  const taken = new Map<Slot, number>();
  const waiting: (() => void)[] = [];
  let pending = 0;
  const enter = (): Slot | undefined => {
    if (taken.size >= maxRequests) return void onFull();
    const slot: Slot = {
      hold(bytes) {
        const others = pending - (taken.get(slot) ?? 0);
        // One answer alone always fits.
        const fits = taken.has(slot) && (others === 0 || others + bytes <= maxPendingBytes);
        if (!fits) {
          onFull();
          return false;
        }
        pending = others + bytes;
        taken.set(slot, bytes);
        return true;
      },
      release() {
        pending -= taken.get(slot) ?? 0;
        if (!taken.delete(slot) || taken.size > 0) return;
        for (const resolve of waiting.splice(0)) resolve();
      },
    };
    taken.set(slot, 0);
    return slot;
  };
  return {
    enter,
    idle: () =>
      new Promise((resolve) => {
        if (taken.size === 0) resolve();
        else waiting.push(resolve);
      }),
  };
}
