/**
 * The workload's certificate: keys made in the process, certificates from the authority, renewed
 * before they expire.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  createCsr,
  generateKey,
  type KeyForm,
  type KeyKind,
  privateKeyPem,
  readCertificates,
  same,
  type TrustBundle,
  trustBundle,
} from "../../kit/pki/mod.ts";
import type { RpcClientTls } from "../../kit/rpc/mod.ts";
import { countRetry, requestCertificate } from "./ca_client.ts";
import { expiryGauge } from "./expiry.ts";
import type { PairFiles } from "./pem_files.ts";
import { provisionedPair } from "./provisioned.ts";
import { untilRenewal } from "./rotation.ts";
import { type Backoff, jittered, pauseAfter, sleep } from "../../kit/async/mod.ts";
import { readRoots, rootsToTrust } from "./trusted_roots.ts";
import type { WorkloadCertificate, WorkloadCertificates } from "./workload_certificate.ts";

/** Settings of obtaining certificates. */
export interface WorkloadOptions {
  /** `host:port` of the authority. */
  readonly target: string;
  /** Roots of the authority's server, and the name it must have. */
  readonly tls: () => Promise<Pick<RpcClientTls, "ca" | "serverName" | "cipherSuites">>;
  /** Reads the workload's token; `undefined` when there is none. */
  readonly token: () => Promise<string | undefined>;
  readonly clusterId: string | undefined;
  /** The workload for the certificate's subject, see `workloadSubject` of `lib/kit/pki`. */
  readonly workload: string | undefined;
  /** SPIFFE id in the CSR; `undefined`: the CSR has no name. */
  readonly identity: string | undefined;
  /** Name of the signer that the daemon is to use; `undefined`: its default. */
  readonly signer: string | undefined;
  /** True: the server is also verified by the roots of its last answer. */
  readonly trustsAnswers: boolean;
  /**
   * A certificate that authenticates the requests instead of a token, as long as it is valid; read
   * for each request.
   */
  readonly provisioned?: PairFiles;
  /** Further roots to trust, each in PEM. */
  readonly extraRoots: readonly string[];
  /** Called with each certificate and change of roots; a rejection is logged. */
  readonly obtained?: (certificate: WorkloadCertificate) => Promise<void>;
  readonly key: KeyKind;
  readonly keyForm: KeyForm;
  readonly ttlMs: number;
  readonly ratio: number;
  readonly jitter: number;
}

/** Pauses between attempts, ms; they grow, and half of each is random. */
const FIRST_PAUSE_MS = 500;
const PAUSES: Backoff = { first: FIRST_PAUSE_MS, longest: 30_000, growth: 2 };

const log = scope("cache");

/** Certificates of the authority, whose trusted roots the daemon may send as well. */
export interface IssuedCertificates extends WorkloadCertificates {
  /**
   * Uses the roots that the daemon sends now; an empty list withdraws those that it sent before.
   *
   * @param roots certificates in PEM
   * @throws MeshError for a text that is not the certificate of an authority
   */
  trust(roots: readonly string[]): void;
}

/** Obtains the first certificate; tries until the signal ends it, then resolves to `undefined`. */
export async function startWorkloadCertificates(
  options: WorkloadOptions,
  signal: AbortSignal,
): Promise<IssuedCertificates | undefined> {
  const ending = new AbortController();
  const end = AbortSignal.any([signal, ending.signal]);
  const first = await obtain(options, undefined, end);
  if (!first) return undefined;
  const held = holder(options, first);
  await held.keep(first);
  const renew = async () => {
    while (!end.aborted) {
      const { ratio, jitter } = options;
      const { obtainedAt: notBefore, notAfter } = held.current();
      await sleep(FIRST_PAUSE_MS, end);
      await untilRenewal({
        notBefore,
        notAfter,
        ratio,
        jitter,
        random: Math.random(),
        clock: () => Date.now(),
        sleep: (ms) => sleep(ms, end),
        hasEnded: () => end.aborted,
      });
      const next = end.aborted ? undefined : await obtain(options, held.current, end);
      if (!next) return;
      await held.keep(next);
    }
  };
  void renew();
  const { current, onChange, trust } = held;
  return { current, onChange, trust, stop: () => ending.abort() };
}

/** A certificate with its validity, ms since 1970, and the roots of the answer that it came with. */
interface Obtained {
  readonly chain: string;
  readonly key: string;
  readonly version: string;
  readonly issued: TrustBundle;
  /** Authorities set the beginning of the validity back, so it does not tell the lifetime. */
  readonly obtainedAt: number;
  readonly notAfter: number;
}

/** The certificate in use, with the roots to trust. */
type Held = Obtained & WorkloadCertificate;

/** Keeps the certificate in use; the first one is used at once. */
function holder(
  { trustsAnswers, extraRoots, obtained }: WorkloadOptions,
  first: Obtained,
) {
  const extra = readRoots(extraRoots, "caCertificatesPem of the proxy configuration");
  const expiry = expiryGauge();
  const listeners = new Set<() => void>();
  let sent: TrustBundle | undefined;
  let isLatest = false;
  const heldOf = (certificate: Obtained, before?: Held): Held => {
    const { issued } = certificate;
    const supersedes = trustsAnswers && isLatest;
    const roots = rootsToTrust({ issued, sent, extra, supersedes }).pem;
    const isSame = roots === before?.roots;
    const rootsVersion = isSame ? before.rootsVersion : `${Number(before?.rootsVersion ?? 0) + 1}`;
    return { ...certificate, roots, rootsVersion };
  };
  let current = heldOf(first);
  let writing = Promise.resolve();
  const use = (next: Held): Promise<void> => {
    current = next;
    writing = writing.then(() => obtained?.(next)).catch((error) =>
      log.error("a certificate could not be written", { reason: messageOf(error) })
    );
    return writing;
  };
  const notify = () => {
    for (const changed of listeners) changed();
  };
  return {
    current: () => current,
    async keep(certificate: Obtained) {
      isLatest = false;
      expiry.set("default", certificate.notAfter);
      await use(heldOf(certificate, current));
      notify();
    },
    trust(texts: readonly string[]) {
      sent = readRoots(texts, "the roots that the daemon sent");
      isLatest = true;
      const next = heldOf(current, current);
      if (next.roots === current.roots) return;
      log.info("the daemon sent other trusted roots", { count: sent?.roots.length ?? 0 });
      void use(next);
      notify();
    },
    onChange(changed: () => void) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

/** Tries until it succeeds; `undefined` when the signal ended it. */
async function obtain(
  options: WorkloadOptions,
  before: (() => Held) | undefined,
  end: AbortSignal,
): Promise<Obtained | undefined> {
  for (let failures = 1; !end.aborted; failures++) {
    const pause = pauseAfter(failures, PAUSES);
    try {
      return await once(options, before?.());
    } catch (error) {
      log.warn("no certificate was obtained", {
        authority: options.target,
        reason: messageOf(error),
        retryMs: pause,
      });
    }
    await sleep(jittered(pause), end);
    if (!end.aborted) countRetry();
  }
  return undefined;
}

async function once(options: WorkloadOptions, before: Held | undefined): Promise<Obtained> {
  const { target, clusterId, ttlMs, identity, signer } = options;
  const key = await generateKey(options.key);
  const given = await provisionedPair(options.provisioned, Date.now());
  const token = given ? undefined : await options.token();
  // Without a token the certificate that is still valid authenticates.
  const shown = given ?? (token === undefined ? before : undefined);
  const verification = await options.tls();
  const received = options.trustsAnswers ? before?.roots ?? "" : "";
  const tls = {
    ...verification,
    ca: verification.ca + received,
    ...shown && { cert: shown.chain, key: shown.key },
  };
  const answer = await requestCertificate({
    target,
    tls,
    token,
    clusterId,
    ttlMs,
    signer,
    csr: await createCsr(key, identity === undefined ? [] : [identity], options.workload),
  });
  const all = answer.flatMap((pem) => readCertificates(pem, "the authority's answer"));
  const [leaf] = all;
  const root = all.at(-1);
  if (!leaf || !root || leaf === root || !same(leaf.spki, key.spki)) {
    throw new Error("the authority's answer is not a chain for our key");
  }
  const isRoot = (certificate: typeof leaf) => same(certificate.subject, certificate.issuer);
  const chain = all.filter((certificate) => certificate !== root && !isRoot(certificate));
  const id = leaf.uris[0] ?? "";
  const expires = new Date(leaf.notAfter).toISOString();
  log.info("obtained a certificate", { identity: id, serial: leaf.serial, expires });
  return {
    chain: chain.map(({ pem }) => pem).join(""),
    key: await privateKeyPem(key, options.keyForm),
    issued: trustBundle([...all.filter(isRoot), root]),
    version: leaf.serial,
    obtainedAt: Date.now(),
    notAfter: leaf.notAfter,
  };
}
