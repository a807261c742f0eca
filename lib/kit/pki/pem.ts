/**
 * PEM (RFC 7468).
 *
 * @module
 */
import { pkiError } from "./error.ts";

/** One block of a PEM text. */
export interface PemBlock {
  /** For example `CERTIFICATE`. */
  readonly label: string;
  readonly der: Uint8Array;
}

/** Largest PEM text that is read, in characters. */
const MAX_TEXT = 1024 * 1024;
const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([^-]*)-----END \1-----/g;

/**
 * The blocks of a PEM text in their order. Text outside of blocks is ignored, as in files that
 * `openssl` writes. Throws `MeshError` `pki-malformed`.
 */
export function pemBlocks(text: string, what: string): PemBlock[] {
  if (text.length > MAX_TEXT) throw pkiError(what, "the PEM text is longer than 1 MiB");
  const blocks: PemBlock[] = [];
  for (const [, label, body] of text.matchAll(BLOCK)) {
    blocks.push({ label: label!, der: base64Bytes(body!, what) });
  }
  const begins = text.split("-----BEGIN ").length - 1;
  if (begins !== blocks.length) throw pkiError(what, "a PEM block is malformed");
  return blocks;
}

/**
 * The bytes of a PEM text that is one block of a label and nothing else but whitespace around it.
 * For input from the network.
 */
export function solePemBlock(text: string, label: string, what: string): Uint8Array {
  const blocks = pemBlocks(text, what);
  const [block] = blocks;
  if (block?.label !== label || blocks.length > 1) {
    throw pkiError(what, `one PEM block ${label} was expected`);
  }
  const around = text.replaceAll(BLOCK, "");
  if (around.trim() !== "") throw pkiError(what, "there is text outside of the PEM block");
  return block.der;
}

/** A PEM block with a newline at its end. */
export function encodePem(label: string, der: Uint8Array): string {
  const lines = der.toBase64().match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function base64Bytes(body: string, what: string): Uint8Array {
  const text = body.replaceAll(/[\r\n\t ]+/g, "");
  if (text === "") throw pkiError(what, "a PEM block is empty");
  try {
    return Uint8Array.fromBase64(text, { lastChunkHandling: "strict" });
  } catch {
    throw pkiError(what, "a PEM block is not base64");
  }
}
