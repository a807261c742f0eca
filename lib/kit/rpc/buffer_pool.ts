/**
 * Memory that large messages arrive in, used again by the next ones: when hundreds of clients come
 * back at once, each with thousands of names, fresh memory for each message costs more than reading
 * it, as the platform clears it first and collects it later.
 *
 * @module
 */

/** Sizes of buffers are multiples of this; messages smaller than this get memory of their own. */
export const BUFFER_UNIT: number = 16 * 1024;
/** Larger buffers are not kept. */
const LARGEST = 4 * 1024 * 1024;
/** Bytes kept for use. */
const MOST_SPARE = 8 * 1024 * 1024;

/** Unused buffers, by size. */
const spare = new Map<number, ArrayBuffer[]>();
let spareBytes = 0;
/** Buffers in use that may be given back: once. */
const lent = new WeakSet<ArrayBufferLike>();

/** Memory of a size, rounded up to {@link BUFFER_UNIT}; it may contain earlier bytes. */
export function takeBuffer(size: number): Uint8Array<ArrayBuffer> {
  const whole = Math.ceil(size / BUFFER_UNIT) * BUFFER_UNIT;
  const kept = spare.get(whole)?.pop();
  if (kept) spareBytes -= whole;
  const buffer = kept ?? new ArrayBuffer(size > LARGEST ? size : whole);
  lent.add(buffer);
  return new Uint8Array(buffer);
}

/** Lets a message that another component received be recycled. Nobody else may use its memory. */
export function lendBuffer({ buffer }: Uint8Array): void {
  lent.add(buffer);
}

/**
 * Gives the memory of a received message back. Nobody may use the message, or a part of it,
 * afterwards. Memory that is not kept for the next message is freed at once. Messages that are not
 * given back are left to the garbage collector; memory that was not lent stays as it is.
 */
export function recycleBuffer({ buffer }: Uint8Array): void {
  if (!lent.delete(buffer)) return;
  const isKept = buffer.byteLength % BUFFER_UNIT === 0 && buffer.byteLength <= LARGEST &&
    spareBytes + buffer.byteLength <= MOST_SPARE;
  if (!isKept) return void (buffer as ArrayBuffer).transfer(0);
  spareBytes += buffer.byteLength;
  const alike = spare.get(buffer.byteLength);
  if (alike) alike.push(buffer as ArrayBuffer);
  else spare.set(buffer.byteLength, [buffer as ArrayBuffer]);
}
