/**
 * Validity of certificates in time.
 *
 * @module
 */
import { MeshError } from "../base/mod.ts";
import { readCertificates } from "./certificate.ts";

/**
 * The fault of the first certificate of a PEM text as a part of a sentence: it cannot be read, is
 * not valid yet, or has expired. `undefined`: none.
 *
 * @param now ms since 1970
 */
export function certificateFault(pem: string, now: number): string | undefined {
  try {
    const [first] = readCertificates(pem, "the certificate");
    if (first === undefined) return "there is no certificate";
    if (now < first.notBefore) return `is valid from ${new Date(first.notBefore).toISOString()} on`;
    return now > first.notAfter
      ? `expired at ${new Date(first.notAfter).toISOString()}`
      : undefined;
  } catch (error) {
    if (error instanceof MeshError) return error.message;
    throw error;
  }
}
