/**
 * The authority that the environment selects.
 *
 * @module
 */
import { scope } from "../../kit/log/mod.ts";
import type { OrchClient } from "../../kit/orch/mod.ts";
import type { AuthoritySource, RootsSource } from "./authority.ts";
import { createIssuance, type Issuance, type TtlLimits } from "./issuance.ts";
import { observeAuthority } from "./metrics.ts";
import { startPlugged, startPluggedSecret } from "./plugged.ts";
import { type RateLimiter, rateLimiter } from "./rate.ts";
import { type SecretPlace, secretStore } from "./secret_store.ts";
import { createRegistration, signerNames } from "./registration.ts";
import { createSigners, type Signers } from "./signers.ts";
import { signerError, type SignerRootsOptions, startSignerRoots } from "./signer_roots.ts";
import { type SelfSigned, type SelfSignedOptions, startSelfSigned } from "./self_signed.ts";
import { fileStore, memoryStore, type RootStore } from "./store.ts";
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
  /** The secrets of the system namespace; absent without an orchestrator. */
  readonly secrets?: Omit<SecretPlace, "name">;
  /** See `SelfSignedOptions`. */
  readonly leads?: () => boolean;
}

/** Secret of the self-signed root. */
export const SELF_SIGNED_SECRET = "mesh-ca-secret";
/** Secret of a plugged-in authority; `USE_CACERTS_FOR_SELF_SIGNED_CA` stores the daemon's root in it. */
export const PLUGGED_SECRET = "cacerts";

/** A running authority: the daemon's own, or signers of the orchestrator. */
export interface CertificateAuthority {
  /** The roots that proxies shall trust. */
  readonly source: RootsSource;
  readonly issuance: Issuance;
  readonly limit: RateLimiter;
  /** The authority whose key the daemon has; `undefined` if signers of the orchestrator sign. */
  readonly own: AuthoritySource | undefined;
  /** The self-signed authority; `undefined` if another one signs. */
  readonly selfSigned: SelfSigned | undefined;
  /** The signers of the orchestrator; `undefined` if the daemon signs. */
  readonly signers: Signers | undefined;
}

/** An authority whose key the daemon has. */
export interface OwnAuthority extends CertificateAuthority {
  readonly source: AuthoritySource;
  readonly own: AuthoritySource;
}

/**
 * Starts the plugged-in authority if there is one, of files or of the secret `cacerts`, else the
 * self-signed one.
 */
export async function startAuthority(options: CaOptions): Promise<OwnAuthority> {
  const { clock, secrets } = options;
  const plugged = await startPlugged({ dir: env.ROOT_CA_DIR.get(), clock }) ??
    (secrets && await startPluggedSecret({ ...secrets, name: PLUGGED_SECRET }, clock));
  const selfSigned = plugged ? undefined : await startSelfSigned(selfSignedOptions(options));
  const source = plugged ?? selfSigned!;
  observeAuthority(source, clock);
  return {
    source,
    own: source,
    selfSigned,
    signers: undefined,
    issuance: createIssuance({ authority: source, ...ttlLimits(), clock }),
    limit: limitOfIdentities(),
  };
}

/** Dependencies of {@link startRegistrationAuthority}. */
export interface RegistrationOptions extends SignerRootsOptions {
  /** Client of the daemon's cluster; `undefined` without an orchestrator. */
  readonly client: OrchClient | undefined;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Starts the registration authority of `EXTERNAL_CA`: signers of the orchestrator sign, and the
 * daemon has no key.
 *
 * @throws MeshError `ca-signer` for variables and roots that cannot be used
 */
export async function startRegistrationAuthority(
  { client, clock, ...rootsOptions }: RegistrationOptions,
): Promise<CertificateAuthority> {
  const names = signerNames({
    signer: env.ORCH_SIGNER.get() ?? "",
    domain: env.CERT_SIGNER_DOMAIN.get() ?? "",
  });
  const limits = ttlLimits();
  if (client === undefined) {
    throw signerError("EXTERNAL_CA is set, and the daemon has no orchestrator", {
      remedy: "Give --orchconfig, or run the daemon in the cluster; or remove EXTERNAL_CA.",
    });
  }
  const roots = await startSignerRoots(rootsOptions);
  const timeoutMs = env.MESHCA_SIGNER_TIMEOUT.get();
  const signers = createSigners({ client, roots, clock, timeoutMs, maxTtlMs: limits.maxTtlMs });
  return {
    source: roots,
    own: undefined,
    selfSigned: undefined,
    signers,
    issuance: createRegistration({ ...limits, signers, names }),
    limit: limitOfIdentities(),
  };
}

function ttlLimits(): TtlLimits {
  return {
    defaultTtlMs: env.DEFAULT_WORKLOAD_CERT_TTL.get(),
    maxTtlMs: env.MAX_WORKLOAD_CERT_TTL.get(),
  };
}

function limitOfIdentities(): RateLimiter {
  const perSecond = env.MESHCA_MAX_REQUESTS_PER_SECOND.get();
  return rateLimiter({
    perSecond,
    burst: Math.max(1, perSecond * BURST),
    now: () => performance.now(),
  });
}

/** A directory that is given comes before the secret of the orchestrator. */
function storeOf({ secrets }: CaOptions): RootStore {
  const dir = env.MESHCA_SELF_SIGNED_DIR.get();
  if (dir !== "") return fileStore(dir);
  if (secrets !== undefined) {
    const isShared = env.USE_CACERTS_FOR_SELF_SIGNED_CA.get();
    return secretStore({ ...secrets, name: isShared ? PLUGGED_SECRET : SELF_SIGNED_SECRET });
  }
  log.warn(
    "the self-signed root is only in memory: after a restart, proxies need new certificates",
    { remedy: "set MESHCA_SELF_SIGNED_DIR to a directory that is kept" },
  );
  return memoryStore();
}

function selfSignedOptions(options: CaOptions): SelfSignedOptions {
  const { trustDomain, pending, clock, leads } = options;
  return {
    store: storeOf(options),
    trustDomain,
    pending,
    clock,
    ...(leads === undefined ? {} : { leads }),
    rsaBits: env.MESHCA_SELF_SIGNED_CA_RSA_KEY_SIZE.get(),
    ttlMs: env.MESHCA_SELF_SIGNED_CA_CERT_TTL.get(),
    checkMs: env.MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL.get(),
    jitter: env.MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR.get(),
    gracePercent: env.MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE.get(),
    timeoutMs: env.MESHCA_ROOT_CHANGE_TIMEOUT.get(),
    longestTtlMs: env.MAX_WORKLOAD_CERT_TTL.get(),
  };
}
