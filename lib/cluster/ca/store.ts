/**
 * Stores of the self-signed root: in memory and in a directory. `secret_store.ts` has another one.
 *
 * @module
 */
import type { Issuer } from "../../kit/pki/mod.ts";
import { type RootChange, trustedRoots } from "./root_change.ts";
import { readState, stateText, storeError } from "./stored_state.ts";

/** Keeps the roots with their keys, and the phase of a change. */
export interface RootStore {
  /** The stored state; `undefined` when there is none. Throws `MeshError` `ca-store`. */
  load(): Promise<RootChange<Issuer> | undefined>;
  /**
   * Stores a state. Resolves to the state that is stored then: another one when another replica of
   * the daemon was first.
   */
  save(state: RootChange<Issuer>): Promise<RootChange<Issuer>>;
  /**
   * Calls back when another replica stored a state, and with `undefined` when the state was removed.
   * Absent if no other replica has this store.
   */
  follow?(changed: (state: RootChange<Issuer> | undefined) => void): AsyncDisposable;
}

/** A store in memory: the roots end with the process. */
export function memoryStore(): RootStore {
  let stored: RootChange<Issuer> | undefined;
  return {
    load: () => Promise.resolve(stored),
    save: (state) => {
      stored = state;
      return Promise.resolve(state);
    },
  };
}

/** The roots that agents trust, PEM, for mounting or copying to them. */
const ROOTS_FILE = "root-cert.pem";
/** The file of a whole state. One file, so that a state is never half written. */
const FILE = "self-signed.json";
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
      return await readState(text, path);
    },
    async save(state) {
      await makeDirectory(dir);
      await write(path, await stateText(state), 0o600);
      const trusted = trustedRoots(state).map(({ certificate }) => certificate.pem).join("");
      await write(`${dir}/${ROOTS_FILE}`, trusted, 0o644);
      return state;
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
