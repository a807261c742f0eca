/**
 * What is known while a call is on its way.
 *
 * @module
 */
import type { Call } from "./call.ts";
import type { Resources } from "./resources.ts";
import type { Ending, Stage, Step } from "./verdict.ts";

/** A call on its way through a proxy's resources. */
export interface Journey {
  readonly call: Call;
  readonly resources: Resources;
  readonly steps: Step[];
  readonly unmodelled: Set<string>;
}

/** Notes a decision. */
export function note({ steps }: Journey, stage: Stage, name: string, why: string): void {
  steps.push({ stage, name, why });
}

/** Ends in a closed connection, whatever else. */
export function closed(by: string, why: string): Ending[] {
  return [{ share: 1, kind: "closed", by, why }];
}

/** Ends in an answer of the proxy's own, whatever else. */
export function answered(status: number, by: string, why: string): Ending[] {
  return [{ share: 1, kind: "answered", status, by, why }];
}

/** Ends where the model does. */
export function undecided(why: string): Ending[] {
  return [{ share: 1, kind: "undecided", why }];
}

/** Endings that come about in a part of the cases. */
export function scaled(endings: readonly Ending[], share: number): Ending[] {
  return endings.map((one) => ({ ...one, share: one.share * share }));
}
