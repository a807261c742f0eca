/**
 * Conditions of the Gateway API, without the times of their changes.
 *
 * @module
 */
import type { RefFault } from "../binding/mod.ts";

/** A condition as a status has it, without `lastTransitionTime`. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}

/** Most characters of a message. */
const MAX_MESSAGE = 32_768;

/** Conditions of one object, which are all of the same generation. */
export interface ConditionMaker {
  /** A condition that holds; the reason is its type unless another one is given. */
  yes(type: string, message: string, reason?: string): Condition;
  no(type: string, fault: RefFault): Condition;
  /** `yes` without a fault, otherwise `no`. */
  unless(fault: RefFault | undefined, type: string, message: string): Condition;
}

export function conditionsAt(observedGeneration: number): ConditionMaker {
  const make = (type: string, status: "True" | "False", { reason, message }: RefFault) => ({
    type,
    status,
    reason,
    message: message.slice(0, MAX_MESSAGE),
    observedGeneration,
  });
  const yes = (type: string, message: string, reason = type) =>
    make(type, "True", { reason, message });
  const no = (type: string, fault: RefFault) => make(type, "False", fault);
  return {
    yes,
    no,
    unless: (fault, type, message) => fault === undefined ? yes(type, message) : no(type, fault),
  };
}
