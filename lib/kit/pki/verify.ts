/**
 * Verification of certificate chains (RFC 5280, section 6, without policies, name constraints and
 * revocation lists).
 *
 * @module
 */
import type { Certificate } from "./certificate.ts";
import { pkiError } from "./error.ts";
import { isSignedBy } from "./signature.ts";

/** Options of verifying a chain. */
export interface VerifyOptions {
  /** Certificates that the peer sent in addition to its own, in any order. */
  readonly intermediates?: readonly Certificate[];
  /** Authorities that are trusted. */
  readonly roots: readonly Certificate[];
  /** The time, ms since 1970. */
  readonly now: number;
  /** Object identifier of an extended key usage that the first certificate must allow. */
  readonly usage?: string;
}

/** Certificates in the longest chain. */
const MAX_CHAIN = 8;
/** Signatures checked for one chain, so that crossed intermediates cost little. */
const MAX_CHECKS = 32;

/**
 * Finds a chain from a certificate to a trusted root. A root that is given as the certificate itself
 * is a chain of one.
 *
 * @returns the chain, the first certificate first, the root last
 * @throws MeshError `pki-expired`, `pki-not-yet-valid`, `pki-chain`
 */
export async function verifyChain(
  leaf: Certificate,
  options: VerifyOptions,
): Promise<Certificate[]> {
  checkTime(leaf, options.now);
  const { usage } = options;
  if (usage !== undefined && leaf.extendedUsage && !leaf.extendedUsage.includes(usage)) {
    throw pkiError("the certificate", "it is not for this use", "pki-chain");
  }
  const search: Search = { options, checks: 0 };
  const chain = await extend([leaf], search);
  if (!chain) {
    throw pkiError("the certificate", "no trusted authority issued it", "pki-chain");
  }
  return chain;
}

/** Throws when a certificate is not valid at a time. */
export function checkTime({ notBefore, notAfter }: Certificate, now: number): void {
  if (now > notAfter) {
    const at = new Date(notAfter).toISOString();
    throw pkiError("the certificate", `it expired at ${at}`, "pki-expired");
  }
  if (now < notBefore) {
    const at = new Date(notBefore).toISOString();
    throw pkiError("the certificate", `it is not valid before ${at}`, "pki-not-yet-valid");
  }
}

interface Search {
  readonly options: VerifyOptions;
  checks: number;
}

async function extend(chain: Certificate[], search: Search): Promise<Certificate[] | undefined> {
  const { roots, intermediates = [], now } = search.options;
  const last = chain.at(-1)!;
  if (roots.some((root) => same(root.der, last.der))) return chain;
  if (chain.length >= MAX_CHAIN) return undefined;
  for (const candidate of [...roots, ...intermediates]) {
    if (!same(candidate.subject, last.issuer) || chain.includes(candidate)) continue;
    if (!mayIssue(candidate, chain.length - 1, now)) continue;
    if (++search.checks > MAX_CHECKS) return undefined;
    if (!await isSignedBy(last.der, candidate.spki, "the certificate")) continue;
    const found = await extend([...chain, candidate], search);
    if (found) return found;
  }
  return undefined;
}

/** Reports if a certificate is of an authority and allows the number of authorities below it. */
function mayIssue(certificate: Certificate, below: number, now: number): boolean {
  const { isCa, signsCertificates, pathLength, notBefore, notAfter } = certificate;
  return isCa && signsCertificates && (pathLength === undefined || below <= pathLength) &&
    now >= notBefore && now <= notAfter;
}

/** Reports if two byte strings are equal. */
export function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
