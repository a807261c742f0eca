/**
 * Fuzz target: certificates and the inside of CSRs. Reading succeeds or throws a `MeshError`.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { readCertificate } from "./certificate.ts";
import { kindOfSpki } from "./key.ts";
import { readAlternativeNames } from "./names.ts";
import { pemBlocks } from "./pem.ts";

/** Reads an input as each of the forms that come from the network. */
export function fuzz(input: Uint8Array): void {
  const readers = [
    () => readCertificate(input, "input"),
    () => kindOfSpki(input, "input"),
    () => readAlternativeNames(input, "input"),
    () => pemBlocks(new TextDecoder().decode(input), "input"),
  ];
  for (const read of readers) {
    try {
      read();
    } catch (error) {
      assert.ok(error instanceof MeshError, String(error));
    }
  }
}
