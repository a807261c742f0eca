/**
 * The end of a controller.
 *
 * @module
 */

/**
 * Longest time that the end of a controller waits for the server, in milliseconds. A server that hangs
 * must not hold up the end of the daemon.
 */
export const STOP_MS = 3_000;
