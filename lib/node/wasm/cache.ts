/**
 * Modules on disk: each is a file named by its SHA-256 sum. Unused ones are removed after a time.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { type FetchLimits, fetchModule, type FetchRequest, imageVersion, sumOf } from "./fetch.ts";
import { cacheEntries, cacheLookups } from "./metrics.ts";
import { imageText, parseReference } from "./reference.ts";

/** A module that a plugin names. */
export interface ModuleRequest {
  /** The `url` of the plugin. */
  readonly url: string;
  /** Digits of the SHA-256 sum; empty: any. */
  readonly sha256: string;
  /** When a tag is asked again for its version; default: always for `latest`, else never. */
  readonly pull: "always" | "if-not-present" | undefined;
  /** JSON of the pull secret. */
  readonly secret: string | undefined;
}

/** Options of {@link openModules}. */
export interface ModulesOptions extends FetchLimits {
  /** Folder of the files; it is created. */
  readonly folder: string;
  /** True: modules of earlier runs stay until they expire. Default: they are removed. */
  readonly keep?: boolean;
  readonly expiryMs: number;
  readonly purgeMs: number;
}

/** The modules of an agent. */
export interface Modules {
  /**
   * The path of a module's file, fetched if need be.
   *
   * @throws MeshError `wasm-reference`, or `FetchError`
   */
  file(request: ModuleRequest): Promise<string>;
  /** Counts a file as used, if it is still there. */
  use(file: string): boolean;
  /** Ends fetches and timers. Files stay: the proxy may read them. */
  stop(): void;
}

interface Entry {
  readonly file: string;
  usedAt: number;
}

/** Name of a module's file. */
const FILE_NAME = /^([0-9a-f]{64})\.wasm$/;

const log = scope("wasm");

/**
 * Opens the folder of modules.
 *
 * @throws MeshError `wasm-folder`
 */
export async function openModules(options: ModulesOptions): Promise<Modules> {
  await makeFolder(options);
  const stopping = new AbortController();
  const cache = new ModuleCache(options, stopping.signal);
  if (options.keep) await cache.adopt();
  const timer = setInterval(() => void cache.purge(), options.purgeMs);
  Deno.unrefTimer(timer);
  return {
    file: (request) => cache.file(request),
    use: (file) => cache.use(file),
    stop() {
      clearInterval(timer);
      stopping.abort();
    },
  };
}

class ModuleCache {
  readonly #options: ModulesOptions;
  readonly #signal: AbortSignal;
  /** By SHA-256 sum of the module. */
  readonly #entries = new Map<string, Entry>();
  /** From address and version to the sum of the module. */
  readonly #known = new Map<string, string>();
  /** Fetches in progress, by address, version and secret. */
  readonly #fetching = new Map<string, Promise<string>>();

  constructor(options: ModulesOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async file(request: ModuleRequest): Promise<string> {
    const fetch: FetchRequest = { ...request, reference: parseReference(request.url) };
    const key = await this.#key(request, fetch);
    const entry = key === undefined ? undefined : this.#entries.get(this.#known.get(key) ?? "");
    cacheLookups.inc({ hit: String(entry !== undefined) });
    if (entry !== undefined) {
      entry.usedAt = performance.now();
      return entry.file;
    }
    const flight = JSON.stringify([key ?? request.url, request.sha256, request.secret]);
    const running = this.#fetching.get(flight) ?? this.#fetch(fetch, key);
    this.#fetching.set(flight, running);
    return await running.finally(() => this.#fetching.delete(flight));
  }

  use(file: string): boolean {
    const entry = [...this.#entries.values()].find((one) => one.file === file);
    if (entry !== undefined) entry.usedAt = performance.now();
    return entry !== undefined;
  }

  /** Address with the version of a module; undefined: its version is known only once it is fetched. */
  async #key(
    { url, sha256, pull, secret }: ModuleRequest,
    { reference }: FetchRequest,
  ): Promise<string | undefined> {
    // The secret is a part: who may not pull an image may not use one that another pulled.
    const access = secret === undefined ? "" : sumOf(new TextEncoder().encode(secret));
    const keyed = (version: string) => JSON.stringify([url, version, access]);
    if (sha256 !== "") return keyed(sha256);
    if (reference.kind === "url") return pull === "always" ? undefined : keyed("");
    const { image } = reference;
    const always = (pull ?? (image.tag === "latest" ? "always" : "if-not-present")) === "always";
    if (!always || image.digest !== undefined) return keyed("");
    const { digests } = await imageVersion(image, secret, this.#options, this.#signal);
    return keyed(digests[0]!);
  }

  async #fetch(request: FetchRequest, key: string | undefined): Promise<string> {
    const { reference } = request;
    const from = reference.kind === "url" ? reference.url.href : imageText(reference.image);
    const bytes = await fetchModule(request, this.#options, this.#signal);
    const sum = sumOf(bytes);
    const file = `${this.#options.folder}/${sum}.wasm`;
    if (!this.#entries.has(sum)) await writeWhole(file, bytes);
    this.#entries.set(sum, { file, usedAt: performance.now() });
    if (key !== undefined) this.#known.set(key, sum);
    cacheEntries.set(this.#entries.size);
    log.info("fetched a module", { from, bytes: bytes.byteLength, sha256: sum });
    return file;
  }

  /** Takes the modules of earlier runs that are whole, and removes other files. */
  async adopt(): Promise<void> {
    const { folder } = this.#options;
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const file = `${folder}/${name}`;
      const sum = FILE_NAME.exec(name)?.[1];
      if (sum !== undefined && isFile && sumOf(await Deno.readFile(file)) === sum) {
        this.#entries.set(sum, { file, usedAt: performance.now() });
      } else {
        await removed(file);
      }
    }
    cacheEntries.set(this.#entries.size);
  }

  /** Removes the modules that nobody asked for within the expiry. */
  async purge(): Promise<void> {
    const oldest = performance.now() - this.#options.expiryMs;
    for (const [sum, { file, usedAt }] of [...this.#entries]) {
      if (usedAt > oldest) continue;
      this.#entries.delete(sum);
      for (const [key, known] of [...this.#known]) if (known === sum) this.#known.delete(key);
      try {
        await Deno.remove(file);
        log.info("removed a module that was not used", { sha256: sum });
      } catch (error) {
        log.warn("a module cannot be removed", { file, reason: messageOf(error) });
      }
    }
    cacheEntries.set(this.#entries.size);
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const next = `${file}.${crypto.randomUUID()}`;
  await Deno.writeFile(next, bytes, { mode: 0o644, createNew: true });
  await Deno.rename(next, file);
}

async function makeFolder({ folder, keep }: ModulesOptions): Promise<void> {
  try {
    if (!keep) await removed(folder);
    await Deno.mkdir(folder, { recursive: true, mode: 0o755 });
  } catch (cause) {
    throw new MeshError("wasm-folder", `the folder ${folder} for Wasm modules cannot be made`, {
      remedy: "Set configPath of the proxy configuration to a folder that may be written.",
      cause,
    });
  }
}

async function removed(path: string): Promise<void> {
  await Deno.remove(path, { recursive: true }).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
}
