/**
 * The attacks that tests make, each with the bounds that hold for it.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Outcome, Transport } from "./victim.ts";

/** Most that memory may rise, MiB. */
export const MOST_MIB = 300;
/** Longest time of an ordinary proxy's first sync, or of an ordinary HTTP request, ms. */
export const MOST_MS = 2000;
/**
 * The same on a slow or busy machine: so many times the first sync at a daemon that is not attacked,
 * at the same time. On an idle machine that takes 50 to 100 ms, and the limit above holds.
 */
const MOST_TIMES = 10;

/** One attack. */
export interface Row {
  readonly attack: string;
  /** Description of the attack, for the test's name. */
  readonly title: string;
  /** Time of the attack ({@link ATTACK_MS}). */
  readonly ms?: number;
  /** Connections that the attack must have opened. */
  readonly connections?: number;
}

/** Default time of an attack, ms. */
export const ATTACK_MS = 1200;

/** Asserts that an attack was under way and that its bounds held. */
export function holds(row: Row, transport: Transport, outcome: Outcome): void {
  const { roseMiB, waitedMs, referenceMs, asked, counts } = outcome;
  const figures = `rose by ${roseMiB.toFixed(0)} MiB, waited ${waitedMs.toFixed(0)} ms ` +
    `(${referenceMs.toFixed(0)} ms without attack), asked ${asked} times, ${
      JSON.stringify(counts)
    }`;
  if (Deno.env.has("MESH_ATTACK_FIGURES")) console.log(`${row.attack} (${transport}): ${figures}`);
  assert.ok(counts.connections >= (row.connections ?? 1) && asked > 1, figures);
  assert.ok(roseMiB < MOST_MIB, figures);
  assert.ok(waitedMs < Math.max(MOST_MS, MOST_TIMES * referenceMs), figures);
}
