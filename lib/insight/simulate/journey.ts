/**
 * State of a call.
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

/** Records a decision. */
export function note({ steps }: Journey, stage: Stage, name: string, why: string): void {
  steps.push({ stage, name, why });
}

/** Returns a closed connection as the only ending. */
export function closed(by: string, why: string): Ending[] {
  return [{ share: 1, kind: "closed", by, why }];
}

/** Returns a response of the proxy as the only ending. */
export function answered(status: number, by: string, why: string): Ending[] {
  return [{ share: 1, kind: "answered", status, by, why }];
}

/** Returns an undecided ending: the model ends here. */
export function undecided(why: string, remedy?: string): Ending[] {
  return [{ share: 1, kind: "undecided", why, ...(remedy === undefined ? {} : { remedy }) }];
}

/** Returns endings with their shares scaled. */
export function scaled(endings: readonly Ending[], share: number): Ending[] {
  return endings.map((one) => ({ ...one, share: one.share * share }));
}
