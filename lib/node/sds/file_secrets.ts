/**
 * Secrets from files that the proxy names: `file-cert:CHAIN~KEY`, `file-root:FILE` and
 * `file-root:system`.
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { counter } from "../../kit/metrics/mod.ts";
import type { Secret } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import { expiryGauge } from "./expiry.ts";
import { versionOf } from "./mounted.ts";
import { readPair, readRoots, SYSTEM_ROOTS } from "./pem_files.ts";
import { certificateSecret, rootsSecret } from "./secret.ts";
import { watchFiles } from "./watch.ts";

/** The contents of a secret; the version changes with them. */
export interface VersionedSecret {
  readonly version: string;
  readonly secret: Secret;
}

/** Secrets from files, each followed while it is in use. */
export interface FileSecrets {
  /** Reports if a name is one of files. */
  has(name: string): boolean;
  /** Begins to use a secret; the returned function ends it. */
  use(name: string, changed: () => void): () => void;
  /** The contents; `undefined` until the files could be read. */
  current(name: string): VersionedSecret | undefined;
}

interface Followed {
  readonly users: Set<() => void>;
  current: VersionedSecret | undefined;
  stop: () => void;
}

const CERT = "file-cert:";
const ROOT = "file-root:";

const log = scope("sds");

const failures = counter({
  name: "num_file_secret_failures_total",
  help: "Reads of files of certificates that gave no secret.",
});

/** @param debounceMs quiet time after a change of files, ms */
export function fileSecrets(debounceMs: number): FileSecrets {
  const followed = new Map<string, Followed>();
  const expiry = expiryGauge();
  return {
    has: (name) => pathsOf(name) !== undefined,
    current: (name) => followed.get(name)?.current,
    use(name, changed) {
      const entry = followed.get(name) ?? follow(name, debounceMs, expiry);
      followed.set(name, entry);
      entry.users.add(changed);
      return () => {
        entry.users.delete(changed);
        if (entry.users.size > 0 || followed.get(name) !== entry) return;
        followed.delete(name);
        entry.stop();
        expiry.remove(name);
      };
    },
  };
}

/** The files of a name; `undefined`: it names none. */
export function pathsOf(name: string): readonly string[] | undefined {
  if (name.startsWith(ROOT)) {
    const path = name.slice(ROOT.length);
    return path === "" ? undefined : [path === "system" ? SYSTEM_ROOTS : path];
  }
  if (!name.startsWith(CERT)) return undefined;
  const paths = name.slice(CERT.length).split("~");
  return paths.length === 2 && paths.every((path) => path !== "") ? paths : undefined;
}

function follow(
  name: string,
  debounceMs: number,
  expiry: ReturnType<typeof expiryGauge>,
): Followed {
  const paths = pathsOf(name)!;
  const entry: Followed = { users: new Set(), current: undefined, stop: () => {} };
  let complaint = "";
  const read = async () => {
    try {
      const next = await readSecret(name, paths, expiry);
      complaint = "";
      if (next.version === entry.current?.version) return;
      entry.current = next;
      for (const changed of entry.users) changed();
    } catch (error) {
      const reason = messageOf(error);
      if (reason === complaint) return;
      complaint = reason;
      failures.inc();
      log.warn("a secret of files cannot be used", { secret: name, reason });
    }
  };
  entry.stop = watchFiles({ paths, debounceMs, changed: () => void read() });
  void read();
  return entry;
}

async function readSecret(
  name: string,
  [first = "", key]: readonly string[],
  expiry: ReturnType<typeof expiryGauge>,
): Promise<VersionedSecret> {
  if (key === undefined) {
    const roots = await readRoots(first);
    return { version: await versionOf(roots), secret: rootsSecret(name, roots) };
  }
  const pair = await readPair({ chain: first, key });
  expiry.set(name, pair.notAfter);
  const version = await versionOf(pair.chain + pair.key);
  return { version, secret: certificateSecret(name, pair.chain, pair.key) };
}
