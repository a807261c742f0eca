/**
 * Issuing workload certificates: lifetimes, and few signings at the same time.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { issueLeaf, readCsr, type SpiffeId, spiffeText } from "../../kit/pki/mod.ts";
import type { AuthoritySource } from "./authority.ts";
import { BACKDATE_MS } from "./self_signed.ts";
import { type Claimant, createSlots } from "./slots.ts";

/** Options of issuing certificates. */
export interface IssuanceOptions {
  readonly authority: AuthoritySource;
  /** Lifetime when a request gives none above zero, ms. */
  readonly defaultTtlMs: number;
  /** Longest lifetime, ms. */
  readonly maxTtlMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Signings at the same time. Default: 4. */
  readonly parallel?: number;
  /** Requests that wait for a signing. Default: 10,000. */
  readonly waiting?: number;
}

/** A request whose caller is known. */
export interface IssueRequest {
  /** The CSR in PEM. Its key is used, and the workload of its subject. */
  readonly csr: string;
  readonly identity: SpiffeId;
  /** Asked lifetime, ms; not above zero: the default. */
  readonly ttlMs: number;
  /** Name of a signer in `CERT_SIGNER_DOMAIN`. The daemon's own authority does not use it. */
  readonly signer?: string;
  /** The client, of which few requests are served at the same time. Default: any. */
  readonly client?: Omit<Claimant, "identity">;
}

/** Issues certificates. */
export interface Issuance {
  /**
   * The chain in PEM: the certificate, intermediates, further trusted roots, and last the root of
   * its own chain.
   *
   * @throws MeshError with a code of `lib/kit/pki`, `ca-ttl` for too long a lifetime, those of
   * `Slots`
   */
  issue(request: IssueRequest): Promise<string[]>;
}

/** Makes an issuance. */
export function createIssuance(options: IssuanceOptions): Issuance {
  const { parallel = 4, waiting = 10_000 } = options;
  const slots = createSlots(parallel, waiting);
  return {
    async issue({ csr, identity, ttlMs, client }) {
      const asked = allowedTtl(ttlMs, options);
      const uri = spiffeText(identity);
      const release = await slots.take({ ...client, identity: uri });
      try {
        return await sign(csr, uri, asked, options);
      } finally {
        release();
      }
    },
  };
}

/** Limits of lifetimes, ms. */
export type TtlLimits = Pick<IssuanceOptions, "defaultTtlMs" | "maxTtlMs">;

/**
 * The lifetime of a certificate, ms.
 *
 * @throws MeshError `ca-ttl` for a lifetime above the limit
 */
export function allowedTtl(ttlMs: number, { defaultTtlMs, maxTtlMs }: TtlLimits): number {
  const asked = ttlMs > 0 ? ttlMs : Math.min(defaultTtlMs, maxTtlMs);
  if (asked <= maxTtlMs) return asked;
  const most = Math.floor(maxTtlMs / 1000);
  throw new MeshError("ca-ttl", `the lifetime ${Math.floor(asked / 1000)} s is too long`, {
    remedy: `Ask for at most ${most} s, or raise MAX_WORKLOAD_CERT_TTL.`,
  });
}

async function sign(
  pem: string,
  uri: string,
  ttlMs: number,
  { authority, clock }: IssuanceOptions,
): Promise<string[]> {
  const { spki, workload } = await readCsr(pem);
  const { issuer, intermediates, root, bundle } = authority.current();
  const now = clock();
  const { notBefore, notAfter } = issuer.certificate;
  const leaf = await issueLeaf({
    spki,
    uris: [uri],
    workload,
    notBefore: Math.max(now - BACKDATE_MS, notBefore),
    // A chain is valid only as long as all of its certificates.
    notAfter: Math.min(now + ttlMs, notAfter),
  }, issuer);
  const others = bundle.roots.filter((other) => other !== root);
  return [leaf, ...intermediates, ...others, root].map(({ pem }) => pem);
}
