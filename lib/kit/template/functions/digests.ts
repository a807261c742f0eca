/**
 * Functions of templates for digests.
 *
 * @module
 */
import { hexDigest } from "../../base/mod.ts";
import type { TemplateFunction } from "../execute.ts";
import { textOf } from "../values.ts";

/** Digests of texts. */
export const DIGEST_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  sha1sum: (text) => hexDigest("sha1", textOf(text)),
  sha256sum: (text) => hexDigest("sha256", textOf(text)),
  sha512sum: (text) => hexDigest("sha512", textOf(text)),
  adler32sum: (text) => `${adler32(textOf(text))}`,
};

/** The checksum of RFC 1950, section 8.2, as a number. */
function adler32(text: string): number {
  let [a, b] = [1, 0];
  for (const byte of new TextEncoder().encode(text)) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}
