/**
 * Source of credentials: certificates and keys from the files below a directory, named as mounted
 * secrets are: `NAMESPACE/NAME/tls.crt`.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { MeshError, messageOf } from "../../base/mod.ts";
import { scope } from "../../log/mod.ts";
import { counter } from "../../metrics/mod.ts";
import { decodeUtf8 } from "../../text/mod.ts";
import { type Credential, objectKey } from "../../model/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import { diskIo, type Io } from "./io.ts";
import { DEFAULT_TIMING, type ScanTiming, startScanScheduler } from "./scan_scheduler.ts";
import { watchTree } from "./watch.ts";

const log = scope("credentials");

const failures = counter({
  name: "pilot_sds_certificate_errors_total",
  help: "Credentials that could not be used.",
});

/** File names of each part; the first one that exists is used. */
const FILES: Readonly<Record<keyof Credential, readonly string[]>> = {
  certificate: ["tls.crt", "cert"],
  privateKey: ["tls.key", "key"],
  authorities: ["ca.crt", "cacert"],
  revoked: ["ca.crl", "crl"],
  ocspStaple: ["tls.ocsp-staple"],
  pullConfig: [".dockerconfigjson"],
};

/** Maximum size of one file, in bytes; long chains have a few thousand. */
const FILE_LIMIT = 1024 * 1024;

/** Settings of a source of credentials. */
export interface CredentialSourceOptions {
  readonly dir: string;
  readonly intake: Intake;
  readonly timing?: Partial<ScanTiming>;
  /** For tests. */
  readonly io?: Io;
}

/** A running source. */
export interface CredentialSource extends AsyncDisposable {
  /** Reads all files now. */
  rescan(): Promise<void>;
}

/**
 * Reads credentials and follows their changes. Resolves when the first read was reported to the
 * intake. The last good version of a faulty credential stays in use (a key of another certificate, no
 * PEM); a renewal that is half done is faulty for a moment.
 *
 * @throws {MeshError} `credential-dir` when the directory cannot be read at the start.
 */
export async function startCredentialSource(
  { dir, intake, timing: given, io = diskIo }: CredentialSourceOptions,
): Promise<CredentialSource> {
  const timing = { ...DEFAULT_TIMING, ...given };
  const held = new Map<string, { readonly digest: string; problem?: string }>();
  const read = async (): Promise<void> => {
    const found = await readAll(dir, io);
    const changes = new Map<string, Credential | undefined>();
    for (const key of held.keys()) {
      if (found.has(key)) continue;
      held.delete(key);
      changes.set(key, undefined);
    }
    for (const [key, { files, problem }] of found) {
      const before = held.get(key);
      if (problem !== undefined) {
        if (before?.problem !== problem) {
          failures.inc();
          log.warn("a credential cannot be used", { credential: key, problem });
        }
        held.set(key, { digest: before?.digest ?? "", problem });
        continue;
      }
      const digest = JSON.stringify(files);
      held.set(key, { digest });
      if (before?.digest !== digest) changes.set(key, files);
    }
    if (changes.size > 0) intake.settings({ credentials: changes });
  };
  try {
    await read();
  } catch (error) {
    throw new MeshError("credential-dir", `${dir}: ${messageOf(error)}`, {
      remedy: "Give a directory that can be read, with a folder for each namespace.",
      cause: error,
    });
  }
  intake.synced();
  const watch = watchTree(dir, io, () => scheduler.trigger());
  const scheduler = startScanScheduler(async () => {
    await watch.refresh();
    // While the directory does not exist, the credentials that were read last stay in use.
    await read().then(() => intake.health(undefined), (error) => {
      intake.health(messageOf(error));
      log.warn("cannot read", { dir, error: messageOf(error) });
    });
  }, timing);
  await watch.refresh();
  return {
    rescan: () => scheduler.run(),
    async [Symbol.asyncDispose]() {
      await scheduler.close();
      watch.close();
    },
  };
}

interface Found {
  readonly files: Credential;
  readonly problem?: string;
}

async function readAll(dir: string, io: Io): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const namespace of await foldersOf(dir, io)) {
    for (const name of await foldersOf(`${dir}/${namespace}`, io)) {
      found.set(objectKey({ namespace, name }), await readOne(`${dir}/${namespace}/${name}`, io));
    }
  }
  return found;
}

/** Folders that are not hidden: volumes have their versions in hidden ones. */
async function foldersOf(path: string, io: Io): Promise<string[]> {
  const names = (await io.list(path)).map(({ name }) => name).filter((name) => name[0] !== ".");
  const stamps = await Promise.all(names.map((name) => io.stat(`${path}/${name}`)));
  return names.filter((_, i) => stamps[i]?.kind === "directory");
}

async function readOne(path: string, io: Io): Promise<Found> {
  const files: Partial<Record<keyof Credential, string>> = {};
  try {
    for (const [part, names] of Object.entries(FILES)) {
      const bytes = await readFirst(names.map((name) => `${path}/${name}`), io);
      if (bytes === undefined || bytes.length === 0) continue;
      const binary = part === "ocspStaple";
      files[part as keyof Credential] = binary ? bytes.toBase64() : decodeUtf8(bytes);
    }
    check(files);
    return { files };
  } catch (error) {
    return { files, problem: messageOf(error) };
  }
}

async function readFirst(paths: readonly string[], io: Io): Promise<Uint8Array | undefined> {
  for (const path of paths) {
    try {
      return await io.read(path, FILE_LIMIT);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return undefined;
}

/** Throws for a credential that a proxy would reject together with the listener. */
function check({ certificate, privateKey, authorities, pullConfig }: Credential): void {
  if (pullConfig !== undefined) checkPullConfig(pullConfig);
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new Error(certificate === undefined ? "there is no certificate" : "there is no key");
  }
  if (certificate === undefined && authorities === undefined && pullConfig === undefined) {
    throw new Error("there is neither a certificate, nor authorities, nor .dockerconfigjson");
  }
  if (certificate !== undefined && privateKey !== undefined) {
    if (!parsed("certificate", certificate).checkPrivateKey(keyOf(privateKey))) {
      throw new Error("the key is not that of the certificate");
    }
  }
  if (authorities !== undefined) parsed("authorities", authorities);
}

/** Errors of the parser may quote the text, so they are not passed on. */
function checkPullConfig(text: string): void {
  let auths: unknown;
  try {
    auths = Object(JSON.parse(text)).auths;
  } catch {
    throw new Error(".dockerconfigjson is no JSON");
  }
  if (typeof auths !== "object" || auths === null || Array.isArray(auths)) {
    throw new Error(".dockerconfigjson has no object auths");
  }
}

function parsed(what: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new Error(`the ${what} cannot be read as PEM`);
  }
}

function keyOf(pem: string): ReturnType<typeof createPrivateKey> {
  try {
    return createPrivateKey(pem);
  } catch {
    // The library's message may quote the key.
    throw new Error("the key cannot be read as PEM");
  }
}
