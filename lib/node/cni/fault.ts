/**
 * Errors of the network plugin as its standard defines them.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";

/** Codes of the standard. */
export const CNI_CODE = {
  version: 1,
  field: 2,
  container: 3,
  environment: 4,
  io: 5,
  decode: 6,
  config: 7,
  again: 11,
  notAvailable: 50,
  internal: 999,
} as const;

/** An error that the container runtime reads. */
export class CniFault extends MeshError {
  readonly cniCode: number;

  /** @param options the remedy goes to the field `details` of the answer */
  constructor(
    cniCode: number,
    message: string,
    options: { readonly remedy?: string; readonly cause?: unknown } = {},
  ) {
    super(`cni-${cniCode}`, message, options);
    this.cniCode = cniCode;
  }
}
