import { MeshError } from "../base/mod.ts";

/** Exit status of failures other than wrong usage. */
export const EXIT_FAILURE = 1;
/** Exit status for an unknown command or flag and for a wrong number of arguments. */
export const EXIT_USAGE = 64;

const USAGE = "usage";

/** An error that ends the program with status 64. */
export function usageError(message: string, remedy?: string): MeshError {
  return new MeshError(USAGE, message, { remedy });
}

/** The exit status for a thrown value. */
export function exitStatus(thrown: unknown): number {
  return thrown instanceof MeshError && thrown.code === USAGE ? EXIT_USAGE : EXIT_FAILURE;
}
