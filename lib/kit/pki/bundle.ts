/**
 * Trust bundles: the roots that a mesh trusts.
 *
 * @module
 */
import { type Certificate, readCertificates } from "./certificate.ts";
import { pkiError } from "./error.ts";
import { same } from "./verify.ts";

/** Roots without duplicates, in the order of their first occurrence. */
export interface TrustBundle {
  readonly roots: readonly Certificate[];
  /** The roots in PEM, one after the other. */
  readonly pem: string;
}

/** A bundle of roots; duplicates count once. */
export function trustBundle(roots: readonly Certificate[]): TrustBundle {
  const unique = roots.filter((root, i) => roots.findIndex((r) => same(r.der, root.der)) === i);
  return { roots: unique, pem: unique.map(({ pem }) => pem).join("") };
}

/** Reads a bundle in PEM. Throws `MeshError` when it has none, or one that is not of an authority. */
export function readTrustBundle(pem: string, what: string): TrustBundle {
  const roots = readCertificates(pem, what);
  const other = roots.find(({ isCa }) => !isCa);
  if (other) throw pkiError(what, "a certificate in it is not of an authority", "pki-chain");
  return trustBundle(roots);
}

/** Reports if two bundles trust the same roots. */
export function sameBundle(a: TrustBundle, b: TrustBundle): boolean {
  return a.roots.length === b.roots.length &&
    a.roots.every(({ der }) => b.roots.some((root) => same(root.der, der)));
}
