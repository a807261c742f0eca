/**
 * The daemon's own certificate: from files, or issued by its own authority or by a
 * signer of the orchestrator, and renewed.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
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
} from "../pki/mod.ts";
import { type AuthoritySource, changes } from "./authority.ts";
import { BACKDATE_MS } from "./self_signed.ts";
import type { Signers } from "./signers.ts";

const log = scope("default");

/** A certificate of a server. */
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

/** Files of a certificate. */
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
  const { authority, clock, lookMs = 10_000 } = options;
  const issueNext = () => issue(options);
  return await renewedCertificate({ issueNext, clock, lookMs, onChange: authority.onChange });
}

/** Settings of requesting the daemon's certificate from a signer of the orchestrator. */
export interface SignedOptions extends Omit<IssuedOptions, "authority"> {
  readonly signers: Signers;
  /** Full name of the signer. */
  readonly signer: string;
}

/**
 * A certificate of a signer of the orchestrator.
 *
 * @throws MeshError as `Signers` does, for the first certificate
 */
export async function certificateFromSigner(
  options: SignedOptions,
): Promise<ServerCertificateSource> {
  const { clock, lookMs = 10_000 } = options;
  return await renewedCertificate({
    issueNext: () => requestFromSigner(options),
    clock,
    lookMs,
    onChange: () => () => {},
  });
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

/** While a certificate cannot be renewed, the last one stays in use. */
async function renewedCertificate(
  { issueNext, clock, lookMs, onChange: onEarlier }: Renewal,
): Promise<ServerCertificateSource> {
  const { onChange, notify } = changes();
  let { certificate, renewAt } = await issueNext();
  let busy: Promise<void> | undefined;
  const renew = () => {
    busy ??= (async () => {
      ({ certificate, renewAt } = await issueNext());
      notify();
    })().catch((error) => {
      log.error("the daemon's certificate cannot be renewed", {
        reason: messageOf(error),
        ...(error instanceof MeshError && error.remedy !== undefined && { remedy: error.remedy }),
      });
    }).finally(() => busy = undefined);
  };
  const timer = setInterval(() => {
    if (clock() >= renewAt) renew();
  }, lookMs);
  Deno.unrefTimer(timer);
  const stop = onEarlier(renew);
  return {
    current: () => certificate,
    onChange,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop();
      await busy;
    },
  };
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

async function requestFromSigner(options: SignedOptions): Promise<Issued> {
  const { signers, signer, dnsNames, ips, ttlMs, clock, keyType } = options;
  const key = await newKey(keyType);
  const csr = await createServerCsr(key, { dnsNames, ips });
  const { names } = await readCsr(csr);
  const now = clock();
  const chain = await signers.sign({
    ...{ signer, csr, spki: key.spki, names, ttlMs },
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
