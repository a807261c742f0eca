/**
 * The signed bytes of certificates of workloads and servers (RFC 5280, section 4.1).
 *
 * They are written directly, because the library of certificates takes several times the CPU time of a
 * signature (docs/decisions/0028-certificates-written-directly.md).
 *
 * @module
 */
import { ipBytes } from "../text/mod.ts";
import { TAG } from "./der.ts";
import {
  encodeText,
  writeBits,
  writeDer,
  writeInteger,
  writeOid,
  writeTime,
  WRITTEN,
} from "./der_writer.ts";
import { pkiError } from "./error.ts";
import { type KeyPair, signingAlgorithm } from "./key.ts";
import { OID_DESCRIPTION } from "./workload_subject.ts";

/** Object identifiers of the extended key usages (RFC 5280, section 4.2.1.12). */
export const USAGE: { readonly server: string; readonly client: string } = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
};

/** Content of a certificate that is not signed yet. */
export interface LeafContent {
  /** Big-endian bytes. */
  readonly serial: Uint8Array;
  /** The issuer's name, DER. */
  readonly issuer: Uint8Array;
  /** The issuer's subject key identifier, hexadecimal; `undefined`: none. */
  readonly issuerKeyId: string | undefined;
  /** Begin and end of the validity, ms since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The workload in the subject; `undefined`: the subject is empty. */
  readonly workload: string | undefined;
  /** The public key, DER of SubjectPublicKeyInfo. */
  readonly spki: Uint8Array;
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
}

/** Tags of GeneralName (RFC 5280, section 4.2.1.6). */
const NAME = { dns: 0x82, uri: 0x86, ip: 0x87 } as const;
/** Explicit tags of a certificate's version and extensions, and the key id of an authority. */
const CONTEXT = { version: 0xa0, extensions: 0xa3, keyId: 0x80 } as const;
/** Version 3 is written as 2. */
const VERSION = writeDer(CONTEXT.version, writeInteger(Uint8Array.of(2)));
const TRUE = writeDer(TAG.boolean, Uint8Array.of(0xff));
const NULL = writeDer(WRITTEN.null);
/** The bits digitalSignature (0) and keyEncipherment (2); five bits of the byte are unused. */
const KEY_USAGE = writeDer(TAG.bitString, Uint8Array.of(5, 0b1010_0000));

/** The extensions that all such certificates have; those before the names. */
const COMMON: readonly Uint8Array[] = [
  extension("2.5.29.15", KEY_USAGE, true),
  extension("2.5.29.37", writeDer(TAG.sequence, ...Object.values(USAGE).map(writeOid)), false),
  // No authority: cA is false by default.
  extension("2.5.29.19", writeDer(TAG.sequence), true),
];

/** Signature algorithms by type of the key and hash (RFC 4055, RFC 5758). */
const ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  "rsa SHA-256": writeDer(TAG.sequence, writeOid("1.2.840.113549.1.1.11"), NULL),
  "ecdsa SHA-256": writeDer(TAG.sequence, writeOid("1.2.840.10045.4.3.2")),
  "ecdsa SHA-384": writeDer(TAG.sequence, writeOid("1.2.840.10045.4.3.3")),
};

/** Writes a certificate and signs it. Returns its DER. */
export async function signLeaf(content: LeafContent, key: KeyPair): Promise<Uint8Array> {
  const { kind, privateKey } = key;
  const algorithm = signingAlgorithm(kind);
  const identifier = ALGORITHMS[`${kind.type} ${algorithm.hash}`]!;
  const signed = signedPart(content, identifier);
  const raw = new Uint8Array(
    await crypto.subtle.sign(algorithm, privateKey, new Uint8Array(signed)),
  );
  const signature = kind.type === "rsa" ? raw : ecdsaSignature(raw);
  return writeDer(TAG.sequence, signed, identifier, writeBits(signature));
}

function signedPart(content: LeafContent, algorithm: Uint8Array): Uint8Array {
  const { serial, issuer, issuerKeyId, notBefore, notAfter, workload, spki } = content;
  const extensions = [...COMMON, extension("2.5.29.17", namesOf(content), true)];
  if (issuerKeyId !== undefined) {
    const id = writeDer(CONTEXT.keyId, Uint8Array.fromHex(issuerKeyId));
    extensions.push(extension("2.5.29.35", writeDer(TAG.sequence, id), false));
  }
  return writeDer(
    TAG.sequence,
    VERSION,
    writeInteger(serial),
    algorithm,
    issuer,
    writeDer(TAG.sequence, writeTime(notBefore), writeTime(notAfter)),
    subjectOf(workload),
    spki,
    writeDer(CONTEXT.extensions, writeDer(TAG.sequence, ...extensions)),
  );
}

function subjectOf(workload: string | undefined): Uint8Array {
  if (workload === undefined) return writeDer(TAG.sequence);
  const value = writeDer(WRITTEN.utf8String, encodeText(workload));
  const attribute = writeDer(TAG.sequence, writeOid(OID_DESCRIPTION), value);
  return writeDer(TAG.sequence, writeDer(TAG.set, attribute));
}

function namesOf({ uris, dnsNames, ips }: LeafContent): Uint8Array {
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

function extension(oid: string, value: Uint8Array, isCritical: boolean): Uint8Array {
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
