/**
 * The daemon's own certificate: from files, or issued by its own authority or by a
 * signer of the orchestrator, and renewed.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import {
  type Certificate,
  checkTime,
  createServerCsr,
  type FileTexts,
  followFiles,
  generateKey,
  issueLeaf,
  type KeyPair,
  privateKeyPem,
  readCertificates,
  readCsr,
  readPrivateKey,
  readTexts,
  readTrustBundle,
  same,
} from "../../kit/pki/mod.ts";
import { type AuthoritySource, changes } from "./authority.ts";
import { BACKDATE_MS } from "./self_signed.ts";
import type { Signers } from "./signers.ts";

const log = scope("default");

/** Default interval of looks at the time of the renewal, ms. */
const LOOK_MS = 10_000;
/** Pause between two requests for the first certificate, ms. */
const RETRY_MS = 2_000;

export interface ServerCertificate {
  /** Certificate with its chain, PEM. */
  readonly cert: string;
  readonly key: string;
  /** Further authorities of clients, PEM; empty: none. */
  readonly clientCa: string;
}

/** A certificate that changes while the daemon runs. */
export interface ServerCertificateSource extends AsyncDisposable {
  current(): ServerCertificate;
  /** Calls back after each change; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

/** A certificate that a signer of the orchestrator signs at some time after the start. */
export interface SignedCertificateSource extends AsyncDisposable {
  /** `undefined` until the signer has signed the first certificate. */
  current(): ServerCertificate | undefined;
  /** Calls back after each change, also for the first one; returns a function that ends this. */
  onChange(changed: () => void): () => void;
}

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities of clients; empty: no file. */
  readonly ca: string;
}

/**
 * A certificate from files, which are followed. While later contents are faulty, the last good ones
 * stay in use, and the fault is logged.
 *
 * @throws MeshError `server-certificate` when the first contents are faulty
 */
export async function certificateFromFiles(
  files: CertificateFiles,
  intervalMs = 1000,
): Promise<ServerCertificateSource> {
  const paths = Object.values(files).filter((path) => path !== "");
  const texts = await readTexts(paths).catch((error) => {
    throw faulty(messageOf(error));
  });
  const { onChange, notify } = changes();
  let certificate = await readFiles(files, texts);
  const stop = followFiles(texts, {
    paths,
    intervalMs,
    failed: (error) =>
      log.error("the daemon's certificate cannot be used; the last one stays in use", {
        reason: messageOf(error),
      }),
    async changed(texts) {
      certificate = await readFiles(files, texts);
      log.info("the daemon's certificate changed", { file: files.cert });
      notify();
    },
  });
  return { current: () => certificate, onChange, [Symbol.asyncDispose]: stop };
}

async function readFiles(files: CertificateFiles, texts: FileTexts): Promise<ServerCertificate> {
  const text = (path: string): string => {
    const found = texts.get(path);
    if (found === undefined) throw faulty(`${path} does not exist`);
    return found;
  };
  const cert = text(files.cert);
  const [leaf] = readCertificates(cert, files.cert);
  const pair = await readPrivateKey(text(files.key), files.key);
  if (!same(leaf!.spki, pair.spki)) throw faulty(`${files.key} is not the key of ${files.cert}`);
  checkTime(leaf!, Date.now());
  const clientCa = files.ca === "" ? "" : readTrustBundle(text(files.ca), files.ca).pem;
  return { cert, key: await privateKeyPem(pair, "pkcs8"), clientCa };
}

function faulty(why: string): MeshError {
  return new MeshError("server-certificate", why, {
    remedy: "Give --tlsCertFile, --tlsKeyFile and --caCertFile in PEM, or none of them.",
  });
}

/** Settings of issuing the daemon's certificate. */
export interface IssuedOptions {
  readonly authority: AuthoritySource;
  readonly dnsNames: readonly string[];
  readonly ips: readonly string[];
  /** Lifetime, ms; renewed after half of it. */
  readonly ttlMs: number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** RSA for clients that have no suite with ECDSA. */
  readonly keyType: "rsa" | "ecdsa";
  /** Interval of looks at the clock, ms. Default: 10 s. */
  readonly lookMs?: number;
}

/** A certificate of the daemon's own authority. */
export async function certificateFromAuthority(
  options: IssuedOptions,
): Promise<ServerCertificateSource> {
  const { authority, clock, lookMs = LOOK_MS } = options;
  const issueNext = () => issue(options);
  const first = await issueNext();
  const renewed = renewedCertificate(first, {
    issueNext,
    clock,
    lookMs,
    onChange: authority.onChange,
  });
  return { ...renewed, current: () => renewed.current() ?? first.certificate };
}

/** Settings of requesting the daemon's certificate from a signer of the orchestrator. */
export interface SignedOptions extends Omit<IssuedOptions, "authority"> {
  readonly signers: Signers;
  /** Full name of the signer. */
  readonly signer: string;
}

/**
 * A certificate of a signer of the orchestrator. It is requested at once, and again until the signer
 * signs; each failure is logged.
 */
export function certificateFromSigner(options: SignedOptions): SignedCertificateSource {
  const { signers, signer, clock, lookMs = LOOK_MS } = options;
  const ending = new AbortController();
  log.info("requesting the daemon's certificate", { signer });
  const renewed = renewedCertificate(undefined, {
    issueNext: () => requestFromSigner(options, ending.signal),
    clock,
    lookMs,
    // New roots may repair a request that failed; a certificate in use is kept.
    onChange: (changed) =>
      signers.roots.onChange(() => {
        if (renewed.current() === undefined) changed();
      }),
  });
  return {
    ...renewed,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await renewed[Symbol.asyncDispose]();
    },
  };
}

/** A certificate and the time of its renewal, ms since 1970. */
interface Issued {
  readonly certificate: ServerCertificate;
  readonly renewAt: number;
}

/** Input of {@link renewedCertificate}. */
interface Renewal {
  readonly issueNext: () => Promise<Issued>;
  readonly clock: () => number;
  readonly lookMs: number;
  /** Calls back if the certificate must be renewed earlier. */
  readonly onChange: (changed: () => void) => () => void;
}

/**
 * Renews a certificate; without a first one, it is issued at once. While a certificate cannot be
 * renewed, the last one stays in use.
 */
function renewedCertificate(
  first: Issued | undefined,
  { issueNext, clock, lookMs, onChange: onEarlier }: Renewal,
): SignedCertificateSource {
  const { onChange, notify } = changes();
  let held = first;
  let busy: Promise<void> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const renew = () => {
    clearTimeout(retry);
    busy ??= (async () => {
      held = await issueNext();
      if (!isClosed) notify();
    })().catch((error) => {
      if (isClosed) return;
      reportFailure(error, held !== undefined);
      if (held === undefined) retry = setTimeout(renew, RETRY_MS);
    }).finally(() => busy = undefined);
  };
  const timer = setInterval(() => {
    if (held !== undefined && clock() >= held.renewAt) renew();
  }, lookMs);
  Deno.unrefTimer(timer);
  const stop = onEarlier(renew);
  if (held === undefined) renew();
  return {
    current: () => held?.certificate,
    onChange,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(retry);
      stop();
      await busy;
    },
  };
}

function reportFailure(error: unknown, isRenewal: boolean): void {
  const what = isRenewal
    ? "cannot be renewed"
    : "was not issued; the secured listener waits for it";
  log.error(`the daemon's certificate ${what}`, {
    reason: messageOf(error),
    ...(error instanceof MeshError && error.remedy !== undefined && { remedy: error.remedy }),
  });
}

async function issue(options: IssuedOptions): Promise<Issued> {
  const { authority, dnsNames, ips, ttlMs, clock, keyType } = options;
  const { issuer, intermediates } = authority.current();
  const key = await newKey(keyType);
  const now = clock();
  const { notBefore, notAfter } = issuer.certificate;
  const leaf = await issueLeaf({
    spki: key.spki,
    dnsNames,
    ips,
    notBefore: Math.max(now - BACKDATE_MS, notBefore),
    notAfter: Math.min(now + ttlMs, notAfter),
  }, issuer);
  const chain = [leaf, ...intermediates];
  return { certificate: await served(chain, key), renewAt: clock() + ttlMs / 2 };
}

async function requestFromSigner(options: SignedOptions, signal: AbortSignal): Promise<Issued> {
  const { signers, signer, dnsNames, ips, ttlMs, clock, keyType } = options;
  const key = await newKey(keyType);
  const csr = await createServerCsr(key, { dnsNames, ips });
  const { names } = await readCsr(csr);
  const now = clock();
  const chain = await signers.sign({
    signer,
    csr,
    spki: key.spki,
    names,
    ttlMs,
    signal,
    isDefault: true,
  });
  // The signer may shorten the lifetime.
  const renewAt = now + (chain[0]!.notAfter - now) / 2;
  return { certificate: await served(chain.slice(0, -1), key), renewAt };
}

function newKey(keyType: IssuedOptions["keyType"]): Promise<KeyPair> {
  return generateKey(
    keyType === "rsa" ? { type: "rsa", bits: 2048 } : { type: "ecdsa", curve: "P256" },
  );
}

async function served(chain: readonly Certificate[], key: KeyPair): Promise<ServerCertificate> {
  return {
    cert: chain.map(({ pem }) => pem).join(""),
    key: await privateKeyPem(key, "pkcs8"),
    clientCa: "",
  };
}
