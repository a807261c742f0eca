/**
 * The fields of a subscription. Only the modules of this folder change them; all others see the
 * readonly type of `subscription.ts`.
 *
 * @module
 */
import type { Resource, View } from "../../graph/mod.ts";
import type { OnDemand, XdsType } from "../../model/mod.ts";
import type { HeldVersions, ResponseEncoder } from "../wire/mod.ts";
import { AskedNames } from "./asked_names.ts";
import { type NameSet, nameSet, type NameTable } from "./names.ts";
import type { ViewSnapshot } from "./snapshot.ts";
import type { AnswerState, ContentState, RemovalState, SearchState } from "./states.ts";

/** A response that was sent. */
export interface Sent {
  readonly nonce: string;
  /** Revision of the content that the client had before it. */
  readonly from: number;
  /** Revision of its content. */
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Its resources, stored until the client answers. */
  readonly resources: readonly Resource[];
  /** Names that it removes; only of atomic types. */
  readonly removed: readonly string[];
  /** Why its resources were sent; `undefined` if the client had all of them before. */
  readonly origin: Origin | undefined;
  /** True: it was sent to find rejected resources. */
  readonly probe: boolean;
}

/** Why resources are sent: the client's previous state, and its requests. */
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
  /** Names of the rejected resources; all names of the response while that is not known. */
  readonly names: readonly string[];
}

/** A response that is to be sent to find rejected resources. */
export interface Trial {
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  readonly origin: Origin | undefined;
}

/** The state of one resource type in one stream. */
export interface SubscriptionState {
  readonly type: XdsType;
  readonly encoder: ResponseEncoder;

  /** The client subscribes to all resources. */
  wildcard: boolean;
  /** The wildcard comes from an empty first request. In SotW it ends with the first request that has names. */
  implicit: boolean;
  /** Subscribed names in addition to the wildcard. */
  readonly names: NameSet;
  /** Names of resources that were found by {@link names} of types with further names, and are sent as they are. */
  readonly found: NameSet;
  /** Found resources that the client no longer subscribes to, until the removal is sent. */
  readonly lost: Set<string>;
  /** Names whose resources a client without the wildcard is sent unasked. */
  unasked: readonly string[];
  /** Delta, until the first response: the list of the first request, while {@link names} is exactly that list. */
  listed: readonly string[] | undefined;
  /** Resources that are sent to clients that name them; `undefined`: there are none. */
  onDemand: OnDemand | undefined;
  /** Names that the client may not ask for, because it asked for too many. */
  readonly refused: Set<string>;
  /**
   * SotW: names that superseded requests omitted. Those requests are ignored, but the client has
   * dropped the resources, so they are sent again when it subscribes to the names again.
   */
  readonly forgotten: Set<string>;

  /** For a type with parents: the stream's subscription to the parents. */
  parents: SubscriptionState | undefined;
  /** For a type with children: the stream's subscription to the children. */
  children: SubscriptionState | undefined;
  /**
   * For a type with children: sent resources that are new to the client, so it needs all their
   * children.
   */
  readonly newParents: Set<string>;
  /** For a type with children: resources that are new to the client and not yet accepted. */
  readonly unacknowledged: Set<string>;

  content: ContentState;
  /** True: a response was planned; derived from {@link content}. */
  started: boolean;
  /** True: something may have to be sent; derived from {@link content}. */
  due: boolean;
  /** Names to be sent even if their resources did not change. */
  readonly requestedNames: AskedNames;
  /** All resources are to be sent even if they did not change. */
  requestedAll: boolean;
  /** SotW: the next request gets a response even if it looks like an acknowledgement. */
  respondToNext: boolean;

  /** The resources that the client is to have. */
  view: View | undefined;
  /** The view that the client has, as of revision {@link at}. */
  held: View | undefined;
  at: number;
  /** The revision of {@link held} to compare with: {@link at}, or a later one in which the view was made. */
  heldAt: number;
  /**
   * The content of {@link held}, stored because the client is slow and the logs may not go back far
   * enough.
   */
  snapshot: ViewSnapshot | undefined;
  /** Delta: the versions that the client had when it connected; dropped with the first response. */
  versions: HeldVersions | undefined;

  answer: AnswerState;
  /** Responses without an answer, oldest first. */
  readonly outstanding: Sent[];
  /** SotW: the latest responses that others superseded before they were answered. */
  readonly superseded: Sent[];
  last: { readonly nonce: string; readonly revision: number; readonly time: number } | undefined;
  acked: { readonly nonce: string; readonly revision: number; readonly time: number } | undefined;
  /** The current rejection. */
  nack: Nack | undefined;
  /** Removes the rejection from the metrics; `undefined` if it is not counted. */
  unmark: (() => void) | undefined;
  /** All publications up to this revision were answered; -1 before the first response. */
  settledAt: number;

  removal: RemovalState;
  /** Names that left the view and that the client may still refer to, with their resources (SotW). */
  readonly pendingRemovals: Map<string, Resource | undefined>;
  /** Revision that the client has of {@link pendingRemovals}. */
  pendingRemovalsFrom: number;

  search: SearchState;
  /** Responses that wait to be sent for the search. */
  readonly trials: Trial[];
  /** Responses sent since the search began. */
  probed: number;
  /** Revision that the client has of the resources that are searched. */
  probeFrom: number;
}

/** The state before the first request. */
export function initialState(
  type: XdsType,
  encoder: ResponseEncoder,
  table: NameTable,
): SubscriptionState {
  return {
    type,
    encoder,
    wildcard: false,
    implicit: false,
    names: nameSet(table),
    found: nameSet(table),
    lost: new Set(),
    unasked: [],
    listed: undefined,
    onDemand: undefined,
    refused: new Set(),
    forgotten: new Set(),
    parents: undefined,
    children: undefined,
    newParents: new Set(),
    unacknowledged: new Set(),
    content: "initial",
    started: false,
    due: true,
    requestedNames: new AskedNames(),
    requestedAll: false,
    respondToNext: false,
    view: undefined,
    held: undefined,
    at: 0,
    heldAt: 0,
    snapshot: undefined,
    versions: undefined,
    answer: "none",
    outstanding: [],
    superseded: [],
    last: undefined,
    acked: undefined,
    nack: undefined,
    unmark: undefined,
    settledAt: -1,
    removal: "none",
    pendingRemovals: new Map(),
    pendingRemovalsFrom: 0,
    search: "idle",
    trials: [],
    probed: 0,
    probeFrom: 0,
  };
}
