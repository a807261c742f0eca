/**
 * The error of a client beyond a bound.
 *
 * @module
 */
import type { Refusal } from "../refused.ts";

/** A client that is beyond a bound, so that its connection ends. */
export class Excess extends Error {
  override readonly name = "Excess";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(`the connection is beyond a bound: ${refusal}`);
    this.refusal = refusal;
  }
}
