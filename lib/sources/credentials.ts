/**
 * Certificates and keys from the files below a directory, in the form in which
 * secrets are mounted: `NAMESPACE/NAME/tls.crt`.
 *
 * @module
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { MeshError, messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import { counter } from "../metrics/mod.ts";
import { decodeUtf8 } from "../text/mod.ts";
import { diskIo, type Io } from "./io.ts";
import { DEFAULT_TIMING, startPulse, type Timing } from "./pulse.ts";
import { watchTree } from "./watch.ts";

const log = scope("credentials");

const failures = counter({
  name: "pilot_sds_certificate_errors_total",
  help: "Credentials that could not be used.",
});

/** What a credential holds; see the table of credentials. */
export interface CredentialFiles {
  readonly certificate?: string;
  readonly privateKey?: string;
  readonly authorities?: string;
  readonly revoked?: string;
  readonly ocspStaple?: string;
}

/** Names of the files of each part, the first that is there counts. */
const FILES: Readonly<Record<keyof CredentialFiles, readonly string[]>> = {
  certificate: ["tls.crt", "cert"],
  privateKey: ["tls.key", "key"],
  authorities: ["ca.crt", "cacert"],
  revoked: ["ca.crl", "crl"],
  ocspStaple: ["tls.ocsp-staple"],
};

/** Bytes of one file; long chains have a few thousand. */
const FILE_LIMIT = 1024 * 1024;

/** What a source of credentials needs. */
export interface CredentialSourceOptions {
  readonly dir: string;
  /** Called with what changed, by `namespace/name`; `undefined` for what is gone. Must not throw. */
  readonly onChange: (changes: ReadonlyMap<string, CredentialFiles | undefined>) => void;
  readonly timing?: Partial<Timing>;
  /** For tests. */
  readonly io?: Io;
}

/** A running source. */
export interface CredentialSource extends AsyncDisposable {
  /** Looks at all files now. */
  rescan(): Promise<void>;
}

/**
 * Reads credentials and follows their changes. Resolves when the first look is
 * done and `onChange` was called for what it found. Of one that is broken (a key
 * of another certificate, no PEM) the last good version stays; half a renewal is
 * such a one for the moment.
 *
 * @throws {MeshError} `credential-dir` when the directory cannot be read at the start.
 */
export async function startCredentialSource(
  { dir, onChange, timing: given, io = diskIo }: CredentialSourceOptions,
): Promise<CredentialSource> {
  const timing = { ...DEFAULT_TIMING, ...given };
  const held = new Map<string, { readonly digest: string; problem?: string }>();
  const look = async (): Promise<void> => {
    const found = await readAll(dir, io);
    const changes = new Map<string, CredentialFiles | undefined>();
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
    if (changes.size > 0) onChange(changes);
  };
  try {
    await look();
  } catch (error) {
    throw new MeshError("credential-dir", `${dir}: ${messageOf(error)}`, {
      remedy: "Give a directory that can be read, with a folder for each namespace.",
      cause: error,
    });
  }
  const watch = watchTree(dir, io, () => pulse.poke());
  const pulse = startPulse(async () => {
    await watch.refresh();
    // While the directory is gone everything that was read goes on serving.
    await look().catch((error) => log.warn("cannot read", { dir, error: messageOf(error) }));
  }, timing);
  await watch.refresh();
  return {
    rescan: () => pulse.run(),
    async [Symbol.asyncDispose]() {
      await pulse.close();
      watch.close();
    },
  };
}

interface Found {
  readonly files: CredentialFiles;
  readonly problem?: string;
}

async function readAll(dir: string, io: Io): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  for (const namespace of await foldersOf(dir, io)) {
    for (const name of await foldersOf(`${dir}/${namespace}`, io)) {
      found.set(`${namespace}/${name}`, await readOne(`${dir}/${namespace}/${name}`, io));
    }
  }
  return found;
}

/** Folders that are not hidden: volumes keep their versions in hidden ones. */
async function foldersOf(path: string, io: Io): Promise<string[]> {
  const names = (await io.list(path)).map(({ name }) => name).filter((name) => name[0] !== ".");
  const stamps = await Promise.all(names.map((name) => io.stat(`${path}/${name}`)));
  return names.filter((_, i) => stamps[i]?.kind === "directory");
}

async function readOne(path: string, io: Io): Promise<Found> {
  const files: Partial<Record<keyof CredentialFiles, string>> = {};
  try {
    for (const [part, names] of Object.entries(FILES)) {
      const bytes = await readFirst(names.map((name) => `${path}/${name}`), io);
      if (bytes === undefined || bytes.length === 0) continue;
      const binary = part === "ocspStaple";
      files[part as keyof CredentialFiles] = binary ? bytes.toBase64() : decodeUtf8(bytes);
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

/** Throws for what a proxy would refuse, and with it the listener. */
function check({ certificate, privateKey, authorities }: CredentialFiles): void {
  if ((certificate === undefined) !== (privateKey === undefined)) {
    throw new Error(certificate === undefined ? "there is no certificate" : "there is no key");
  }
  if (certificate === undefined && authorities === undefined) {
    throw new Error("there is neither a certificate nor authorities");
  }
  if (certificate !== undefined && privateKey !== undefined) {
    if (!parsed("certificate", certificate).checkPrivateKey(keyOf(privateKey))) {
      throw new Error("the key is not that of the certificate");
    }
  }
  if (authorities !== undefined) parsed("authorities", authorities);
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
