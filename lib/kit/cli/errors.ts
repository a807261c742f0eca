import { MeshError } from "../base/mod.ts";

/** Exit status of failures other than wrong usage. */
export const EXIT_FAILURE = 1;
/** Exit status for an unknown command or flag and for a wrong number of arguments. */
export const EXIT_USAGE = 64;
/** Exit status for input that cannot be read as what it should be. */
export const EXIT_DATA = 65;
/** Exit status of an analysis that found messages at or above its threshold. */
export const EXIT_FINDINGS = 79;

const USAGE = "usage";
const DATA = "data";

/** An error that ends the program with status 64. */
export function usageError(message: string, remedy?: string): MeshError {
  return new MeshError(USAGE, message, { remedy });
}

/** An error about input that cannot be read; it ends the program with status 65. */
export function dataError(message: string, remedy?: string, cause?: unknown): MeshError {
  return new MeshError(DATA, message, { remedy, cause });
}

/** The exit status for a thrown value. */
export function exitStatus(thrown: unknown): number {
  if (!(thrown instanceof MeshError)) return EXIT_FAILURE;
  return thrown.code === USAGE ? EXIT_USAGE : thrown.code === DATA ? EXIT_DATA : EXIT_FAILURE;
}
