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

/** One attack. */
export interface Row {
  readonly attack: string;
  /** Description of the attack, for the test's name. */
  readonly title: string;
  /** Time of the attack ({@link ATTACK_MS}). */
  readonly ms?: number;
  /** The limit for the library, if it does not meet the common one. See `docs/security.md`. */
  readonly library?: { readonly mib?: number; readonly ms?: number };
}

/** Default time of an attack, ms. */
export const ATTACK_MS = 1200;

/** Asserts that an attack was under way and that its bounds held. */
export function holds(row: Row, transport: Transport, outcome: Outcome): void {
  const { roseMiB, waitedMs, asked, counts } = outcome;
  const other = transport === "grpc-js" ? row.library : undefined;
  const figures = `rose by ${roseMiB.toFixed(0)} MiB, waited ${waitedMs.toFixed(0)} ms, asked ` +
    `${asked} times, ${JSON.stringify(counts)}`;
  if (Deno.env.has("MESH_ATTACK_FIGURES")) console.log(`${row.attack} (${transport}): ${figures}`);
  assert.ok(counts.connections > 0 && asked > 1, figures);
  assert.ok(roseMiB < (other?.mib ?? MOST_MIB), figures);
  assert.ok(waitedMs < (other?.ms ?? MOST_MS), figures);
}
