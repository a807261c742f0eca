/**
 * Signers of the orchestrator: controllers outside of the daemon that sign approved
 * CertificateSigningRequest objects. Their certificates are verified before they are used.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { type OrchClient, requestCertificate } from "../../kit/orch/mod.ts";
import {
  type AlternativeName,
  type Certificate,
  readCertificates,
  same,
  verifyChain,
} from "../../kit/pki/mod.ts";
import { signerError, type SignerRoots } from "./signer_roots.ts";
import { type Claimant, createSlots, type Slots } from "./slots.ts";

/** Requests under way at one signer. Each reads its object from the API server until it is signed. */
const MOST_UNDER_WAY = 16;
/** Requests that wait for one of them. */
const MOST_WAITING = 500;
/** Shortest lifetime that the API accepts, s. */
const LEAST_SECONDS = 600;
/** Difference of clocks, and begin of validity before the time of the request, ms. */
const TOLERANCE_MS = 5 * 60_000;
/** Key usages of certificates for TLS servers and clients. */
const USAGES = ["digital signature", "key encipherment", "server auth", "client auth"];

/** Dependencies of {@link createSigners}. */
export interface SignersOptions {
  readonly client: OrchClient;
  readonly roots: SignerRoots;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Time that a signer has, ms. */
  readonly timeoutMs: number;
  /** Longest lifetime of a certificate, ms. */
  readonly maxTtlMs: number;
}

/** A request to a signer. The caller has verified that the CSR may have its names. */
export interface SignerRequest {
  /** Full name. */
  readonly signer: string;
  /** PEM. */
  readonly csr: string;
  /** The public key of the CSR, DER. */
  readonly spki: Uint8Array;
  /** The certificate must have these names and no others. */
  readonly names: readonly AlternativeName[];
  readonly ttlMs: number;
  /** True: a signer that the mesh configuration does not name has the roots of the file. */
  readonly isDefault: boolean;
  /** The client, of which few requests are served at the same time. Default: any. */
  readonly client?: Omit<Claimant, "identity">;
  /** Ends the request. */
  readonly signal?: AbortSignal;
}

/** Signs by the orchestrator. */
export interface Signers {
  /**
   * The chain of a new certificate, from the leaf to a root of the signer.
   *
   * @throws MeshError `ca-signer` for a signer without roots and for a certificate that is not as
   * requested, those of `Slots` and of `requestCertificate` of `lib/kit/orch`
   */
  sign(request: SignerRequest): Promise<readonly Certificate[]>;
  /** The roots of all signers. */
  readonly roots: SignerRoots;
}

/** Signers by the API of a cluster. A signer that does not answer holds up only its own requests. */
export function createSigners(options: SignersOptions): Signers {
  const { client, roots, timeoutMs } = options;
  const slotsBySigner = new Map<string, Slots>();
  const slotsOf = (signer: string): Slots => {
    const known = slotsBySigner.get(signer) ?? createSlots(MOST_UNDER_WAY, MOST_WAITING);
    slotsBySigner.set(signer, known);
    return known;
  };
  return {
    roots,
    async sign(request) {
      const { signer, csr, ttlMs, signal } = request;
      rootsOf(options, request);
      const release = await slotsOf(signer).take({
        ...request.client,
        identity: textOf(request.names),
      });
      try {
        const limit = AbortSignal.timeout(2 * timeoutMs);
        const pem = await requestCertificate(client, {
          csr,
          signer,
          timeoutMs,
          usages: USAGES,
          seconds: Math.max(LEAST_SECONDS, Math.floor(ttlMs / 1000)),
          approve: true,
          signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
        });
        return await verify(options, request, pem);
      } finally {
        release();
      }
    },
  };
}

function rootsOf({ roots }: SignersOptions, request: SignerRequest): readonly Certificate[] {
  const { signer, isDefault } = request;
  const found = roots.of(signer) ?? (isDefault ? roots.others() : []);
  if (found.length > 0) return found;
  throw signerError(`signer ${signer} is unknown: it has no roots`, {
    remedy: "Add its roots to caCertificates of the mesh configuration, with its full name in " +
      "certSigners; or correct the signer's name.",
  });
}

async function verify(
  options: SignersOptions,
  request: SignerRequest,
  pem: string,
): Promise<readonly Certificate[]> {
  const { signer, spki, names } = request;
  try {
    const [leaf, ...intermediates] = readCertificates(pem, "the certificate");
    const now = options.clock();
    const wrong = !same(leaf!.spki, spki)
      ? "it has another key"
      : leaf!.isCa
      ? "it is of an authority"
      : textOf(leaf!.names) !== textOf(names)
      ? "it has other names than the request"
      : leaf!.notAfter > now + options.maxTtlMs + TOLERANCE_MS
      ? "its lifetime is above MAX_WORKLOAD_CERT_TTL"
      : undefined;
    if (wrong !== undefined) throw new Error(wrong);
    return await verifyChain(leaf!, { intermediates, roots: rootsOf(options, request), now });
  } catch (error) {
    throw signerError(`the certificate of signer ${signer} cannot be used: ${messageOf(error)}`, {
      remedy: "Configure the signer to sign names, key and lifetime of the request; and give its " +
        "current roots in caCertificates of the mesh configuration.",
    });
  }
}

/** The names in one order. */
function textOf(names: readonly AlternativeName[]): string {
  return [...new Set(names.map(({ type, value }) => `${type} ${value}`))].sort().join("\n");
}
