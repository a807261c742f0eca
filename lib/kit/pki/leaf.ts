/**
 * Certificates of workloads and servers (RFC 5280, section 4.1).
 *
 * @module
 */
import { TAG } from "./der.ts";
import { writeDer, writeInteger, writeOid, writeTime } from "./der_writer.ts";
import type { KeyPair } from "./key.ts";
import {
  type NamesToWrite,
  OID_NAMES,
  signed,
  writeExtension,
  writeNames,
  writeSubject,
} from "./signed.ts";

/** Object identifiers of the extended key usages (RFC 5280, section 4.2.1.12). */
export const USAGE: { readonly server: string; readonly client: string } = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
};

/** Content of a certificate that is not signed yet. */
export interface LeafContent extends NamesToWrite {
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
}

/** Explicit tags of a certificate's version and extensions, and the key id of an authority. */
const CONTEXT = { version: 0xa0, extensions: 0xa3, keyId: 0x80 } as const;
/** Version 3 is written as 2. */
const VERSION = writeDer(CONTEXT.version, writeInteger(Uint8Array.of(2)));
/** The bits digitalSignature (0) and keyEncipherment (2); five bits of the byte are unused. */
const KEY_USAGE = writeDer(TAG.bitString, Uint8Array.of(5, 0b1010_0000));

/** The extensions that all such certificates have; those before the names. */
const COMMON: readonly Uint8Array[] = [
  writeExtension("2.5.29.15", KEY_USAGE, true),
  writeExtension("2.5.29.37", writeDer(TAG.sequence, ...Object.values(USAGE).map(writeOid)), false),
  // No authority: cA is false by default.
  writeExtension("2.5.29.19", writeDer(TAG.sequence), true),
];

/** Writes a certificate and signs it. Returns its DER. */
export async function signLeaf(content: LeafContent, key: KeyPair): Promise<Uint8Array> {
  return await signed((algorithm) => signedPart(content, algorithm), key);
}

function signedPart(content: LeafContent, algorithm: Uint8Array): Uint8Array {
  const { serial, issuer, issuerKeyId, notBefore, notAfter, workload, spki } = content;
  const extensions = [...COMMON, writeExtension(OID_NAMES, writeNames(content), true)];
  if (issuerKeyId !== undefined) {
    const id = writeDer(CONTEXT.keyId, Uint8Array.fromHex(issuerKeyId));
    extensions.push(writeExtension("2.5.29.35", writeDer(TAG.sequence, id), false));
  }
  return writeDer(
    TAG.sequence,
    VERSION,
    writeInteger(serial),
    algorithm,
    issuer,
    writeDer(TAG.sequence, writeTime(notBefore), writeTime(notAfter)),
    writeSubject(workload),
    spki,
    writeDer(CONTEXT.extensions, writeDer(TAG.sequence, ...extensions)),
  );
}
