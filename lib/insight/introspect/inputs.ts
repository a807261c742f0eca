/**
 * Inputs of the introspection of a process.
 *
 * @module
 */

/** Properties of the process that the program provides. */
export interface IntrospectInputs {
  /** Name of the program, such as `pilot-discovery`. */
  readonly program: string;
  /** Asks the process to end, gracefully; returns at once. */
  readonly stop: () => void;
  /** Effect of SIGUSR1, as a sentence; the process must have a listener for it. */
  readonly userSignal: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
