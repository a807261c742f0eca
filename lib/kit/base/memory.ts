/**
 * Release of memory before the garbage collector runs.
 *
 * @module
 */

/** Smaller buffers are left to the garbage collector, bytes. */
const LEAST_FREED = 4096;

/**
 * Frees the memory of bytes now. Otherwise it waits for the garbage collector, which notices memory
 * outside of its heap late: reading 150 MB/s from sockets leaves 100 MiB to collect. Nobody may use
 * the bytes, or a part of them, afterwards. Parts of larger buffers are left alone.
 */
export function freeBuffer({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < LEAST_FREED || byteLength !== buffer.byteLength) return;
  // Moving the content of a buffer into one of no bytes detaches the buffer and frees its memory.
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
