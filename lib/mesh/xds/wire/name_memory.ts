/**
 * The memory of resource names in the table that all streams share.
 *
 * @module
 */

/** Approximate memory of a name in the table in addition to its characters, bytes. */
const NAME_BYTES = 64;

/** Most that names whose encoding takes `bytes` need in the table, bytes. */
export function namesMemory(bytes: number, count: number): number {
  return bytes + count * NAME_BYTES;
}
