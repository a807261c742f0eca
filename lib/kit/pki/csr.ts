/**
 * Certificate signing requests (PKCS #10, RFC 2986).
 *
 * @module
 */
import { children, oidText, readDer } from "./der.ts";
import { pkiError } from "./error.ts";
import { type KeyKind, type KeyPair, kindOfSpki, signingAlgorithm } from "./key.ts";
import {
  type JsonName,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
} from "./library.ts";
import { type AlternativeName, readAlternativeNames } from "./names.ts";
import { encodePem, solePemBlock } from "./pem.ts";
import { isSignedBy } from "./signature.ts";
import { OID_DESCRIPTION, readWorkloadSubject } from "./workload_subject.ts";

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
const OID_NAMES = "2.5.29.17";

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
  const subject: JsonName = workload === undefined ? [] : [{ [OID_DESCRIPTION]: [workload] }];
  return await encodeCsr(key, uris.map((value) => ({ type: "url", value })), subject);
}

/** Makes a CSR in PEM with the names of a server and an empty subject. */
export async function createServerCsr(
  key: KeyPair,
  { dnsNames, ips }: ServerCsrNames,
): Promise<string> {
  return await encodeCsr(key, [
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...ips.map((value) => ({ type: "ip" as const, value })),
  ], []);
}

async function encodeCsr(
  key: KeyPair,
  names: readonly { readonly type: "url" | "dns" | "ip"; readonly value: string }[],
  subject: JsonName,
): Promise<string> {
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: { privateKey: key.privateKey, publicKey: key.publicKey },
    signingAlgorithm: signingAlgorithm(key.kind),
    extensions: names.length === 0 ? [] : [new SubjectAlternativeNameExtension([...names])],
  });
  return encodePem("CERTIFICATE REQUEST", new Uint8Array(request.rawData));
}
