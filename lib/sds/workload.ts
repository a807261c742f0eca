/**
 * The workload's certificate: keys made in the process, certificates from the authority, renewed
 * before they expire.
 *
 * @module
 */
import { messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import { gauge } from "../metrics/mod.ts";
import {
  createCsr,
  generateKey,
  type KeyKind,
  privateKeyPem,
  readCertificates,
  same,
  trustBundle,
} from "../pki/mod.ts";
import type { RpcClientTls } from "../rpc/mod.ts";
import { requestCertificate } from "./ca_client.ts";
import { renewalIn } from "./rotation.ts";

/** A certificate of the workload, PEM. */
export interface WorkloadCertificate {
  /** The certificate with its intermediates. */
  readonly chain: string;
  readonly key: string;
  /** Trusted roots. */
  readonly roots: string;
  /** Changes with each renewal. */
  readonly version: string;
}

/** Settings of obtaining certificates. */
export interface WorkloadOptions {
  /** `host:port` of the authority. */
  readonly target: string;
  /** Roots of the authority's server, and the name it must have. */
  readonly tls: () => Promise<Pick<RpcClientTls, "ca" | "serverName">>;
  /** Reads the workload's token; `undefined` when there is none. */
  readonly token: () => Promise<string | undefined>;
  readonly clusterId: string | undefined;
  readonly key: KeyKind;
  readonly ttlMs: number;
  readonly ratio: number;
  readonly jitter: number;
}

/** A certificate that is renewed. */
export interface WorkloadCertificates {
  current(): WorkloadCertificate;
  /** Calls back after each renewal; returns a function that ends this. */
  onChange(changed: () => void): () => void;
  stop(): void;
}

/** Pauses between attempts, ms; they grow, and half of each is random. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

const log = scope("cache");

/** Obtains the first certificate; tries until the signal ends it, then resolves to `undefined`. */
export async function startWorkloadCertificates(
  options: WorkloadOptions,
  signal: AbortSignal,
): Promise<WorkloadCertificates | undefined> {
  const ending = new AbortController();
  const end = AbortSignal.any([signal, ending.signal]);
  const first = await obtain(options, undefined, end);
  if (!first) return undefined;
  let current = first;
  const listeners = new Set<() => void>();
  gauge({
    name: "cert_expiry_seconds",
    help: "Seconds until the certificate expires; negative when it has expired.",
    labels: ["resource_name"],
    collect: (gauge) =>
      gauge.set({ resource_name: "default" }, (current.notAfter - Date.now()) / 1000),
  });
  const renew = async () => {
    while (!end.aborted) {
      const { notBefore, notAfter } = current;
      const { ratio, jitter } = options;
      const random = Math.random();
      await sleep(renewalIn({ notBefore, notAfter, now: Date.now(), ratio, jitter, random }), end);
      const next = end.aborted ? undefined : await obtain(options, current, end);
      if (!next) return;
      current = next;
      for (const changed of listeners) changed();
    }
  };
  void renew();
  return {
    current: () => current,
    onChange(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    stop: () => ending.abort(),
  };
}

/** A certificate with its validity, ms since 1970. */
interface Obtained extends WorkloadCertificate {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Tries until it succeeds; `undefined` when the signal ended it. */
async function obtain(
  options: WorkloadOptions,
  before: Obtained | undefined,
  end: AbortSignal,
): Promise<Obtained | undefined> {
  for (let pause = FIRST_PAUSE_MS; !end.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await once(options, before);
    } catch (error) {
      log.warn("no certificate was obtained", {
        authority: options.target,
        reason: messageOf(error),
        retryMs: pause,
      });
    }
    await sleep(pause / 2 + Math.random() * pause / 2, end);
  }
  return undefined;
}

async function once(options: WorkloadOptions, before: Obtained | undefined): Promise<Obtained> {
  const { target, clusterId, ttlMs } = options;
  const key = await generateKey(options.key);
  const token = await options.token();
  // Without a token the certificate that is still valid authenticates.
  const own = token === undefined && before ? { cert: before.chain, key: before.key } : {};
  const tls = { ...await options.tls(), ...own };
  const answer = await requestCertificate({
    ...{ target, tls, token, clusterId, ttlMs },
    csr: await createCsr(key, []),
  });
  const all = answer.flatMap((pem) => readCertificates(pem, "the authority's answer"));
  const [leaf] = all;
  const root = all.at(-1);
  if (!leaf || !root || leaf === root || !same(leaf.spki, key.spki)) {
    throw new Error("the authority's answer is not a chain for our key");
  }
  const isRoot = (certificate: typeof leaf) => same(certificate.subject, certificate.issuer);
  const chain = all.filter((certificate) => certificate !== root && !isRoot(certificate));
  const roots = trustBundle([...all.filter(isRoot), root]);
  const id = leaf.uris[0] ?? "";
  const expires = new Date(leaf.notAfter).toISOString();
  log.info("obtained a certificate", { identity: id, serial: leaf.serial, expires });
  return {
    chain: chain.map(({ pem }) => pem).join(""),
    key: await privateKeyPem(key, "pkcs8"),
    roots: roots.pem,
    version: leaf.serial,
    notBefore: leaf.notBefore,
    notAfter: leaf.notAfter,
  };
}

/** Longest time a timer can hold, ms. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(ms, TIMER_MAX_MS));
    signal.addEventListener("abort", done, { once: true });
  });
}
