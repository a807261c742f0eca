/**
 * Credentials from named contents: the files of a mounted secret, or the keys of a secret.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { messageOf } from "../../kit/base/mod.ts";
import type { Credential } from "../model/mod.ts";
import { decodeUtf8 } from "../../kit/text/mod.ts";

/** A part of a credential that stands in a file. */
type Part = Exclude<keyof Credential, "fault" | "parametersFault">;

/** Names of each part; the first one that exists is used. */
export const CREDENTIAL_NAMES: Readonly<Record<Part, readonly string[]>> = {
  certificate: ["tls.crt", "cert"],
  privateKey: ["tls.key", "key"],
  authorities: ["ca.crt", "cacert"],
  revoked: ["ca.crl", "crl"],
  ocspStaple: ["tls.ocsp-staple"],
  pullConfig: [".dockerconfigjson"],
};

/** A credential, with the reason why it cannot be used. */
export interface FoundCredential {
  readonly files: Credential;
  readonly problem?: string;
}

/** A credential that cannot be used now. */
export interface CredentialFault {
  /** `NAMESPACE/NAME`. */
  readonly credential: string;
  /** The file of the certificate, or the secret, such as `secret shop/web`. */
  readonly place: string;
  readonly problem: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** True: the version before is still served; false: there was none. */
  readonly lastGoodServes: boolean;
}

/** Says in a log line what is served instead of a faulty credential. */
export function servedInstead(lastGoodServes: boolean): string {
  return lastGoodServes ? "the last good version" : "nothing";
}

/** Reads a credential; `read` returns the content of the first name that exists. */
export async function readCredential(
  read: (names: readonly string[]) => Promise<Uint8Array | undefined>,
): Promise<FoundCredential> {
  const files: Partial<Record<Part, string>> = {};
  try {
    for (const [part, names] of Object.entries(CREDENTIAL_NAMES)) {
      addPart(files, part as Part, await read(names));
    }
    check(files);
    return { files };
  } catch (error) {
    return { files, problem: messageOf(error) };
  }
}

/** Like {@linkcode readCredential}, of contents in memory. */
export function credentialOf(contents: ReadonlyMap<string, Uint8Array>): FoundCredential {
  const files: Partial<Record<Part, string>> = {};
  try {
    for (const [part, names] of Object.entries(CREDENTIAL_NAMES)) {
      const name = names.find((one) => contents.has(one));
      addPart(files, part as Part, name === undefined ? undefined : contents.get(name));
    }
    check(files);
    return { files };
  } catch (error) {
    return { files, problem: messageOf(error) };
  }
}

function addPart(
  files: Partial<Record<Part, string>>,
  part: Part,
  bytes: Uint8Array | undefined,
): void {
  if (bytes === undefined || bytes.length === 0) return;
  files[part] = part === "ocspStaple" ? bytes.toBase64() : decodeUtf8(bytes);
}

/** Throws for a credential that a proxy would reject together with the listener. */
function check({ certificate, privateKey, authorities, pullConfig }: Credential): void {
  if (pullConfig !== undefined) checkPullConfig(pullConfig);
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new Error(certificate === undefined ? "there is no certificate" : "there is no key");
  }
  if (certificate === undefined && authorities === undefined && pullConfig === undefined) {
    throw new Error("there is neither a certificate, nor authorities, nor .dockerconfigjson");
  }
  if (certificate !== undefined && privateKey !== undefined) {
    if (!parsed("certificate", certificate).checkPrivateKey(keyOf(privateKey))) {
      throw new Error("the key is not that of the certificate");
    }
  }
  if (authorities !== undefined) parsed("authorities", authorities);
}

/** Errors of the parser may quote the text, so they are not passed on. */
function checkPullConfig(text: string): void {
  let auths: unknown;
  try {
    auths = Object(JSON.parse(text)).auths;
  } catch {
    throw new Error(".dockerconfigjson is no JSON");
  }
  if (typeof auths !== "object" || auths === null || Array.isArray(auths)) {
    throw new Error(".dockerconfigjson has no object auths");
  }
}

function parsed(what: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`the ${what} cannot be read as PEM`);
  }
}

function keyOf(pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch {
    // The library's message may quote the key.
    throw new Error("the key cannot be read as PEM");
  }
}
