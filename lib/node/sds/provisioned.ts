/**
 * The certificate that a machine shows to the authority instead of a token (`PROV_CERT`).
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import { type FilePair, type PairFiles, readPair } from "./pem_files.ts";

const log = scope("cache");

/**
 * Reads the provisioned certificate.
 *
 * @param now milliseconds since 1970
 * @returns undefined when there is none yet, or it has expired: a token authenticates then. A
 * machine joins with a token, and `OUTPUT_CERTS` in the same folder gives it the certificate for
 * the next requests.
 * @throws Error for files that exist and cannot be used
 */
export async function provisionedPair(
  files: PairFiles | undefined,
  now: number,
): Promise<FilePair | undefined> {
  if (files === undefined || !await exists(files.chain)) return undefined;
  const pair = await readPair(files);
  if (pair.notAfter > now) return pair;
  log.warn("the provisioned certificate has expired; a token is used", {
    file: files.chain,
    expired: new Date(pair.notAfter).toISOString(),
  });
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  try {
    await Deno.stat(file);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
