/**
 * The authority that the environment selects.
 *
 * @module
 */
import { scope } from "../log/mod.ts";
import type { AuthoritySource } from "./authority.ts";
import { createIssuance, type Issuance } from "./issuance.ts";
import { observeAuthority } from "./metrics.ts";
import { startPlugged } from "./plugged.ts";
import { type RateLimiter, rateLimiter } from "./rate.ts";
import { type SelfSigned, startSelfSigned } from "./self_signed.ts";
import { fileStore, memoryStore } from "./store.ts";
import * as env from "./variables.ts";

const log = scope("ca");

/** Requests that an identity may send at once, as a multiple of those a second. */
const BURST = 50;

/** Dependencies of the authority. */
export interface CaOptions {
  readonly trustDomain: string;
  /** See `SelfSignedOptions`. */
  readonly pending: (serials: readonly string[]) => readonly string[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** A running authority. */
export interface CertificateAuthority {
  readonly source: AuthoritySource;
  readonly issuance: Issuance;
  readonly limit: RateLimiter;
  /** The self-signed authority, unless one is plugged in. */
  readonly selfSigned: SelfSigned | undefined;
}

/** Starts the plugged-in authority if there is one, else the self-signed one. */
export async function startAuthority(options: CaOptions): Promise<CertificateAuthority> {
  const { clock } = options;
  const plugged = await startPlugged({ dir: env.ROOT_CA_DIR.get(), clock });
  const selfSigned = plugged ? undefined : await startSelfSigned(selfSignedOptions(options));
  const source = plugged ?? selfSigned!;
  observeAuthority(source, clock);
  const perSecond = env.MESHCA_MAX_REQUESTS_PER_SECOND.get();
  return {
    source,
    selfSigned,
    issuance: createIssuance({
      authority: source,
      defaultTtlMs: env.DEFAULT_WORKLOAD_CERT_TTL.get(),
      maxTtlMs: env.MAX_WORKLOAD_CERT_TTL.get(),
      clock,
    }),
    limit: rateLimiter({
      perSecond,
      burst: Math.max(1, perSecond * BURST),
      now: () => performance.now(),
    }),
  };
}

function selfSignedOptions({ trustDomain, pending, clock }: CaOptions) {
  const dir = env.MESHCA_SELF_SIGNED_DIR.get();
  if (dir === "") {
    log.warn(
      "the self-signed root is only in memory: after a restart, proxies need new certificates",
      {
        remedy: "set MESHCA_SELF_SIGNED_DIR to a directory that is kept",
      },
    );
  }
  return {
    store: dir === "" ? memoryStore() : fileStore(dir),
    trustDomain,
    pending,
    clock,
    rsaBits: env.MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE.get(),
    ttlMs: env.MESHCA_SELF_SIGNED_CA_CERT_TTL.get(),
    checkMs: env.MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL.get(),
    jitter: env.MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR.get(),
    gracePercent: env.MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE.get(),
    timeoutMs: env.MESHCA_ROOT_CHANGE_TIMEOUT.get(),
    longestTtlMs: env.MAX_WORKLOAD_CERT_TTL.get(),
  };
}
