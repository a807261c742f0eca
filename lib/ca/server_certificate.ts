/**
 * The daemon's own certificate: from files, or issued by its own authority and renewed.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import {
  checkTime,
  type FileTexts,
  followFiles,
  generateKey,
  issueLeaf,
  privateKeyPem,
  readCertificates,
  readPrivateKey,
  readTexts,
  readTrustBundle,
  same,
} from "../pki/mod.ts";
import { type AuthoritySource, changes } from "./authority.ts";
import { BACKDATE_MS } from "./self_signed.ts";

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
  const { authority, clock, ttlMs, lookMs = 10_000 } = options;
  const { onChange, notify } = changes();
  let certificate = await issue(options);
  let renewAt = clock() + ttlMs / 2;
  let busy: Promise<void> | undefined;
  const renew = () => {
    busy ??= (async () => {
      certificate = await issue(options);
      renewAt = clock() + ttlMs / 2;
      notify();
    })().catch((error) => {
      log.error("the daemon's certificate cannot be renewed", { reason: messageOf(error) });
    }).finally(() => busy = undefined);
  };
  const timer = setInterval(() => {
    if (clock() >= renewAt) renew();
  }, lookMs);
  Deno.unrefTimer(timer);
  const stop = authority.onChange(renew);
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

async function issue(options: IssuedOptions): Promise<ServerCertificate> {
  const { authority, dnsNames, ips, ttlMs, clock, keyType } = options;
  const { issuer, intermediates } = authority.current();
  const key = await generateKey(
    keyType === "rsa" ? { type: "rsa", bits: 2048 } : { type: "ecdsa", curve: "P256" },
  );
  const now = clock();
  const { notBefore, notAfter } = issuer.certificate;
  const leaf = await issueLeaf({
    spki: key.spki,
    dnsNames,
    ips,
    notBefore: Math.max(now - BACKDATE_MS, notBefore),
    notAfter: Math.min(now + ttlMs, notAfter),
  }, issuer);
  return {
    cert: [leaf, ...intermediates].map(({ pem }) => pem).join(""),
    key: await privateKeyPem(key, "pkcs8"),
    clientCa: "",
  };
}
