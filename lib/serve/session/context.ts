/**
 * What a session is, and what sessions share.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import { type ProxyBinding, type ProxyNode, TYPE_URLS } from "../../model/mod.ts";
import type { RpcCall } from "../../rpc/mod.ts";
import type { SnapshotStore } from "../subscription/snapshot.ts";
import type { Priority } from "../push/priority_queue.ts";
import type { NameTable } from "../subscription/names.ts";
import type { XdsObserver } from "./observe.ts";
import type { PendingResponse, PushState } from "../push/plan.ts";
import type { Culprit, Quarantine } from "../quarantine/types.ts";
import type { Registry } from "./registry.ts";
import type { ResponseEncoder } from "../wire/response.ts";
import type { Subscription } from "../subscription/subscription.ts";

/** What sessions share. */
export interface ServerContext {
  readonly names: NameTable;
  readonly registry: Registry<Session>;
  /** Revision of the last publication. */
  readonly revision: () => number;
  /** Milliseconds, monotonic, with fractions. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** When that came in which is published now; by `now`. */
  readonly changedAt: () => number;
  /** The encoder of a type, shared when the type is served. */
  readonly encoder: (
    typeUrl: string,
    variant: "sotw" | "delta",
    served: boolean,
  ) => ResponseEncoder;
  /** Asks for a turn to send. */
  readonly enqueue: (session: Session) => void;
  /** Resolves when the resources of all bound proxies were computed; see `BindingSource.prepare`. */
  readonly prepared: () => Promise<void> | undefined;
  readonly quarantine: Quarantine;
  /** What clients hold who fell behind. */
  readonly snapshots: SnapshotStore;
  /** Configuration objects that a resource comes from. */
  readonly culprits: (view: View, name: string) => readonly Culprit[];
  /** Who subscriptions. */
  readonly observer: XdsObserver;
  /** What streams saw before they moved, gathered until the publication that moved them is told. */
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
    /** Quiet time on the stream before removals go out, milliseconds. */
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
  /** Begin of all nonces of this stream; no other stream has it. */
  readonly noncePrefix: string;
  /** Takes the session out of the count of connected proxies. */
  disconnected: () => void;
  readonly subscriptions: Subscription[];
  /** Characters of names that were new to the server when this stream asked for them. */
  newNames: number;
  nonces: number;
  /** The proxy was bound to another class whose resources may not be computed yet. No push is planned before they are. */
  rebinding: boolean;
  /** What is being sent, and how far it got. */
  pendingResponses: PendingResponse[];
  sentResources: number;
  sentRemoved: number;
  /** When the running push began, by `context.now()`; `undefined` between pushes. */
  pushStart: number | undefined;
  /** When the publication came that the running push is about, if it is about one. */
  pushFor: number | undefined;
  /** When the session last began to wait for its turn. */
  queuedAt: number | undefined;
  /** When the oldest publication came that no push was begun for. */
  publishedAt: number | undefined;
  /** When the last message went by, in either direction; `context.now()`. */
  lastMessageAt: number;
  /** Since when removals wait, `context.now()`, and what looks after them. */
  pendingRemovalsSince: number | undefined;
  drainTimer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for new clusters to become warm. */
  warmTimer: ReturnType<typeof setTimeout> | undefined;
  closed: boolean;
}

/** What a session is opened with. */
export type SessionInit = Pick<
  Session,
  "context" | "call" | "variant" | "node" | "id" | "noncePrefix"
>;

/** Names asked for at once from which on an answer counts as bulk. */
const BULK_NAMES = 64;

/**
 * How what is due to a client waits. Endpoints of those it has are small, and go first; the first
 * response of a type, all of a type again, or the answer to many names is bulk.
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

/** Asks for a turn to send. */
export function enqueue(session: Session): void {
  session.queuedAt ??= session.context.now();
  session.context.enqueue(session);
}
