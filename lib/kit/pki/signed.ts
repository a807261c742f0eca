/**
 * Structures with names and a signature, as certificates and CSRs have them (RFC 5280, section 4.1;
 * RFC 2986, section 4).
 *
 * They are written directly: the library of certificates takes several times the CPU time of a
 * signature, and memory as long as the program runs
 * (docs/decisions/0028-certificates-written-directly.md).
 *
 * @module
 */
import { ipBytes } from "../text/mod.ts";
import { TAG } from "./der.ts";
import { encodeText, writeBits, writeDer, writeInteger, writeOid, WRITTEN } from "./der_writer.ts";
import { pkiError } from "./error.ts";
import { type KeyPair, signingAlgorithm } from "./key.ts";
import { OID_DESCRIPTION } from "./workload_subject.ts";

/** The names of a certificate or a CSR. */
export interface NamesToWrite {
  readonly uris?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

/** The extension with the names. */
export const OID_NAMES = "2.5.29.17";

/** Tags of GeneralName (RFC 5280, section 4.2.1.6). */
const NAME = { dns: 0x82, uri: 0x86, ip: 0x87 } as const;
const TRUE = writeDer(TAG.boolean, Uint8Array.of(0xff));
const NULL = writeDer(WRITTEN.null);

/** Signature algorithms by type of the key and hash (RFC 4055, RFC 5758). */
const ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  "rsa SHA-256": writeDer(TAG.sequence, writeOid("1.2.840.113549.1.1.11"), NULL),
  "ecdsa SHA-256": writeDer(TAG.sequence, writeOid("1.2.840.10045.4.3.2")),
  "ecdsa SHA-384": writeDer(TAG.sequence, writeOid("1.2.840.10045.4.3.3")),
};

/**
 * Signs a part, and returns the DER of part, algorithm and signature.
 *
 * @param partOf makes the part for the identifier of the algorithm, which some parts contain
 */
export async function signed(
  partOf: (algorithm: Uint8Array) => Uint8Array,
  { kind, privateKey }: KeyPair,
): Promise<Uint8Array> {
  const algorithm = signingAlgorithm(kind);
  const identifier = ALGORITHMS[`${kind.type} ${algorithm.hash}`]!;
  const part = partOf(identifier);
  const raw = new Uint8Array(
    await crypto.subtle.sign(algorithm, privateKey, new Uint8Array(part)),
  );
  const signature = kind.type === "rsa" ? raw : ecdsaSignature(raw);
  return writeDer(TAG.sequence, part, identifier, writeBits(signature));
}

/** A subject with the workload as its only attribute; without one it is empty. */
export function writeSubject(workload: string | undefined): Uint8Array {
  if (workload === undefined) return writeDer(TAG.sequence);
  const value = writeDer(WRITTEN.utf8String, encodeText(workload));
  const attribute = writeDer(TAG.sequence, writeOid(OID_DESCRIPTION), value);
  return writeDer(TAG.sequence, writeDer(TAG.set, attribute));
}

/** The value of the extension with the names. */
export function writeNames({ uris = [], dnsNames = [], ips = [] }: NamesToWrite): Uint8Array {
  return writeDer(
    TAG.sequence,
    ...uris.map((uri) => writeDer(NAME.uri, encodeText(uri))),
    ...dnsNames.map((name) => writeDer(NAME.dns, encodeText(name))),
    ...ips.map((ip) => writeDer(NAME.ip, addressBytes(ip))),
  );
}

function addressBytes(ip: string): Uint8Array {
  const bytes = ipBytes(ip);
  if (!bytes) throw pkiError("a certificate", "a name is no IP address", "pki-name-invalid");
  return bytes;
}

/** The DER of one extension, whose value is DER, too. */
export function writeExtension(oid: string, value: Uint8Array, isCritical: boolean): Uint8Array {
  const critical = isCritical ? [TRUE] : [];
  return writeDer(TAG.sequence, writeOid(oid), ...critical, writeDer(TAG.octetString, value));
}

/** WebCrypto gives the two numbers of a signature side by side; certificates have them in a sequence. */
function ecdsaSignature(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  return writeDer(
    TAG.sequence,
    writeInteger(raw.subarray(0, half)),
    writeInteger(raw.subarray(half)),
  );
}
