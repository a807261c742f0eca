/**
 * When a self-signed root is renewed. Pure computations with the time handed in.
 *
 * @module
 */
import type { Validity } from "../../kit/pki/mod.ts";

/**
 * Reports if a root is in the last part of its lifetime.
 *
 * @param percent that part, of the whole lifetime
 * /
 */
export function isDue({ notBefore, notAfter }: Validity, now: number, percent: number): boolean {
  return now >= notAfter - (notAfter - notBefore) * percent / 100;
}

/**
 * The time until the first check, ms; later checks follow at the interval.
 *
 * @param random from 0 to 1
 */
export function firstCheck(intervalMs: number, jitter: boolean, random: number): number {
  return jitter ? Math.floor(intervalMs * random) : intervalMs;
}
