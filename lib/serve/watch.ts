/**
 * What one stream wants of one resource type, what it was sent and what it said to that.
 *
 * @module
 */
import type { Resource, View } from "../graph/mod.ts";
import type { Kept } from "./kept.ts";
import { type NameSet, nameSet, type NameTable } from "./names.ts";
import type { XdsRequest } from "./request.ts";
import type { ResponseEncoder } from "./response.ts";
import type { XdsType } from "../model/mod.ts";
import { parentOf } from "./child_names.ts";
import type { HeldVersions } from "./versions.ts";

/** The name that stands for everything. */
const ALL = "*";

/** A response that was sent. */
export interface Sent {
  readonly nonce: string;
  /** Revision of what the client held before it. */
  readonly from: number;
  /** Revision its content was taken at. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** What it held, kept until the client answered. */
  readonly resources: readonly Resource[];
  /** Of atomic types: names it took away. */
  readonly removed: readonly string[];
  /** What its resources were sent for; `undefined` when they are all the client had before. */
  readonly origin: Origin | undefined;
  /** Sent again, to find the reason of a rejection. */
  readonly probe: boolean;
}

/** Why resources are sent: what the client had before, and what it asked for. */
export interface Origin {
  before(name: string): Resource | undefined;
  asked(name: string): boolean;
}

/** A rejection. */
export interface Nack {
  readonly nonce: string;
  readonly time: number;
  /** A gRPC status code. */
  readonly code: number;
  readonly message: string;
  /** Names of the response's resources that were the reason; all of them while that is not known. */
  readonly names: readonly string[];
}

/** State of one type in one stream. */
export interface Watch {
  readonly type: XdsType;
  readonly encoder: ResponseEncoder;
  wildcard: boolean;
  /** Wildcard because the first request was empty; ends (SotW) with the first request that names something. */
  implicit: boolean;
  /** Names asked for, beside the wildcard. */
  readonly names: NameSet;
  /** Delta: the list of the first request, while {@link names} is exactly that. */
  listed: readonly string[] | undefined;

  /** What the proxy is to see. Kept up to date by the session. */
  view: View | undefined;
  /** The client holds what it asked for of this view as of {@link at}. */
  held: View | undefined;
  at: number;
  /** The revision of {@link held} that the client holds: {@link at}, or the one it was made at later. */
  heldAt: number;
  /** What that is, kept because the client fell behind: logs need not reach so far. */
  kept: Kept | undefined;
  /** Whether a first response was made (or found unnecessary). */
  started: boolean;
  /** Delta: what the client had when it connected; dropped with the first response. */
  versions: HeldVersions | undefined;
  /** Names to answer whether or not they changed. */
  readonly answers: Set<string>;
  /**
   * SotW: names that overtaken requests left out. Those requests do not count, but the client has
   * forgotten the names: asked for again, they are new to it.
   */
  readonly forgotten: Set<string>;
  /** Resources that the wildcard does not stand for; `undefined`: none. */
  onDemand: ((name: string) => boolean) | undefined;
  /** Of a type of parts: the stream's watch of the wholes, once there is one. */
  wholes: Watch | undefined;
  /** Of a type of wholes: the stream's watch of their parts. */
  parts: Watch | undefined;
  /** Of a type of wholes: those sent that the client was new to, so that it needs all their parts. */
  readonly fresh: Set<string>;
  /** Of a type of wholes: those that the client was new to and did not accept yet. */
  readonly unproven: Set<string>;
  /** To answer everything. */
  answerAll: boolean;
  /** SotW: the next request is answered even if it looks like an acknowledgement. */
  answerNext: boolean;
  /** Something may have to be sent. */
  due: boolean;
  /** Names gone from the view that the client may still refer to, with what stood there (SotW). */
  readonly doomed: Map<string, Resource | undefined>;
  /** Revision the client stays at, of what is in {@link doomed}, until it is told. */
  doomedFrom: number;
  /** What was published up to this revision was answered; -1 before the first response. */
  settledAt: number;
  /** To be sent again, because something in a response was rejected. */
  readonly probes: {
    readonly resources: readonly Resource[];
    readonly removed: readonly string[];
    readonly origin: Origin | undefined;
  }[];
  /** Responses sent for that since it began; 0 when nothing is looked for. */
  probed: number;
  /** Revision the client stays at, of what is sent again, until it was answered. */
  probeFrom: number;
  /** SotW: the latest responses that others overtook before they were answered. */
  readonly passed: Sent[];

  /** Responses without an answer yet, oldest first. */
  readonly outstanding: Sent[];
  last: Omit<Sent, "resources" | "removed" | "from" | "origin" | "probe"> | undefined;
  acked: { readonly nonce: string; readonly revision: number; readonly time: number } | undefined;
  nack: Nack | undefined;
  /** Takes the mark of the rejection out of the metrics; `undefined` when there is none. */
  unmark: (() => void) | undefined;
}

/** A watch before its first request. */
export function newWatch(
  type: XdsType,
  encoder: ResponseEncoder,
  table: NameTable,
): Watch {
  return {
    type,
    encoder,
    wildcard: false,
    implicit: false,
    names: nameSet(table),
    listed: undefined,
    view: undefined,
    held: undefined,
    at: 0,
    heldAt: 0,
    kept: undefined,
    started: false,
    versions: undefined,
    answers: new Set(),
    forgotten: new Set(),
    onDemand: undefined,
    wholes: undefined,
    parts: undefined,
    fresh: new Set(),
    unproven: new Set(),
    answerAll: false,
    answerNext: false,
    due: false,
    doomed: new Map(),
    doomedFrom: 0,
    settledAt: -1,
    probes: [],
    probed: 0,
    probeFrom: 0,
    passed: [],
    outstanding: [],
    last: undefined,
    acked: undefined,
    nack: undefined,
    unmark: undefined,
  };
}

/** Whether everything is asked for. */
export function wantsAll({ wildcard, onDemand }: Watch): boolean {
  return wildcard && !onDemand;
}

/** Whether a name is asked for, itself or as a part of something that is. */
export function wants(watch: Watch, name: string): boolean {
  if (watch.names.has(name)) return true;
  if (watch.wildcard) return !watch.onDemand?.(name);
  const whole = watch.wholes && parentOf(name);
  return whole !== undefined && wants(watch.wholes!, whole);
}

/** Takes in the subscription of a SotW request: the whole list of names. */
export function subscribeSotw(watch: Watch, request: XdsRequest, first: boolean): void {
  const { names } = request;
  const empty = names.length === 0;
  if (first) {
    watch.implicit = empty && watch.type.wildcard;
    watch.wildcard = watch.implicit || names.includes(ALL);
    for (const name of names) if (name !== ALL) watch.names.add(name);
    watch.answerAll = watch.due = true;
    return;
  }
  if (!(empty && watch.implicit)) replaceNames(watch, names);
  if (request.nonce === "" || (!watch.due && watch.answerNext)) watch.answerAll = watch.due = true;
}

/** Takes note of a SotW request that a response overtook. */
export function overtaken(watch: Watch, request: XdsRequest): void {
  const wanted = new Set(request.names);
  for (const name of watch.names) if (!wanted.has(name)) watch.forgotten.add(name);
}

function replaceNames(watch: Watch, names: readonly string[]): void {
  const star = names.includes(ALL);
  if (star && !watch.wildcard) watch.answerAll = watch.due = true;
  watch.wildcard = star;
  watch.implicit = false;
  for (const name of names) {
    if (name === ALL) continue;
    const isNew = watch.names.add(name);
    if (!isNew && !watch.forgotten.has(name)) continue;
    watch.answers.add(name);
    watch.due = true;
  }
  watch.forgotten.clear();
  if (watch.names.size === names.length - (star ? 1 : 0)) return;
  const wanted = new Set(names);
  for (const name of watch.names) if (!wanted.has(name)) watch.names.delete(name);
}

/** Shorter lists are not worth sharing. */
const SHARED_LEAST = 32;

/** Takes in the subscription of a delta request: names that come and go. */
export function subscribeDelta(watch: Watch, request: XdsRequest, first: boolean): void {
  const changes = request.names.length + request.unsubscribe.length > 0;
  if (changes) watch.listed = undefined;
  if (first) {
    watch.implicit = request.names.length === 0 && watch.type.wildcard;
    watch.wildcard = watch.implicit;
    watch.versions = request.versions;
    watch.due = true;
    if (isPlainList(request)) {
      watch.names.adopt(request.names);
      watch.listed = request.names;
      return;
    }
  }
  for (const name of request.names) {
    if (name === ALL) {
      if (!watch.wildcard && !first) watch.answerAll = true;
      watch.wildcard = true;
    } else {
      watch.names.add(name);
      if (!first) watch.answers.add(name);
    }
    watch.due = true;
  }
  for (const name of request.unsubscribe) {
    if (name === ALL) {
      watch.wildcard = false;
    } else if (watch.names.delete(name) && wants(watch, name)) {
      // Asked for by the wildcard still: the client is told what it is to hold now.
      watch.answers.add(name);
      watch.due = true;
    } else {
      watch.answers.delete(name);
    }
  }
}

function isPlainList({ names, unsubscribe }: XdsRequest): boolean {
  return names.length >= SHARED_LEAST && unsubscribe.length === 0 && !names.includes(ALL);
}

/** What a request says to an earlier response. */
export type Verdict = "none" | "ack" | "nack" | "stale";

/** Takes in the acknowledgement or rejection a request carries. */
export function settle(
  watch: Watch,
  request: XdsRequest,
  variant: "sotw" | "delta",
  time: number,
): Verdict {
  const { nonce, error } = request;
  if (nonce === "") return "none";
  const known = watch.outstanding.findIndex((sent) => sent.nonce === nonce);
  if (known < 0) return nonce === watch.last?.nonce ? "none" : "stale";
  if (variant === "sotw" && nonce !== watch.last?.nonce) return "stale";
  const sent = watch.outstanding[known]!;
  watch.outstanding.splice(0, known + 1);
  if (!error) {
    watch.acked = { nonce, revision: sent.revision, time };
    watch.nack = undefined;
    return "ack";
  }
  const names = sent.resources.map((resource) => resource.name);
  watch.nack = { nonce, time, code: error.code, message: error.message, names };
  return "nack";
}
