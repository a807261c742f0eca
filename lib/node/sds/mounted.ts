/**
 * The workload's certificate from files that another program mounts and renews
 * (`FILE_MOUNTED_CERTS`).
 *
 * @module
 */
import { messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { expiryGauge } from "./expiry.ts";
import { type MountedFiles, readPair, readRoots } from "./pem_files.ts";
import { sleep } from "../../kit/async/mod.ts";
import { watchFiles } from "./watch.ts";
import type { WorkloadCertificate, WorkloadCertificates } from "./workload_certificate.ts";

/** Settings of mounted certificates. */
export interface MountedOptions {
  readonly files: MountedFiles;
  /** Quiet time after a change of files, ms. */
  readonly debounceMs: number;
}

/** Pause before files are read again that cannot be used at the start, ms. */
const PAUSE_MS = 1000;

const log = scope("cache");

/**
 * Reads the files; waits until they can be used, or until the signal ends the wait: then
 * `undefined`. The last good contents stay in use.
 */
export async function startMountedCertificates(
  { files, debounceMs }: MountedOptions,
  signal: AbortSignal,
): Promise<WorkloadCertificates | undefined> {
  const expiry = expiryGauge();
  const read = async (): Promise<WorkloadCertificate> => {
    const [{ chain, key, notAfter }, roots] = await Promise.all([
      readPair(files),
      readRoots(files.roots),
    ]);
    expiry.set("default", notAfter);
    const version = await versionOf(chain + key + roots);
    return { chain, key, roots, version, rootsVersion: await versionOf(roots) };
  };
  let complaint = "";
  const complain = (error: unknown) => {
    const reason = messageOf(error);
    if (reason !== complaint) log.warn("mounted certificates cannot be used", { reason });
    complaint = reason;
  };
  let first: WorkloadCertificate | undefined;
  while (!first && !signal.aborted) {
    first = await read().catch(complain) ?? undefined;
    if (!first) await sleep(PAUSE_MS, signal);
  }
  if (!first) return undefined;
  let current = first;
  const listeners = new Set<() => void>();
  const changed = async () => {
    const next = await read();
    complaint = "";
    if (next.version === current.version) return;
    current = next;
    log.info("mounted certificates were renewed", { file: files.chain });
    for (const listener of listeners) listener();
  };
  const { chain, key, roots } = files;
  const stop = watchFiles({
    paths: [chain, key, roots],
    debounceMs,
    changed: () => void changed().catch(complain),
  });
  return {
    current: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop,
  };
}

/** A version of contents: a part of their SHA-256 in hexadecimal digits. */
export async function versionOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex().slice(0, 16);
}
