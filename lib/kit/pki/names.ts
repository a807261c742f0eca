/**
 * Subject alternative names (RFC 5280, section 4.2.1.6).
 *
 * @module
 */
import { children, type Der, readDer } from "./der.ts";
import { pkiError } from "./error.ts";

/** One subject alternative name. Names of other kinds have no value. */
export interface AlternativeName {
  readonly type: "uri" | "dns" | "ip" | "email" | "other";
  readonly value: string;
}

/** Most names in one certificate or CSR. */
const MAX_NAMES = 256;
/** Longest name, bytes. */
const MAX_NAME = 2048;
const TYPES: Readonly<Record<number, AlternativeName["type"]>> = {
  0x81: "email",
  0x82: "dns",
  0x86: "uri",
  0x87: "ip",
};

/**
 * The names of the extension's value. Throws `MeshError` `pki-name-invalid` for names with control
 * characters (NUL and newline among them), spaces or characters beyond ASCII.
 */
export function readAlternativeNames(value: Uint8Array, what: string): AlternativeName[] {
  const found = children(readDer(value, what), what);
  if (found.length > MAX_NAMES) throw invalid(what, `more than ${MAX_NAMES} names`);
  return found.map((element) => readName(element, what));
}

function readName({ tag, content }: Der, what: string): AlternativeName {
  const type = TYPES[tag] ?? "other";
  if (type === "other") return { type, value: "" };
  if (type === "ip") return { type, value: ipText(content, what) };
  if (content.length === 0 || content.length > MAX_NAME) {
    throw invalid(what, `a subject alternative name of ${content.length} bytes`);
  }
  if (content.some((byte) => byte <= 0x20 || byte >= 0x7f)) {
    throw invalid(what, "a subject alternative name with a character that is not allowed");
  }
  return { type, value: new TextDecoder().decode(content) };
}

/** The text of an address: dotted, or eight groups of hexadecimal digits. */
function ipText(bytes: Uint8Array, what: string): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw invalid(what, `an IP address of ${bytes.length} bytes`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  return Array.from({ length: 8 }, (_, i) => view.getUint16(i * 2).toString(16)).join(":");
}

function invalid(what: string, found: string): Error {
  return pkiError(what, found, "pki-name-invalid");
}
