/**
 * Steps of an installation, and what each has to change.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";

/** In the order in which they are done: a runtime that finds the entry finds the plugin too. */
export const STEPS = ["binary", "orchconfig", "network"] as const;

export type Step = typeof STEPS[number];

/** Something that is not as it should be. */
export interface Change {
  readonly step: Step;
  /** The file and what is wrong, for messages. */
  readonly what: string;
  apply(): Promise<void>;
}

/** The step cannot be done yet: the node has no network configuration. */
export class Waiting extends MeshError {
  constructor(why: string) {
    super("cni-waiting", why);
  }
}

/** A step that failed. */
export class StepError extends MeshError {
  readonly step: Step;

  constructor(step: Step, cause: unknown) {
    const remedy = cause instanceof MeshError ? cause.remedy : undefined;
    super("cni-step-failed", messageOf(cause), { remedy, cause });
    this.step = step;
  }
}
