/**
 * Reading certificates (RFC 5280).
 *
 * @module
 */
import { bitBytes, children, type Der, integerBits, oidText, readDer, TAG } from "./der.ts";
import { pkiError } from "./error.ts";
import { type KeyKind, kindOfSpki } from "./key.ts";
import { type AlternativeName, readAlternativeNames } from "./names.ts";
import { encodePem, pemBlocks } from "./pem.ts";

/** A certificate that was read. */
export interface Certificate {
  readonly der: Uint8Array;
  /** PEM with a newline at its end. */
  readonly pem: string;
  /** Hexadecimal, lower case, without leading zeros. */
  readonly serial: string;
  /** Begin and end of its validity, ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** DER of the names, for comparison. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly names: readonly AlternativeName[];
  /** The URIs of `names`. */
  readonly uris: readonly string[];
  /** The public key, DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly key: KeyKind;
  readonly isCa: boolean;
  /** Authorities that may follow below this one; `undefined`: no limit. */
  readonly pathLength: number | undefined;
  /** The key usage allows signing certificates, or is absent. */
  readonly signsCertificates: boolean;
  /** The subject key identifier, hexadecimal; `undefined` when the extension is absent. */
  readonly subjectKeyId: string | undefined;
  /** Object identifiers of the extended key usage; `undefined` when the extension is absent. */
  readonly extendedUsage: readonly string[] | undefined;
}

/** Largest certificate, bytes of DER. */
const MAX_CERTIFICATE = 64 * 1024;
/** Most certificates in one PEM text. */
const MAX_CERTIFICATES = 1000;

/** Extensions that are understood; others are refused when they are critical. */
const EXTENSION = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  names: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedUsage: "2.5.29.37",
} as const;

/** Reads a certificate in DER. Throws `MeshError` with a code of this room. */
export function readCertificate(der: Uint8Array, what: string): Certificate {
  if (der.length > MAX_CERTIFICATE) throw pkiError(what, "the certificate is too large");
  const [tbs, algorithm, signature, ...more] = children(readDer(der, what), what);
  if (!tbs || !algorithm || !signature || more.length > 0) {
    throw pkiError(what, "it is not a certificate");
  }
  bitBytes(signature, what);
  const fields = children(tbs, what);
  if (fields[0]?.tag === 0xa0) fields.shift();
  const [serial, , issuer, validity, subject, spki, ...rest] = fields;
  if (!serial || !issuer || !validity || !subject || !spki) {
    throw pkiError(what, "it is not a certificate");
  }
  const [notBefore, notAfter] = children(validity, what).map((time) => timeOf(time, what));
  if (notBefore === undefined || notAfter === undefined) {
    throw pkiError(what, "its validity is malformed");
  }
  const extensions = readExtensions(rest.find(({ tag }) => tag === 0xa3), what);
  const names = extensions.names ? readAlternativeNames(extensions.names, what) : [];
  return {
    der,
    pem: encodePem("CERTIFICATE", der),
    serial: serial.content.toHex().replace(/^0+(?=.)/, ""),
    notBefore,
    notAfter,
    issuer: issuer.raw,
    subject: subject.raw,
    names,
    uris: names.filter(({ type }) => type === "uri").map(({ value }) => value),
    spki: spki.raw,
    key: kindOfSpki(spki.raw, what),
    ...constraintsOf(extensions.basicConstraints, what),
    signsCertificates: signsCertificates(extensions.keyUsage, what),
    subjectKeyId: extensions.subjectKeyId &&
      readDer(extensions.subjectKeyId, what).content.toHex(),
    extendedUsage: extensions.extendedUsage &&
      children(readDer(extensions.extendedUsage, what), what).map((oid) => oidText(oid, what)),
  };
}

/** Reads all certificates of a PEM text; other blocks are refused. At least one is expected. */
export function readCertificates(pem: string, what: string): Certificate[] {
  const blocks = pemBlocks(pem, what);
  if (blocks.length === 0) throw pkiError(what, "it has no certificate in PEM");
  if (blocks.length > MAX_CERTIFICATES) throw pkiError(what, "it has too many certificates");
  const other = blocks.find(({ label }) => label !== "CERTIFICATE");
  if (other) throw pkiError(what, `a PEM block ${other.label} among certificates`);
  return blocks.map(({ der }) => readCertificate(der, what));
}

/** Values by names of {@link EXTENSION}. */
type Extensions = Partial<Record<keyof typeof EXTENSION, Uint8Array>>;

function readExtensions(wrapped: Der | undefined, what: string): Extensions {
  const found: Extensions = {};
  if (!wrapped) return found;
  const [list] = children(wrapped, what);
  if (!list) throw pkiError(what, "its extensions are malformed");
  for (const extension of children(list, what)) {
    const [id, ...parts] = children(extension, what);
    const value = parts.at(-1);
    if (!id || value?.tag !== TAG.octetString) throw pkiError(what, "an extension is malformed");
    const oid = oidText(id, what);
    const name = (Object.keys(EXTENSION) as (keyof typeof EXTENSION)[])
      .find((key) => EXTENSION[key] === oid);
    const isCritical = parts[0]?.tag === TAG.boolean && parts[0].content[0] === 0xff;
    if (name === undefined) {
      if (isCritical) throw pkiError(what, `the critical extension ${oid} is not supported`);
      continue;
    }
    if (found[name]) throw pkiError(what, `the extension ${oid} occurs twice`);
    found[name] = value.content;
  }
  return found;
}

function constraintsOf(
  value: Uint8Array | undefined,
  what: string,
): Pick<Certificate, "isCa" | "pathLength"> {
  const parts = value ? children(readDer(value, what), what) : [];
  const isCa = parts[0]?.tag === TAG.boolean && parts[0].content[0] === 0xff;
  const length = parts.find(({ tag }) => tag === TAG.integer);
  if (!length) return { isCa, pathLength: undefined };
  if (integerBits(length, what) > 8) throw pkiError(what, "its path length is malformed");
  return { isCa, pathLength: length.content.at(-1) };
}

/** Bit 5 of the key usage is keyCertSign (RFC 5280, section 4.2.1.3). */
function signsCertificates(value: Uint8Array | undefined, what: string): boolean {
  if (!value) return true;
  const { tag, content } = readDer(value, what);
  if (tag !== TAG.bitString) throw pkiError(what, "its key usage is malformed");
  return ((content[1] ?? 0) & 0x04) !== 0;
}

/** UTCTime or GeneralizedTime in the form of RFC 5280, section 4.1.2.5, as ms since 1970. */
function timeOf({ tag, content }: Der, what: string): number {
  const text = new TextDecoder().decode(content);
  const short = tag === 0x17 && /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  const long = tag === 0x18 && /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text);
  const parts = (short || long || []).slice(1).map(Number);
  const [year = NaN, month = NaN, day, hour, minute, second] = parts;
  const full = short ? year + (year < 50 ? 2000 : 1900) : year;
  const ms = Date.UTC(full, month - 1, day, hour, minute, second);
  if (Number.isNaN(ms)) throw pkiError(what, "a time is malformed");
  return ms;
}
