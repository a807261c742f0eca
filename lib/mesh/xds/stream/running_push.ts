/**
 * The push of one stream: the responses that are being sent with their progress, and the times that
 * metrics tell.
 *
 * @module
 */
import type { Resource } from "../../graph/mod.ts";
import { slicesOf } from "../wire/mod.ts";
import type { PendingResponse } from "./pending_response.ts";

/** A part of a response that is sent at once. */
export interface Slice {
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** True: nothing of the response is left. */
  readonly last: boolean;
}

/** Times of a push that was sent. */
export interface PushTimes {
  readonly startedAt: number;
  /** Time of the publication that it was for, if any. */
  readonly publishedAt: number | undefined;
}

/** The push of one stream. All times are those of `ServerContext.now`. */
export class RunningPush {
  #responses: readonly PendingResponse[] = [];
  /** Slices and removed names of the first response that were sent. */
  #sentSlices = 0;
  #sentRemoved = 0;
  #startedAt: number | undefined;
  #publishedFor: number | undefined;
  #queuedAt: number | undefined;
  #publishedAt: number | undefined;

  /** Responses that are being sent, the next one first. */
  get responses(): readonly PendingResponse[] {
    return this.#responses;
  }

  /** Start of the push that is being sent; `undefined` between pushes. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  /** The stream waits for its turn, from now on or still. */
  queued(now: number): void {
    this.#queuedAt ??= now;
  }

  /** A publication concerns the stream. The time of the oldest one without a push counts. */
  published(time: number): void {
    this.#publishedAt ??= time;
  }

  /**
   * It is the turn of the stream: the next push is for all publications until now.
   *
   * @returns milliseconds that the stream waited; `undefined` if it was not queued
   */
  begin(now: number): number | undefined {
    const queuedAt = this.#queuedAt;
    this.#queuedAt = undefined;
    this.#publishedFor = this.#publishedAt;
    this.#publishedAt = undefined;
    return queuedAt === undefined ? undefined : now - queuedAt;
  }

  /** The publication is not sent completely with this push. */
  postpone(): void {
    this.#publishedAt = this.#publishedFor;
    this.#publishedFor = undefined;
  }

  /** The responses were planned. */
  planned(responses: readonly PendingResponse[], now: number): void {
    this.#responses = responses;
    if (responses.length > 0) this.#startedAt = now;
  }

  /**
   * Takes the next part of the first response.
   *
   * @param limit bytes that fit into it; it has one resource at least
   */
  takeSlice(limit: number): Slice {
    const { subscription, resources, removed } = this.#responses[0]!;
    const { encoder } = subscription;
    const slices = slicesOf(resources, limit, encoder.size);
    const slice = slices[this.#sentSlices] ?? [];
    if (this.#sentSlices < slices.length) this.#sentSlices++;
    const complete = this.#sentSlices === slices.length;
    const fromRemoved = this.#sentRemoved;
    let toRemoved = fromRemoved;
    if (complete && fromRemoved < removed.length) {
      let size = slice.reduce((sum, resource) => sum + encoder.size(resource), 0);
      while (toRemoved < removed.length && size < limit) size += removed[toRemoved++]!.length + 4;
    }
    this.#sentRemoved = toRemoved;
    return {
      resources: slice,
      removed: removed.slice(fromRemoved, toRemoved),
      last: complete && toRemoved === removed.length,
    };
  }

  /** The first response was sent completely. */
  responseSent(): void {
    this.#responses = this.#responses.slice(1);
    this.#sentSlices = this.#sentRemoved = 0;
  }

  /** The transport has taken all of the push. `undefined` if there was none. */
  finish(): PushTimes | undefined {
    const startedAt = this.#startedAt;
    if (startedAt === undefined) return undefined;
    const publishedAt = this.#publishedFor;
    this.#startedAt = this.#publishedFor = undefined;
    return { startedAt, publishedAt };
  }

  /** The stream is over: nothing is sent any more. */
  drop(): void {
    this.#responses = [];
    this.#sentSlices = this.#sentRemoved = 0;
  }
}
