/**
 * Certificate signing requests (PKCS #10, RFC 2986).
 *
 * @module
 */
import { children, oidText, readDer, TAG } from "./der.ts";
import { writeDer, writeInteger, writeOid } from "./der_writer.ts";
import { pkiError } from "./error.ts";
import { type KeyKind, type KeyPair, kindOfSpki } from "./key.ts";
import { type AlternativeName, readAlternativeNames } from "./names.ts";
import { encodePem, solePemBlock } from "./pem.ts";
import { isSignedBy } from "./signature.ts";
import {
  type NamesToWrite,
  OID_NAMES,
  signed,
  writeExtension,
  writeNames,
  writeSubject,
} from "./signed.ts";
import { readWorkloadSubject } from "./workload_subject.ts";

/** A CSR whose signature was checked. */
export interface Csr {
  /** The public key, DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly key: KeyKind;
  /** The requested names. They are not verified. */
  readonly names: readonly AlternativeName[];
  /** The workload of the subject. It is not verified. `undefined`: none, or a malformed one. */
  readonly workload: string | undefined;
  /** The subject, DER of a Name. It is not verified. */
  readonly subject: Uint8Array;
  /** Number of attributes of the subject, such as O and CN. */
  readonly subjectAttributes: number;
}

export interface ServerCsrNames {
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
}

/** Largest CSR, characters of PEM. A key of 4096 bits with many names is below 4 KiB. */
const MAX_CSR = 32 * 1024;
/** The attribute that lists extensions (RFC 2985, section 5.4.2). */
const OID_EXTENSIONS = "1.2.840.113549.1.9.14";

/**
 * Reads a CSR of one PEM block and checks its key, its names and its signature.
 *
 * @throws MeshError with a code of this room
 */
export async function readCsr(pem: string): Promise<Csr> {
  const what = "the CSR";
  if (pem.length > MAX_CSR) throw pkiError(what, `it is longer than ${MAX_CSR} characters`);
  const der = solePemBlock(pem, "CERTIFICATE REQUEST", what);
  const [info, algorithm, signature, ...more] = children(readDer(der, what), what);
  if (!info || !algorithm || !signature || more.length > 0) throw pkiError(what, "it is malformed");
  const [version, subject, spki, ...attributes] = children(info, what);
  if (!version || !subject || !spki) throw pkiError(what, "it is malformed");
  const key = kindOfSpki(spki.raw, what);
  const names = attributes.flatMap((list) =>
    children(list, what).flatMap((attribute) => namesOf(children(attribute, what), what))
  );
  if (!await isSignedBy(der, spki.raw, what)) {
    throw pkiError(what, "its signature does not match its key", "pki-signature");
  }
  const workload = readWorkloadSubject(subject, what);
  const attributeCount = children(subject, what).flatMap((set) => children(set, what)).length;
  return {
    spki: spki.raw,
    key,
    names,
    workload,
    subject: subject.raw,
    subjectAttributes: attributeCount,
  };
}

type Elements = ReturnType<typeof children>;

function namesOf([id, values]: Elements, what: string): AlternativeName[] {
  if (!id || !values) throw pkiError(what, "an attribute is malformed");
  if (oidText(id, what) !== OID_EXTENSIONS) return [];
  const [extensions] = children(values, what);
  if (!extensions) throw pkiError(what, "an attribute is malformed");
  return children(extensions, what).flatMap((extension) => {
    const [oid, ...parts] = children(extension, what);
    const value = parts.at(-1);
    if (!oid || !value) throw pkiError(what, "an extension is malformed");
    return oidText(oid, what) === OID_NAMES ? readAlternativeNames(value.content, what) : [];
  });
}

/**
 * Makes a CSR in PEM with URI names.
 *
 * @param workload value of `workloadSubject`; without one the subject is empty
 */
export async function createCsr(
  key: KeyPair,
  uris: readonly string[],
  workload?: string,
): Promise<string> {
  return await encodeCsr(key, { uris }, workload);
}

/** Makes a CSR in PEM with the names of a server and an empty subject. */
export async function createServerCsr(key: KeyPair, names: ServerCsrNames): Promise<string> {
  return await encodeCsr(key, names, undefined);
}

/** Version 1 is written as 0. */
const VERSION = writeInteger(Uint8Array.of(0));
/** The tag of the attributes. */
const ATTRIBUTES = 0xa0;

async function encodeCsr(
  key: KeyPair,
  names: NamesToWrite,
  workload: string | undefined,
): Promise<string> {
  const hasNames = Object.values(names).some((list) => list.length > 0);
  const extensions = writeDer(TAG.sequence, writeExtension(OID_NAMES, writeNames(names), false));
  const requested = writeDer(
    TAG.sequence,
    writeOid(OID_EXTENSIONS),
    writeDer(TAG.set, extensions),
  );
  const info = writeDer(
    TAG.sequence,
    VERSION,
    writeSubject(workload),
    key.spki,
    writeDer(ATTRIBUTES, ...hasNames ? [requested] : []),
  );
  return encodePem("CERTIFICATE REQUEST", await signed(() => info, key));
}
