/**
 * Memory that large messages arrive in, used again by the next ones: when hundreds of clients come
 * back at once, each with thousands of names, fresh memory for each message costs more than reading
 * it, as the platform clears it first and collects it later.
 *
 * @module
 */

/** Sizes of rooms are multiples of this; messages smaller than this get memory of their own. */
export const BUFFER_UNIT: number = 16 * 1024;
/** Larger rooms are not kept. */
const LARGEST = 4 * 1024 * 1024;
/** Bytes kept for use. */
const MOST_SPARE = 8 * 1024 * 1024;

/** Unused buffers, by size. */
const spare = new Map<number, ArrayBuffer[]>();
let spareBytes = 0;
/** Rooms in use that may be given back: once. */
const lent = new WeakSet<ArrayBufferLike>();

/** Memory of a size, rounded up to {@link BUFFER_UNIT}; it may contain earlier bytes. */
export function takeBuffer(size: number): Uint8Array<ArrayBuffer> {
  if (size > LARGEST) return new Uint8Array(size);
  const whole = Math.ceil(size / BUFFER_UNIT) * BUFFER_UNIT;
  const kept = spare.get(whole)?.pop();
  if (kept) spareBytes -= whole;
  const room = kept ?? new ArrayBuffer(whole);
  lent.add(room);
  return new Uint8Array(room);
}

/**
 * Gives the memory of a received message back. Nobody may look at the message, or at a part of it,
 * afterwards. What is not given back is collected like everything else; what was not lent is let be.
 */
export function recycleBuffer({ buffer }: Uint8Array): void {
  if (!lent.delete(buffer) || spareBytes + buffer.byteLength > MOST_SPARE) return;
  spareBytes += buffer.byteLength;
  const alike = spare.get(buffer.byteLength);
  if (alike) alike.push(buffer as ArrayBuffer);
  else spare.set(buffer.byteLength, [buffer as ArrayBuffer]);
}
