/**
 * Stores of the self-signed root. The orchestrator's secrets can be another one.
 *
 * @module
 */
import { MeshError, messageOf } from "../base/mod.ts";
import { type Issuer, privateKeyPem, readCertificates, readPrivateKey, same } from "../pki/mod.ts";
import { type RootChange, trustedRoots } from "./root_change.ts";

/** Keeps the roots with their keys, and the phase of a change. */
export interface RootStore {
  /** The stored state; `undefined` when there is none. Throws `MeshError` `ca-store`. */
  load(): Promise<RootChange<Issuer> | undefined>;
  save(state: RootChange<Issuer>): Promise<void>;
}

/** A store in memory: the roots end with the process. */
export function memoryStore(): RootStore {
  let stored: RootChange<Issuer> | undefined;
  return {
    load: () => Promise.resolve(stored),
    save: (state) => {
      stored = state;
      return Promise.resolve();
    },
  };
}

/** The roots that agents trust, PEM, for mounting or copying to them. */
const ROOTS_FILE = "root-cert.pem";
/** The file of a whole state. One file, so that a state is never half written. */
const FILE = "self-signed.json";
/** Roots of a state, by their properties. */
const ROOTS = ["active", "next", "previous"] as const;

/** JSON of the file: PEM of the roots, and the other properties of the state. */
interface Stored {
  readonly roots: Partial<Record<typeof ROOTS[number], { certificate: string; key: string }>>;
  readonly state: Record<string, unknown>;
}

/**
 * A store in a directory, whose file of keys only the owner may read. The certificates are in a file
 * beside it.
 */
export function fileStore(dir: string): RootStore {
  const path = `${dir}/${FILE}`;
  return {
    async load() {
      let text: string;
      try {
        text = await Deno.readTextFile(path);
      } catch (error) {
        if (error instanceof Deno.errors.NotFound) return undefined;
        throw storeError(path, "it cannot be read", error);
      }
      return await parse(text, path);
    },
    async save(state) {
      await makeDirectory(dir);
      const roots: Stored["roots"] = {};
      const rest: Record<string, unknown> = { ...state };
      for (const name of ROOTS) {
        const issuer = rest[name] as Issuer | undefined;
        delete rest[name];
        if (!issuer) continue;
        const key = await privateKeyPem(issuer.key, "pkcs8");
        roots[name] = { certificate: issuer.certificate.pem, key };
      }
      await write(path, JSON.stringify({ roots, state: rest } satisfies Stored, null, 2), 0o600);
      const trusted = trustedRoots(state).map(({ certificate }) => certificate.pem).join("");
      await write(`${dir}/${ROOTS_FILE}`, trusted, 0o644);
    },
  };
}

async function makeDirectory(dir: string): Promise<void> {
  try {
    await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw storeError(dir, "it cannot be made", error);
  }
}

async function write(path: string, text: string, mode: number): Promise<void> {
  try {
    const next = `${path}.next`;
    await Deno.remove(next).catch(() => {});
    await Deno.writeTextFile(next, text, { mode, createNew: true });
    await Deno.rename(next, path);
  } catch (error) {
    throw storeError(path, "it cannot be written", error);
  }
}

/** Reads the file. A state that does not fit together is an error: a new root would cut all traffic. */
async function parse(text: string, path: string): Promise<RootChange<Issuer>> {
  try {
    const { roots, state } = JSON.parse(text) as Stored;
    const read: Record<string, Issuer> = {};
    for (const name of ROOTS) {
      const pems = roots[name];
      if (!pems) continue;
      const [certificate] = readCertificates(pems.certificate, name);
      const key = await readPrivateKey(pems.key, name);
      if (!same(certificate!.spki, key.spki)) throw new Error(`the key of ${name} is another one`);
      read[name] = { certificate: certificate!, key };
    }
    const { phase } = state;
    const { active, next, previous } = read;
    if (phase === "stable" && active) return { phase, active };
    const since = Number(state.since);
    if (phase === "announced" && active && next && since > 0) {
      return { phase, active, next, since };
    }
    // Laggards are known again with the next check.
    if (phase === "overdue" && active && next && since > 0) {
      return { phase: "announced", active, next, since };
    }
    const until = Number(state.until);
    if (phase === "switched" && active && previous && until > 0) {
      return { phase, active, previous, until };
    }
    throw new Error("the phase and the roots do not fit");
  } catch (error) {
    // A parser of JSON quotes its input, which has keys.
    throw storeError(path, error instanceof SyntaxError ? "it is not JSON" : messageOf(error));
  }
}

function storeError(path: string, why: string, cause?: unknown): MeshError {
  return new MeshError("ca-store", `${path}: ${why}`, {
    remedy: "Restore the file from a backup. Removing it makes a new root, which proxies with " +
      "certificates of the old one do not trust.",
    cause,
  });
}
