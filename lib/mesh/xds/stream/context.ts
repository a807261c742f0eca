/**
 * State of a session, and state that sessions share.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import { type ProxyBinding, type ProxyNode, TYPE_URLS } from "../../model/mod.ts";
import type { RpcCall } from "../../../kit/rpc/mod.ts";
import type { AnsweredQuery } from "../query/mod.ts";
import type { NameTable, SnapshotStore, Subscription } from "../subscription/mod.ts";
import type { Priority } from "../queue/mod.ts";
import type { XdsObserver } from "./observe.ts";
import type { PendingResponse, PushState } from "./plan.ts";
import type { Culprit, Quarantine } from "../quarantine/mod.ts";
import type { Registry } from "./registry.ts";
import type { ResponseEncoder } from "../wire/mod.ts";

/** State that sessions share. */
export interface ServerContext {
  readonly names: NameTable;
  /** Memory of {@link names}, bytes, below which all of them had resources; see `name_limit.ts`. */
  searchNamesAbove: number;
  readonly registry: Registry<Session>;
  /** Revision of the last publication. */
  readonly revision: () => number;
  /** Milliseconds, monotonic, with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Time of the first change of the current publication; by `now`. */
  readonly changedAt: () => number;
  /** The encoder of a type, shared when the type is served. */
  readonly encoder: (
    typeUrl: string,
    variant: "sotw" | "delta",
    served: boolean,
  ) => ResponseEncoder;
  /** Enqueues a session for sending. */
  readonly enqueue: (session: Session) => void;
  /** Resolves when the resources of all bound proxies were computed; see `BindingSource.prepare`. */
  readonly prepared: () => Promise<void> | undefined;
  readonly quarantine: Quarantine;
  /** Stored content of slow clients. */
  readonly snapshots: SnapshotStore;
  /** Configuration objects that a resource comes from. */
  readonly culprits: (view: View, name: string) => readonly Culprit[];
  /** Observer of serving. */
  readonly observer: XdsObserver;
  /**
   * Views of streams before they were rebound, collected until the publication that rebound them is
   * notified.
   */
  readonly rebinds: Map<
    Subscription,
    { readonly session: Session; readonly before: View | undefined }
  >;
  /** Says once that a type is not served. */
  readonly unserved: (session: Session, typeUrl: string) => void;
  readonly limits: {
    /** Names one stream may ask for. */
    readonly maxNames: number;
    /** Bytes of the names and versions of one stream, about. */
    readonly maxNameBytes: number;
    /** Types one stream may ask for. */
    readonly maxTypes: number;
    /** Bytes of resources in one delta response, about. */
    readonly slice: number;
    /** Bytes that may wait in the transport before the session waits too. */
    readonly pending: number;
    /** Idle time on the stream before removals are sent, milliseconds. */
    readonly settleMs: number;
    /** Longest time removals wait, for quiet and for acknowledgements, milliseconds. */
    readonly drainMs: number;
    /** Longest time that what refers to new clusters waits for their endpoints to be taken, milliseconds. */
    readonly warmMs: number;
  };
}

/** A connected proxy's stream. */
export interface Session extends PushState {
  readonly context: ServerContext;
  readonly call: RpcCall;
  readonly node: ProxyNode;
  readonly binding: ProxyBinding;
  /** `<name>.<namespace>-<number>`. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  /** Prefix of all nonces of this stream; unique to the stream. */
  readonly noncePrefix: string;
  /** Removes the session from the count of connected proxies. */
  disconnected: () => void;
  readonly subscriptions: Subscription[];
  /** The latest debug query of each type URL; see `query/answer.ts`. */
  readonly queries: Map<string, AnsweredQuery>;
  nonces: number;
  /**
   * The proxy was bound to another class whose resources may not be computed yet. No push is
   * planned before.
   */
  rebinding: boolean;
  /** Responses that are being sent, and the progress. */
  pendingResponses: PendingResponse[];
  sentResources: number;
  sentRemoved: number;
  /** Start of the running push, by `context.now()`; `undefined` between pushes. */
  pushStart: number | undefined;
  /** Time of the publication that the running push is for, if any. */
  pushFor: number | undefined;
  /** Time since which the session waits for its turn. */
  queuedAt: number | undefined;
  /** Time of the oldest publication without a push. */
  publishedAt: number | undefined;
  /** Time of the last message in either direction; `context.now()`. */
  lastMessageAt: number;
  /** Time since which removals are pending, `context.now()`, and their timer. */
  pendingRemovalsSince: number | undefined;
  drainTimer: ReturnType<typeof setTimeout> | undefined;
  /** Timer that ends the wait for warm clusters. */
  warmTimer: ReturnType<typeof setTimeout> | undefined;
  closed: boolean;
}

/**
 * Reports if a stream is that of a proxy. Others are those of configuration clients, and streams that
 * have asked nothing but debug queries.
 */
export function isProxy({ node, subscriptions, queries }: Session): boolean {
  return node.generator === undefined && (subscriptions.length > 0 || queries.size === 0);
}

/** Input of a session. */
export type SessionInit = Pick<
  Session,
  "context" | "call" | "variant" | "node" | "id" | "noncePrefix"
>;

/** Number of names in a request from which its response counts as bulk. */
const BULK_NAMES = 64;

/**
 * Returns the priority of pending changes. Endpoints of known clusters are small and urgent; the
 * first response of a type, a full response, or the response to many names is bulk.
 */
export function priorityOf({ subscriptions }: Session): Priority {
  let priority: Priority = "urgent";
  for (const { due, started, requestedAll, requestedNames, type } of subscriptions) {
    if (!due) continue;
    if (!started || requestedAll || requestedNames.size >= BULK_NAMES) return "bulk";
    if (type.url !== TYPE_URLS.endpoint) priority = "normal";
  }
  return priority;
}

/** Enqueues a session for sending. */
export function enqueue(session: Session): void {
  session.queuedAt ??= session.context.now();
  session.context.enqueue(session);
}
