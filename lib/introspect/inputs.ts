/**
 * What the introspection of a process is given.
 *
 * @module
 */

/** The process, as far as the facility does not know it by itself. */
export interface IntrospectInputs {
  /** Name of the program, such as `pilot-discovery`. */
  readonly program: string;
  /** Asks the process to end, gracefully; returns at once. */
  readonly stop: () => void;
  /** What the process does on SIGUSR1, as a sentence; it must have a listener for it. */
  readonly userSignal: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
