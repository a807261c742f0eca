/**
 * Comparison of followed objects with those that the API server has now.
 *
 * @module
 */
import { messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { OrchClient } from "./client.ts";
import { type HeldObjects, keyOf, nameOf, versionOf } from "./held.ts";
import type { ListItem } from "./object.ts";
import { around, sleep } from "../async/mod.ts";
import { listObjects, type ResourceType, type Selection } from "./resource.ts";
import type { FollowTiming } from "./timing.ts";

const log = scope("orch");

/**
 * Lists of metadata only.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
 */
const METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/** Objects that a message names at most. */
const NAMED = 5;

/** Settings of the comparison. */
export interface CheckOptions {
  readonly client: OrchClient;
  /** The type, in the version that is read now. */
  readonly type: () => ResourceType;
  readonly selection?: Selection;
  readonly signal: AbortSignal;
  readonly timing: Pick<FollowTiming, "checkMs" | "settleMs" | "requestMs">;
  readonly held: Pick<HeldObjects<unknown>, "versions">;
  /** False while the objects cannot be expected to be the server's. */
  readonly isFollowing: () => boolean;
  /** Lists all objects again. */
  readonly relist: () => void;
}

/**
 * Compares the objects with the server's from time to time, because an event can be lost on the way.
 * Objects that differ twice in the same version are counted, and everything is listed again.
 */
export class HeldCheck {
  /** When the difference was found, milliseconds since the epoch; `undefined`: there is none. */
  differentSince: number | undefined;
  /** Comparisons, and objects whose events were lost. */
  checks = 0;
  lost = 0;
  readonly #options: CheckOptions;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Runs until the signal is aborted. */
  async run(): Promise<void> {
    const { signal, timing: { checkMs }, isFollowing, type } = this.#options;
    while (!signal.aborted) {
      await sleep(around(checkMs), signal);
      if (signal.aborted || !isFollowing()) continue;
      // A failure is one of the server; the watch reports it, too.
      await this.#compare().catch((error) =>
        log.debug("a check failed", { kind: type().kind, reason: messageOf(error) })
      );
    }
  }

  async #compare(): Promise<void> {
    const { signal, timing: { settleMs } } = this.#options;
    const at = Date.now();
    const first = await this.#differences();
    if (first.size > 0) {
      this.differentSince ??= at;
      await sleep(settleMs, signal);
      signal.throwIfAborted();
      const second = await this.#differences();
      const lost = [...second].filter(([key, version]) => first.get(key) === version);
      if (lost.length > 0) return this.#lose(lost.map(([key]) => key));
    }
    this.differentSince = undefined;
    this.checks++;
  }

  #lose(keys: readonly string[]): void {
    this.checks++;
    this.lost += keys.length;
    log.warn("events of objects were lost; all objects are listed again", {
      kind: this.#options.type().kind,
      lost: keys.length,
      objects: keys.slice(0, NAMED).map((key) => Object.values(nameOf(key)).join(" ")),
    });
    this.#options.relist();
  }

  /**
   * Keys of the objects that the server has in another version, with the server's version;
   * empty for an object that it does not have. Changes whose events are on the way are among
   * them.
   */
  async #differences(): Promise<Map<string, string>> {
    const { client, type, selection, held, signal, timing: { requestMs } } = this.#options;
    const listed = new Map<string, string>();
    const options = { signal, timeoutMs: requestMs, accept: METADATA };
    for await (const { items } of listObjects<ListItem>(client, type(), selection, options)) {
      for (const { metadata } of items) listed.set(keyOf(metadata), versionOf(metadata));
    }
    const different = new Map<string, string>();
    for (const [key, version] of held.versions()) {
      const own = listed.get(key);
      listed.delete(key);
      if (own !== version) different.set(key, own ?? "");
    }
    for (const [key, version] of listed) different.set(key, version);
    return different;
  }
}
