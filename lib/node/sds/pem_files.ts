/**
 * Certificates in files: reading and checking them.
 *
 * @module
 */
import {
  readCertificates,
  readPrivateKey,
  readTexts,
  readTrustBundle,
  same,
} from "../../kit/pki/mod.ts";
import type { WorkloadCertificate } from "./workload_certificate.ts";

/** Bundle of the authorities that the operating system trusts. */
export const SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt";

/** Files of a certificate. */
export interface PairFiles {
  readonly chain: string;
  readonly key: string;
}

/** A certificate with its key, read from files. */
export interface FilePair {
  /** PEM, the workload's certificate first. */
  readonly chain: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** Reads a pair. Rejects with an error without key material when it cannot be used. */
export async function readPair({ chain, key }: PairFiles): Promise<FilePair> {
  const texts = await readTexts([chain, key]);
  const chainText = existing(texts.get(chain), chain);
  const keyText = existing(texts.get(key), key);
  const [leaf] = readCertificates(chainText, chain);
  if (!leaf) throw new Error(`${chain}: there is no certificate`);
  const { spki } = await readPrivateKey(keyText, key);
  if (!same(spki, leaf.spki)) throw new Error(`${key}: the key is not that of ${chain}`);
  return { chain: chainText, key: keyText, notAfter: leaf.notAfter };
}

/** Reads authorities, PEM. Rejects when there are none. */
export async function readRoots(path: string): Promise<string> {
  const text = existing((await readTexts([path])).get(path), path);
  if (path === SYSTEM_ROOTS) return text;
  return readTrustBundle(text, path).pem;
}

function existing(text: string | undefined, path: string): string {
  if (text === undefined) throw new Error(`${path}: there is no such file`);
  return text;
}

/** Files of a workload's certificate. */
export interface MountedFiles extends PairFiles {
  readonly roots: string;
}

/** The files of a folder that other programs write: provisioned and written certificates. */
export function filesIn(dir: string): MountedFiles {
  return {
    chain: `${dir}/cert-chain.pem`,
    key: `${dir}/key.pem`,
    roots: `${dir}/root-cert.pem`,
  };
}

/** Writes a certificate to files that are replaced one by one; the key is for the owner only. */
export async function writeFiles(
  files: MountedFiles,
  { chain, key, roots }: WorkloadCertificate,
): Promise<void> {
  await replace(files.roots, roots, 0o644);
  await replace(files.key, key, 0o600);
  await replace(files.chain, chain, 0o644);
}

async function replace(path: string, text: string, mode: number): Promise<void> {
  const partial = `${path}.partial`;
  await Deno.remove(partial).catch(() => {});
  await Deno.writeTextFile(partial, text, { mode });
  await Deno.rename(partial, path);
}
