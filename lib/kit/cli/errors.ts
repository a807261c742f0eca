import { MeshError } from "../base/mod.ts";

/** Exit status of failures other than wrong usage. */
export const EXIT_FAILURE = 1;
/** Exit status of a question whose answer is not known. */
export const EXIT_UNKNOWN = 2;
/** Exit status for an unknown command or flag and for a wrong number of arguments. */
export const EXIT_USAGE = 64;
/** Exit status for input that cannot be read as what it should be. */
export const EXIT_DATA = 65;
/** Exit status of an analysis that found messages at or above its threshold. */
export const EXIT_FINDINGS = 79;

const USAGE = "usage";
const DATA = "data";
const UNANSWERED = "unanswered";

/** An error that ends the program with status 64. */
export function usageError(message: string, remedy?: string): MeshError {
  return new MeshError(USAGE, message, { remedy });
}

/** An error about input that cannot be read; it ends the program with status 65. */
export function dataError(message: string, remedy?: string, cause?: unknown): MeshError {
  return new MeshError(DATA, message, { remedy, cause });
}

/**
 * The error of a question that a failure leaves without an answer; it ends the program with status 2.
 * Wrong usage and wrong input stay what they are.
 */
export function unansweredError(failure: unknown): unknown {
  if (!(failure instanceof MeshError) || exitStatus(failure) !== EXIT_FAILURE) return failure;
  const { message, remedy, cause } = failure;
  return new MeshError(UNANSWERED, message, { remedy, cause });
}

/** Exit statuses by the code of an error; other errors end with status 1. */
const STATUSES: Readonly<Record<string, number>> = {
  [USAGE]: EXIT_USAGE,
  [DATA]: EXIT_DATA,
  [UNANSWERED]: EXIT_UNKNOWN,
};

/** The exit status for a thrown value. */
export function exitStatus(thrown: unknown): number {
  return thrown instanceof MeshError ? STATUSES[thrown.code] ?? EXIT_FAILURE : EXIT_FAILURE;
}
