/**
 * Fuzz target: certificates, CSRs and the inside of CSRs. Reading succeeds or throws a `MeshError`;
 * so does the check of a signature by the keys that were read.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { readCertificate } from "./certificate.ts";
import { kindOfSpki } from "./key.ts";
import { readAlternativeNames } from "./names.ts";
import { encodePem, pemBlocks } from "./pem.ts";
import { readCsr } from "./csr.ts";
import { isSignedBy } from "./signature.ts";

/** Reads an input as each of the forms that come from the network. */
export async function fuzz(input: Uint8Array): Promise<void> {
  const readers = [
    () => readCertificate(input, "input"),
    () => kindOfSpki(input, "input"),
    () => readAlternativeNames(input, "input"),
    () => pemBlocks(new TextDecoder().decode(input), "input"),
    () => readCsr(encodePem("CERTIFICATE REQUEST", input)),
    () => isSignedBy(input, readCertificate(input, "input").spki, "input"),
  ];
  for (const read of readers) {
    try {
      await read();
    } catch (error) {
      assert.ok(error instanceof MeshError, String(error));
    }
  }
}
