/**
 * Source of credentials: certificates and keys from the files below a directory, named as mounted
 * secrets are: `NAMESPACE/NAME/tls.crt`.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { type Credential, objectKey } from "../../model/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import { credentialFailures } from "../credential_metrics.ts";
import {
  type CredentialFault,
  type FoundCredential,
  readCredential,
  servedInstead,
} from "../credential_parts.ts";
import { diskIo, type Io } from "./io.ts";
import { DEFAULT_TIMING, type ScanTiming, startScanScheduler } from "./scan_scheduler.ts";
import { watchTree } from "./watch.ts";

const log = scope("credentials");

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
  /** Credentials that cannot be used now. */
  faults(): CredentialFault[];
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
  const held = new Map<string, Held>();
  /** Returns true if a folder is new. */
  const read = async (): Promise<boolean> => {
    const found = await readAll(dir, io);
    const changes = new Map<string, Credential | undefined>();
    const hasNew = [...found.keys()].some((key) => !held.has(key));
    for (const key of held.keys()) {
      if (found.has(key)) continue;
      held.delete(key);
      changes.set(key, undefined);
    }
    for (const [key, { files, problem }] of found) {
      const before = held.get(key);
      if (problem !== undefined) {
        if (before?.fault?.problem !== problem) {
          credentialFailures.inc();
          const serving = servedInstead((before?.digest ?? "") !== "");
          log.warn("a credential cannot be used", {
            credential: key,
            dir: `${dir}/${key}`,
            problem,
            serving,
          });
        }
        const since = before?.fault?.since ?? Date.now();
        held.set(key, { digest: before?.digest ?? "", fault: { problem, since } });
        continue;
      }
      const digest = JSON.stringify(files);
      held.set(key, { digest });
      if (before?.digest !== digest) changes.set(key, files);
    }
    if (changes.size > 0) intake.settings({ credentials: changes });
    return hasNew;
  };
  await read().catch((error) => {
    throw unreadable(dir, error);
  });
  intake.synced();
  const watch = watchTree(dir, io, () => scheduler.trigger());
  const scheduler = startScanScheduler(async () => {
    await watch.refresh();
    // While the directory does not exist, the credentials that were read last stay in use.
    await read().then((hasNew) => {
      intake.health(undefined);
      // Files written to a new folder before it was watched make no event.
      if (hasNew) scheduler.trigger();
    }, (error) => {
      intake.health(messageOf(error));
      log.warn("cannot read", { dir, error: messageOf(error) });
    });
  }, timing);
  await watch.refresh();
  return {
    rescan: () => scheduler.run(),
    faults: () => faultsOf(dir, held),
    async [Symbol.asyncDispose]() {
      await scheduler.close();
      watch.close();
    },
  };
}

/** A credential that was read. */
interface Held {
  /** Digest of the last good version; empty: there was none. */
  readonly digest: string;
  /** Why the files cannot be used now. */
  readonly fault?: Pick<CredentialFault, "problem" | "since">;
}

function faultsOf(dir: string, held: ReadonlyMap<string, Held>): CredentialFault[] {
  return [...held].flatMap(([key, { digest, fault }]) =>
    fault === undefined
      ? []
      : [{ credential: key, place: `${dir}/${key}`, lastGoodServes: digest !== "", ...fault }]
  );
}

function unreadable(dir: string, cause: unknown): MeshError {
  return new MeshError("credential-dir", `${dir}: ${messageOf(cause)}`, {
    remedy: "Give a directory that can be read, with a folder for each namespace.",
    cause,
  });
}

async function readAll(dir: string, io: Io): Promise<Map<string, FoundCredential>> {
  const found = new Map<string, FoundCredential>();
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

function readOne(path: string, io: Io): Promise<FoundCredential> {
  return readCredential((names) => readFirst(names.map((name) => `${path}/${name}`), io));
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
