/**
 * The roots that a workload trusts: those of the answers of its authority, and those that the daemon
 * sends over discovery.
 *
 * @module
 */
import { readTrustBundle, type TrustBundle, trustBundle } from "../../kit/pki/mod.ts";

/** Roots from both sources. */
export interface RootSources {
  /** Roots of the answer with the current certificate; the last one vouches for the certificate. */
  readonly issued: TrustBundle;
  /** Roots that the daemon sent; `undefined`: none. */
  readonly sent: TrustBundle | undefined;
  /** Further roots, of the proxy's own configuration. */
  readonly extra: TrustBundle | undefined;
  /** True: the daemon is the authority, and sent its roots after it issued the certificate. */
  readonly supersedes: boolean;
}

/**
 * The roots to trust. Those that the daemon sent take the place of older ones from the daemon, so that
 * a root that was removed is not trusted any more; but never of the root of the current certificate.
 */
export function rootsToTrust({ issued, sent, extra, supersedes }: RootSources): TrustBundle {
  const own = issued.roots.at(-1);
  const hasOwn = sent?.roots.some(({ pem }) => pem === own?.pem) === true;
  const older = supersedes && hasOwn ? [] : issued.roots;
  return trustBundle([...sent?.roots ?? [], ...older, ...extra?.roots ?? []]);
}

/**
 * Reads roots in PEM; `undefined` for an empty list.
 *
 * @param what names them in errors
 * @throws MeshError for a text that is not the certificate of an authority
 */
export function readRoots(texts: readonly string[], what: string): TrustBundle | undefined {
  return texts.length === 0 ? undefined : readTrustBundle(texts.join("\n"), what);
}
