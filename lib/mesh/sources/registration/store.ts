/**
 * Registered workloads in a file, so that a restart of the daemon does not lose them.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import type { StoredWorkload } from "./types.ts";

/** The file of a directory. */
export interface WorkloadStore {
  /** Workloads that the file had at the start. */
  readonly workloads: readonly StoredWorkload[];
  /** Writes the workloads soon. */
  readonly save: (workloads: () => StoredWorkload[]) => void;
  /** Writes changes that are pending. */
  close(): void;
}

const FILE = "workloads.json";
/** Changes of this time are written together, ms. */
const DELAY_MS = 200;

const log = scope("registration");

/**
 * Reads the file of a directory; none is an empty one. A damaged file is renamed, and the start goes
 * on without workloads.
 *
 * @throws MeshError `registration-dir` when the directory cannot be used
 */
export function openWorkloadStore(dir: string): WorkloadStore {
  const path = `${dir}/${FILE}`;
  let pending: (() => StoredWorkload[]) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    timer = undefined;
    const workloads = pending;
    pending = undefined;
    if (!workloads) return;
    try {
      const text = JSON.stringify({ version: 1, workloads: workloads() });
      Deno.writeTextFileSync(`${path}.partial`, text, { mode: 0o600 });
      Deno.renameSync(`${path}.partial`, path);
    } catch (error) {
      log.error("registered workloads cannot be stored", { path, reason: messageOf(error) });
    }
  };
  return {
    workloads: read(dir, path),
    save(workloads) {
      pending = workloads;
      timer ??= setTimeout(write, DELAY_MS);
    },
    close() {
      clearTimeout(timer);
      write();
    },
  };
}

function read(dir: string, path: string): readonly StoredWorkload[] {
  let text: string;
  try {
    Deno.mkdirSync(dir, { recursive: true });
    text = Deno.readTextFileSync(path);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return [];
    throw new MeshError("registration-dir", `${path}: ${messageOf(cause)}`, {
      remedy: "Set MESH_REGISTRATION_DIR to a directory that may be read and written.",
      cause,
    });
  }
  try {
    const { version, workloads } = JSON.parse(text);
    if (version === 1 && Array.isArray(workloads) && workloads.every(isWorkload)) return workloads;
  } catch {
    // Reported below.
  }
  Deno.renameSync(path, `${path}.damaged`);
  log.error("the stored workloads are damaged; the file was renamed", { path: `${path}.damaged` });
  return [];
}

function isWorkload(value: unknown): value is StoredWorkload {
  const { group, since, healthy, node } = (value ?? {}) as Partial<StoredWorkload>;
  return typeof group === "string" && typeof since === "number" && typeof healthy === "boolean" &&
    typeof node?.ip === "string" && typeof node.namespace === "string" &&
    typeof node.metadata === "object" && typeof node.locality?.region === "string";
}
