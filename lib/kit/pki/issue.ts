/**
 * Issuing certificates.
 *
 * @module
 */
import { type Certificate, readCertificate } from "./certificate.ts";
import { pkiError } from "./error.ts";
import { type KeyPair, kindOfSpki, signingAlgorithm } from "./key.ts";
import { signLeaf } from "./leaf.ts";
import type { Extension, JsonName } from "./library.ts";
import { same } from "./verify.ts";
import { isWorkloadSubject } from "./workload_subject.ts";

const JUST_ISSUED = "the certificate just issued";

/** An authority: a certificate and the key of it. */
export interface Issuer {
  readonly certificate: Certificate;
  readonly key: KeyPair;
}

/** Validity, ms since 1970. Certificates have whole seconds. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A certificate of a workload or a server. */
export interface LeafRequest extends Validity {
  /** The public key, DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /** The workload in the subject; without one the subject is empty. */
  readonly workload?: string | undefined;
}

/** A certificate of an authority. */
export interface AuthorityRequest extends Validity {
  /** Its organization (O). */
  readonly organization: string;
  /** Its common name (CN). */
  readonly commonName?: string;
  readonly key: KeyPair;
  /** The authority that signs; without one the certificate is self-signed. */
  readonly issuer?: Issuer;
  /** Authorities that may follow below it. Default: no limit. */
  readonly pathLength?: number;
}

/** A random serial number of 127 bits (RFC 5280, section 4.1.2.2). */
function newSerial(): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

/**
 * Issues a certificate for server and client authentication. Its subject has at most the workload;
 * its names are critical (RFC 5280, section 4.2.1.6; SPIFFE X509-SVID, section 2).
 *
 * @example
 * ```ts
 * import { generateKey, issueAuthority, issueLeaf } from "./mod.ts";
 *
 * const key = await generateKey({ type: "ecdsa", curve: "P256" });
 * const validity = { notBefore: Date.now(), notAfter: Date.now() + 3_600_000 };
 * const root = await issueAuthority({ organization: "shop", key, ...validity });
 * const { spki } = await generateKey({ type: "ecdsa", curve: "P256" });
 * const request = { spki, uris: ["spiffe://cluster.local/ns/shop/sa/web"], ...validity };
 * const leaf = await issueLeaf(request, { certificate: root, key });
 * ```
 */
export async function issueLeaf(request: LeafRequest, issuer: Issuer): Promise<Certificate> {
  const { uris = [], dnsNames = [], ips = [], workload } = request;
  if (uris.length + dnsNames.length + ips.length === 0) {
    throw pkiError("a certificate", "it needs a name", "pki-name-invalid");
  }
  if (workload !== undefined && !isWorkloadSubject(workload)) {
    throw pkiError("a certificate", "its workload is malformed", "pki-name-invalid");
  }
  kindOfSpki(request.spki, "the public key");
  const { certificate, key } = issuer;
  checkValidity(request);
  const der = await signLeaf({
    serial: newSerial(),
    issuer: certificate.subject,
    issuerKeyId: certificate.subjectKeyId,
    notBefore: request.notBefore,
    notAfter: request.notAfter,
    workload,
    spki: request.spki,
    uris,
    dnsNames,
    ips,
  }, key);
  return readCertificate(der, JUST_ISSUED);
}

/** The library, which only certificates of authorities need. */
const loadLibrary = () => import("./library.ts");
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Issues a certificate of an authority. */
export async function issueAuthority(request: AuthorityRequest): Promise<Certificate> {
  const library = await loadLibrary();
  const { KeyUsagesExtension, KeyUsageFlags, BasicConstraintsExtension } = library;
  const { organization, commonName, key, pathLength } = request;
  const subject: JsonName = [{ O: [organization] }];
  if (commonName !== undefined) subject.push({ CN: [commonName] });
  const extensions = [
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    new BasicConstraintsExtension(true, pathLength, true),
    await library.SubjectKeyIdentifierExtension.create(key.publicKey),
  ];
  if (request.issuer) {
    const { publicKey } = key;
    const unsigned = { validity: request, publicKey, extensions, subject };
    return await sign(library, unsigned, request.issuer);
  }
  const certificate = await library.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial().toHex(),
    name: subject,
    ...dates(request),
    keys: { privateKey: key.privateKey, publicKey: key.publicKey },
    signingAlgorithm: signingAlgorithm(key.kind),
    extensions,
  });
  return readCertificate(new Uint8Array(certificate.rawData), JUST_ISSUED);
}

/** A certificate to sign. */
interface Unsigned {
  readonly validity: Validity;
  readonly publicKey: CryptoKey;
  readonly extensions: Extension[];
  readonly subject: JsonName;
}

async function sign(
  { X509CertificateGenerator, Name, AuthorityKeyIdentifierExtension }: Library,
  { validity, publicKey, extensions, subject }: Unsigned,
  { certificate, key }: Issuer,
): Promise<Certificate> {
  const issued = await X509CertificateGenerator.create({
    serialNumber: newSerial().toHex(),
    subject,
    issuer: new Name(new Uint8Array(certificate.subject)),
    ...dates(validity),
    signingKey: key.privateKey,
    publicKey,
    signingAlgorithm: signingAlgorithm(key.kind),
    extensions: certificate.subjectKeyId === undefined
      ? extensions
      : [...extensions, new AuthorityKeyIdentifierExtension(certificate.subjectKeyId)],
  });
  const result = readCertificate(new Uint8Array(issued.rawData), JUST_ISSUED);
  if (!same(result.issuer, certificate.subject)) {
    throw pkiError("the authority's certificate", "its subject cannot be copied", "pki-chain");
  }
  return result;
}

function checkValidity({ notBefore, notAfter }: Validity): void {
  if (!(notAfter > notBefore)) throw pkiError("a certificate", "it would never be valid");
}

function dates(validity: Validity): { notBefore: Date; notAfter: Date } {
  checkValidity(validity);
  const { notBefore, notAfter } = validity;
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}
