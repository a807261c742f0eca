/**
 * Following a resource type: a list, then a watch, and what it takes to go on after every failure.
 *
 * @module
 */
import { messageOf } from "../base/mod.ts";
import { scope } from "../log/mod.ts";
import type { FollowState } from "./follow_state.ts";
import { HeldCheck } from "./held_check.ts";
import type { Following, FollowOptions } from "./follow_options.ts";
import { isExpired, isNotFound, isUnreachable, OrchError, statusError } from "./error.ts";
import {
  type Changes,
  createHeld,
  type HeldObjects,
  type WatchError,
  type WatchEvent,
} from "./held.ts";
import { jsonLines } from "./lines.ts";
import type { ListItem, OrchList } from "./object.ts";
import { around, inTurns, jittered, pauseAfter, sleep } from "../async/mod.ts";
import { collectionPath, listObjects, type ObjectName, type ResourceType } from "./resource.ts";
import { DEFAULT_TIMING, type FollowTiming } from "./timing.ts";
import { otherVersions } from "./versions.ts";

const log = scope("orch");

/** Growth of the pauses after failures. */
/** A watch that lived shorter counts as a failure, in milliseconds. */
const SHORT_MS = 1000;

/** Begins to follow a type. */
export function follow<V>(options: FollowOptions<V>): Following<V> {
  return new Follower(options);
}

class Follower<V> implements Following<V> {
  readonly synced: Promise<void>;
  readonly #options: FollowOptions<V>;
  readonly #timing: FollowTiming;
  readonly #held: HeldObjects<V>;
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #remove: () => void;
  readonly #resolveSynced: () => void;
  /** Resource version to go on from; `undefined`: everything has to be listed. */
  #version: string | undefined;
  /** The type, in the version that is read. */
  #type: ResourceType;
  #state = { synced: false, fault: undefined as string | undefined, absent: false };
  #faultSince: number | undefined;
  #counts = { lists: 0, watches: 0, events: 0 };
  #failures = 0;
  readonly #check: HeldCheck;
  /** Ends the watch in progress, to list everything again. */
  #relist: () => void = () => {};

  constructor(options: FollowOptions<V>) {
    this.#options = options;
    this.#type = options.type;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#held = createHeld(options);
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.synced, this.#resolveSynced] = [promise, resolve];
    const { plural, group } = options.type;
    const resource = group === "" ? plural : `${plural}.${group}`;
    this.#remove = options.client.followed.add({ resource, state: () => this.state() });
    this.#check = new HeldCheck({
      ...options,
      type: () => this.#type,
      signal: this.#stop.signal,
      timing: this.#timing,
      held: this.#held,
      isFollowing: () => {
        const { synced, fault, absent } = this.#state;
        return synced && !absent && fault === undefined;
      },
      relist: () => this.#relist(),
    });
    this.#done = Promise.all([this.#run(), this.#check.run()]);
  }

  state(): FollowState {
    const { differentSince, checks, lost } = this.#check;
    const counts = { ...this.#counts, checks, lost, objects: this.#held.size };
    return { ...this.#state, ...counts, faultSince: this.#faultSince, differentSince };
  }

  type(): ResourceType {
    return this.#type;
  }

  get(name: ObjectName): V | undefined {
    return this.#held.get(name);
  }

  values(): V[] {
    return this.#held.values();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
    this.#remove();
    this.#resolveSynced();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const started = performance.now();
      let pause: number;
      try {
        if (this.#version === undefined) await this.#list();
        else await this.#checkVersion();
        if (this.#version === undefined) continue;
        this.#setState({ fault: undefined, absent: false });
        await this.#watch(this.#version);
        pause = performance.now() - started < SHORT_MS ? this.#nextPause() : 0;
      } catch (error) {
        if (signal.aborted) break;
        pause = await this.#recover(error);
      }
      await sleep(pause, signal);
    }
  }

  /** Like {@link #handle}; a type that is missing may be there in another version. */
  async #recover(error: unknown): Promise<number> {
    const { type, optional = false, client } = this.#options;
    if (!optional || !isNotFound(error)) return this.#handle(error);
    if (this.#type !== type) return this.#read(type);
    const options = { signal: this.#stop.signal, timeoutMs: this.#timing.requestMs };
    try {
      return this.#handleMissing(await otherVersions(client, type, options));
    } catch (failure) {
      return this.#handle(failure);
    }
  }

  /** Reads the type in another version, from the next attempt on; returns the pause until then. */
  #read(type: ResourceType): number {
    this.#type = type;
    this.#version = undefined;
    return 0;
  }

  /**
   * Goes on with a version that may be read. Without other versions, a missing type is empty. With
   * some, its last objects stay in use.
   */
  #handleMissing(versions: readonly string[]): number {
    const { type, versions: readable } = this.#options;
    const { plural, version } = type;
    const next = readable?.find((one) => versions.includes(one));
    if (next !== undefined) return this.#read({ ...type, version: next });
    this.#version = undefined;
    if (versions.length === 0 || readable !== undefined) {
      this.#report(this.#held.replace([]));
      this.#setState({ synced: true, fault: undefined, absent: true });
    } else {
      const fault = `the server has ${plural} as ${versions.join(", ")} and not as ${version}`;
      this.#setState({ synced: true, fault, absent: false });
    }
    this.#resolveSynced();
    return around(this.#timing.absentMs);
  }

  /** Notes a failure; returns the pause until the next attempt, in milliseconds. */
  #handle(error: unknown): number {
    const { type, client } = this.#options;
    if (isExpired(error)) {
      this.#version = undefined;
      log.debug("a resource is listed again", { kind: type.kind, reason: messageOf(error) });
      return this.#nextPause();
    }
    if (isUnreachable(error)) {
      client.renew();
      // A server that was gone may come back with the data of a backup.
      if (error instanceof OrchError && error.code === "orch-unreachable") {
        this.#version = undefined;
      }
    } else if (!(error instanceof OrchError)) {
      // Not an answer of the server, such as a malformed line: begin from the start.
      this.#version = undefined;
    }
    this.#setState({ fault: messageOf(error) });
    return this.#nextPause();
  }

  #nextPause(): number {
    const { firstPauseMs, longestPauseMs } = this.#timing;
    return jittered(
      pauseAfter(++this.#failures, { first: firstPauseMs, longest: longestPauseMs }),
    );
  }

  /** Lists everything, page by page, and reports the differences at once. */
  async #list(): Promise<void> {
    const { client, selection } = this.#options;
    const type = this.#type;
    const options = { signal: this.#stop.signal, timeoutMs: this.#timing.requestMs };
    this.#counts.lists++;
    const items = [];
    let version: string | undefined;
    const pages = listObjects<ListItem>(client, type, selection, options);
    for await (const page of pages) {
      for (const item of page.items) items.push(await inTurns(this.#held.prepare(item)));
      version ??= page.metadata.resourceVersion;
    }
    this.#report(this.#held.replace(items));
    this.#version = version ?? "0";
    this.#check.differentSince = undefined;
    this.#setState({ synced: true, fault: undefined, absent: false });
    this.#resolveSynced();
  }

  /**
   * Asks for the server's version before a watch goes on. One that is older than the own shows a
   * restored backup: the watch would skip its events.
   */
  async #checkVersion(): Promise<void> {
    const { client, selection } = this.#options;
    const { metadata } = await client.json<OrchList<unknown>>({
      path: collectionPath(this.#type, selection?.namespace),
      query: { limit: 1 },
      signal: this.#stop.signal,
      timeoutMs: this.#timing.requestMs,
    });
    if (isOlder(metadata.resourceVersion, this.#version)) this.#version = undefined;
  }

  async #watch(from: string): Promise<void> {
    const { client, selection } = this.#options;
    const { idleMs, watchMs } = this.#timing;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#stop.signal]);
    this.#counts.watches++;
    this.#relist = () => stop.abort(expired("events were lost"));
    try {
      const stream = await client.stream({
        path: collectionPath(this.#type, selection?.namespace),
        query: {
          watch: true,
          resourceVersion: from,
          allowWatchBookmarks: true,
          timeoutSeconds: Math.round(watchMs * (1 + Math.random()) / 1000),
          labelSelector: selection?.labelSelector,
          fieldSelector: selection?.fieldSelector,
        },
        timeoutMs: this.#timing.requestMs,
        signal,
      });
      for await (const events of jsonLines<WatchEvent | WatchError>(stream, { idleMs, signal })) {
        await this.#receive(events);
      }
    } finally {
      stop.abort();
    }
  }

  async #receive(events: readonly (WatchEvent | WatchError)[]): Promise<void> {
    const good: WatchEvent[] = [];
    let failure: WatchError | undefined;
    for (const event of events) {
      if (event.type === "ERROR") {
        failure = event;
        break;
      }
      good.push(event);
    }
    let version = this.#version;
    for (const { object } of good) {
      const next = object.metadata.resourceVersion;
      if (isOlder(next, version)) throw expired("the server's versions went backwards");
      version = next;
    }
    this.#counts.events += good.length;
    this.#failures = 0;
    const prepared = await inTurns(this.#held.prepareEvents(good));
    if (this.#stop.signal.aborted) return;
    this.#report(this.#held.apply(prepared));
    this.#version = version;
    if (failure === undefined) return;
    const { object } = failure;
    const what = `watch of ${this.#options.type.plural}`;
    const body = JSON.stringify(object);
    throw statusError(what, { status: object.code ?? 500, body, retryAfter: null });
  }

  #report(changes: Changes<V>): void {
    if (changes.upserts.length + changes.deletes.length > 0) this.#options.changed(changes);
  }

  #setState(change: Partial<{ synced: boolean; fault: string | undefined; absent: boolean }>) {
    const before = this.#state;
    this.#state = { ...before, ...change };
    const { synced, fault, absent } = this.#state;
    this.#faultSince = fault === undefined ? undefined : this.#faultSince ?? Date.now();
    if (synced === before.synced && fault === before.fault && absent === before.absent) return;
    this.#options.stateChanged?.(this.state());
  }
}

/** True if the first of two resource versions is the smaller number. */
function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined) return false;
  if (!/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return BigInt(version) < BigInt(than);
}

function expired(message: string): OrchError {
  return new OrchError("orch-status", message, { status: 410, reason: "Expired" });
}
