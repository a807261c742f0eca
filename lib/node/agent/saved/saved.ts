/**
 * The configuration that the proxy accepted last, on disk: a proxy that starts while the daemon is
 * away is served from it, until the daemon is back.
 *
 * @module
 */
import { messageOf } from "../../../kit/base/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { decodeFile, encodeFile, MAX_FILE_BYTES } from "./file.ts";
import { type Configuration, Recording } from "./recording.ts";
import { sotwReader } from "./sotw_reader.ts";
import type { Variant } from "./types.ts";

/** Options of {@link openSaved}. */
export interface SavedOptions {
  readonly file: string;
  /** Id of the proxy's node. The configuration of another node is not used. */
  readonly node: string;
  /** Variant of the proxy's streams. The configuration of the other one is not used. */
  readonly variant: Variant;
  /** Time from an accepted change to its write, ms; default 5 s. */
  readonly delayMs?: number;
  /** Time without a connection to the daemon after which the configuration is served, ms; default 2 s. */
  readonly patienceMs?: number;
}

/** The saved configuration of an agent. */
export interface SavedConfiguration {
  /** The latest configuration; empty if none was saved. */
  readonly configuration: Configuration;
  readonly variant: Variant;
  /** See {@link SavedOptions.patienceMs}. */
  readonly patienceMs: number;
  /** Creates the recorder of a stream. */
  record(): StreamRecorder;
  /** Writes what is not written yet. */
  stop(): Promise<void>;
}

/** Records a stream. */
export interface StreamRecorder {
  /** Notes a request that is sent to the daemon. */
  request(message: Uint8Array): void;
  /** Notes a response that the proxy, or the agent itself, gets. */
  response(message: Uint8Array): void;
}

const DELAY_MS = 5_000;
const PATIENCE_MS = 2_000;

const log = scope("xdsproxy");

/** Reads the file; one that cannot be used is as good as none. */
export async function openSaved(options: SavedOptions): Promise<SavedConfiguration> {
  const saved = new Saved(options);
  await saved.load();
  return saved;
}

class Saved implements SavedConfiguration {
  configuration: Configuration = new Map();
  readonly variant: Variant;
  readonly patienceMs: number;
  readonly #options: SavedOptions;
  /** The recording that has changes which are not on disk. */
  #changed: Recording | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isTooLarge = false;

  constructor(options: SavedOptions) {
    this.#options = options;
    this.variant = options.variant;
    this.patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  async load(): Promise<void> {
    const { file, node, variant } = this.#options;
    try {
      const { isFile, size } = await Deno.lstat(file);
      if (!isFile || size > MAX_FILE_BYTES) throw new Error("it is no file of the agent's");
      const saved = decodeFile(await Deno.readFile(file));
      if (saved.node !== node) throw new Error(`it is of the node ${saved.node}`);
      if (saved.variant !== variant) throw new Error(`it is of the xDS variant ${saved.variant}`);
      this.configuration = saved.configuration;
      log.info("read the saved configuration", { file, savedAt: saved.savedAt });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return;
      log.warn("the saved configuration is not used", { file, reason: messageOf(error) });
    }
  }

  record(): StreamRecorder {
    const recording = new Recording(
      this.configuration,
      this.variant === "sotw" ? sotwReader() : undefined,
    );
    return {
      request: (message) => {
        if (guarded(() => recording.request(message))) this.#note(recording);
      },
      response: (message) => void guarded(() => recording.response(message)),
    };
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write();
    await this.#writing;
  }

  #note(recording: Recording): void {
    this.#changed = recording;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, this.#options.delayMs ?? DELAY_MS);
  }

  /** Writes the changed recording if a proxy could start with it; otherwise a later change does. */
  #write(): void {
    const recording = this.#changed;
    if (recording === undefined || !recording.isComplete) return;
    this.#changed = undefined;
    this.configuration = new Map(
      [...recording.configuration].map(([type, resources]) => [type, new Map(resources)]),
    );
    this.#writing = this.#writing.then(() => this.#save(recording.bytes)).catch((error) => {
      const { file } = this.#options;
      log.warn("the configuration cannot be saved", { file, reason: messageOf(error) });
    });
  }

  async #save(bytes: number): Promise<void> {
    const { file, node, variant } = this.#options;
    const content = bytes > MAX_FILE_BYTES ? undefined : encodeFile({
      node,
      variant,
      savedAt: new Date().toISOString(),
      configuration: this.configuration,
    });
    if (content === undefined || content.length > MAX_FILE_BYTES) {
      // An old configuration is not kept in place of one that is too large.
      await Deno.remove(file).catch(() => {});
      if (!this.#isTooLarge) {
        log.warn("the configuration is too large to be saved", { bytes, limit: MAX_FILE_BYTES });
      }
      this.#isTooLarge = true;
      return;
    }
    this.#isTooLarge = false;
    await writeWhole(file, content);
  }
}

/** A message that cannot be read is the concern of its receiver. */
function guarded(note: () => boolean | void): boolean {
  try {
    return note() === true;
  } catch {
    return false;
  }
}

/** Only the owner may read the file; the rename makes the write atomic. */
async function writeWhole(file: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const next = `${file}.next`;
  await Deno.remove(next).catch(() => {});
  {
    using opened = await Deno.open(next, { write: true, createNew: true, mode: 0o600 });
    for (let at = 0; at < content.length;) at += await opened.write(content.subarray(at));
    await opened.syncData();
  }
  await Deno.rename(next, file);
}
