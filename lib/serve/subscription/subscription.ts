/**
 * What one stream wants of one resource type, what it was sent and what it said to that.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import type { ViewSnapshot } from "./snapshot.ts";
import { type NameSet, nameSet, type NameTable } from "./names.ts";
import type { XdsRequest } from "../wire/request.ts";
import type { ResponseEncoder } from "../wire/response.ts";
import type { XdsType } from "../../model/mod.ts";
import { parentOf } from "./child_names.ts";
import type { HeldVersions } from "../wire/held_versions.ts";

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
  /** What it held, kept until the client acknowledge. */
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
export interface Subscription {
  readonly type: XdsType;
  readonly encoder: ResponseEncoder;
  wildcard: boolean;
  /** Wildcard because the first request was empty; ends (SotW) with the first request that names something. */
  implicit: boolean;
  /** Names asked for, beside the wildcard. */
  readonly names: NameSet;
  /** Delta: the list of the first request, while {@link names} is exactly that. */
  listed: readonly string[] | undefined;

  /** What the proxy is to see. ViewSnapshot up to date by the session. */
  view: View | undefined;
  /** The client holds what it asked for of this view as of {@link at}. */
  held: View | undefined;
  at: number;
  /** The revision of {@link held} that the client holds: {@link at}, or the one it was made at later. */
  heldAt: number;
  /** What that is, kept because the client fell behind: logs need not reach so far. */
  kept: ViewSnapshot | undefined;
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
  /** Of a type of parts: the stream's subscription of the wholes, once there is one. */
  wholes: Subscription | undefined;
  /** Of a type of wholes: the stream's subscription of their parts. */
  parts: Subscription | undefined;
  /** Of a type of wholes: those sent that the client was new to, so that it needs all their parts. */
  readonly fresh: Set<string>;
  /** Of a type of wholes: those that the client was new to and did not accept yet. */
  readonly unacknowledged: Set<string>;
  /** To answer everything. */
  requestedAll: boolean;
  /** SotW: the next request is acknowledge even if it looks like an acknowledgement. */
  respondToNext: boolean;
  /** Something may have to be sent. */
  due: boolean;
  /** Names gone from the view that the client may still refer to, with what stood there (SotW). */
  readonly pendingRemovals: Map<string, Resource | undefined>;
  /** Revision the client stays at, of what is in {@link pendingRemovals}, until it is told. */
  pendingRemovalsFrom: number;
  /** What was published up to this revision was acknowledge; -1 before the first response. */
  settledAt: number;
  /** To be sent again, because something in a response was rejected. */
  readonly probes: {
    readonly resources: readonly Resource[];
    readonly removed: readonly string[];
    readonly origin: Origin | undefined;
  }[];
  /** Responses sent for that since it began; 0 when nothing is looked for. */
  probed: number;
  /** Revision the client stays at, of what is sent again, until it was acknowledge. */
  probeFrom: number;
  /** SotW: the latest responses that others overtook before they were acknowledge. */
  readonly passed: Sent[];

  /** Responses without an answer yet, oldest first. */
  readonly outstanding: Sent[];
  last: Omit<Sent, "resources" | "removed" | "from" | "origin" | "probe"> | undefined;
  acked: { readonly nonce: string; readonly revision: number; readonly time: number } | undefined;
  nack: Nack | undefined;
  /** Takes the mark of the rejection out of the metrics; `undefined` when there is none. */
  unmark: (() => void) | undefined;
}

/** A subscription before its first request. */
export function newSubscription(
  type: XdsType,
  encoder: ResponseEncoder,
  table: NameTable,
): Subscription {
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
    unacknowledged: new Set(),
    requestedAll: false,
    respondToNext: false,
    due: false,
    pendingRemovals: new Map(),
    pendingRemovalsFrom: 0,
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
export function wantsAll({ wildcard, onDemand }: Subscription): boolean {
  return wildcard && !onDemand;
}

/** Whether a name is asked for, itself or as a part of something that is. */
export function wants(subscription: Subscription, name: string): boolean {
  if (subscription.names.has(name)) return true;
  if (subscription.wildcard) return !subscription.onDemand?.(name);
  const whole = subscription.wholes && parentOf(name);
  return whole !== undefined && wants(subscription.wholes!, whole);
}

/** Takes in the subscription of a SotW request: the whole list of names. */
export function subscribeSotw(
  subscription: Subscription,
  request: XdsRequest,
  first: boolean,
): void {
  const { names } = request;
  const empty = names.length === 0;
  if (first) {
    subscription.implicit = empty && subscription.type.wildcard;
    subscription.wildcard = subscription.implicit || names.includes(ALL);
    for (const name of names) if (name !== ALL) subscription.names.add(name);
    subscription.requestedAll = subscription.due = true;
    return;
  }
  if (!(empty && subscription.implicit)) replaceNames(subscription, names);
  if (request.nonce === "" || (!subscription.due && subscription.respondToNext)) {
    subscription.requestedAll = subscription.due = true;
  }
}

/** Takes note of a SotW request that a response overtook. */
export function overtaken(subscription: Subscription, request: XdsRequest): void {
  const wanted = new Set(request.names);
  for (const name of subscription.names) if (!wanted.has(name)) subscription.forgotten.add(name);
}

function replaceNames(subscription: Subscription, names: readonly string[]): void {
  const star = names.includes(ALL);
  if (star && !subscription.wildcard) subscription.requestedAll = subscription.due = true;
  subscription.wildcard = star;
  subscription.implicit = false;
  for (const name of names) {
    if (name === ALL) continue;
    const isNew = subscription.names.add(name);
    if (!isNew && !subscription.forgotten.has(name)) continue;
    subscription.answers.add(name);
    subscription.due = true;
  }
  subscription.forgotten.clear();
  if (subscription.names.size === names.length - (star ? 1 : 0)) return;
  const wanted = new Set(names);
  for (const name of subscription.names) if (!wanted.has(name)) subscription.names.delete(name);
}

/** Shorter lists are not worth sharing. */
const SHARED_LEAST = 32;

/** Takes in the subscription of a delta request: names that come and go. */
export function subscribeDelta(
  subscription: Subscription,
  request: XdsRequest,
  first: boolean,
): void {
  const changes = request.names.length + request.unsubscribe.length > 0;
  if (changes) subscription.listed = undefined;
  if (first) {
    subscription.implicit = request.names.length === 0 && subscription.type.wildcard;
    subscription.wildcard = subscription.implicit;
    subscription.versions = request.versions;
    subscription.due = true;
    if (isPlainList(request)) {
      subscription.names.adopt(request.names);
      subscription.listed = request.names;
      return;
    }
  }
  for (const name of request.names) {
    if (name === ALL) {
      if (!subscription.wildcard && !first) subscription.requestedAll = true;
      subscription.wildcard = true;
    } else {
      subscription.names.add(name);
      if (!first) subscription.answers.add(name);
    }
    subscription.due = true;
  }
  for (const name of request.unsubscribe) {
    if (name === ALL) {
      subscription.wildcard = false;
    } else if (subscription.names.delete(name) && wants(subscription, name)) {
      // Asked for by the wildcard still: the client is told what it is to hold now.
      subscription.answers.add(name);
      subscription.due = true;
    } else {
      subscription.answers.delete(name);
    }
  }
}

function isPlainList({ names, unsubscribe }: XdsRequest): boolean {
  return names.length >= SHARED_LEAST && unsubscribe.length === 0 && !names.includes(ALL);
}

/** What a request says to an earlier response. */
export type AckResult = "none" | "ack" | "nack" | "stale";

/** Takes in the acknowledgement or rejection a request carries. */
export function settle(
  subscription: Subscription,
  request: XdsRequest,
  variant: "sotw" | "delta",
  time: number,
): AckResult {
  const { nonce, error } = request;
  if (nonce === "") return "none";
  const known = subscription.outstanding.findIndex((sent) => sent.nonce === nonce);
  if (known < 0) return nonce === subscription.last?.nonce ? "none" : "stale";
  if (variant === "sotw" && nonce !== subscription.last?.nonce) return "stale";
  const sent = subscription.outstanding[known]!;
  subscription.outstanding.splice(0, known + 1);
  if (!error) {
    subscription.acked = { nonce, revision: sent.revision, time };
    subscription.nack = undefined;
    return "ack";
  }
  const names = sent.resources.map((resource) => resource.name);
  subscription.nack = { nonce, time, code: error.code, message: error.message, names };
  return "nack";
}
