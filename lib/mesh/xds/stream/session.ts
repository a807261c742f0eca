/**
 * The state of one stream. Other modules of this folder decide what happens; only the methods here
 * change the state. A part of it with rules of its own is a separate class: the running push
 * (`running_push.ts`), clusters that are warming (`warming.ts`), removals that wait
 * (`removal_wait.ts`), virtual hosts that wait (`answer_wait.ts`), each subscription (`../subscription`).
 *
 * @module
 */
import { type ProxyBinding, type ProxyNode, pushPosition, TYPE_URLS } from "../../model/mod.ts";
import type { RpcCall } from "../../../kit/rpc/mod.ts";
import { AskedQueries } from "../query/mod.ts";
import type { Priority } from "../queue/mod.ts";
import type { Subscription } from "../subscription/mod.ts";
import type { SharedContext } from "./context.ts";
import { AnswerWait } from "./answer_wait.ts";
import { RemovalWait } from "./removal_wait.ts";
import { RunningPush } from "./running_push.ts";
import { Warming } from "./warming.ts";

/** State that all sessions share. */
export type ServerContext = SharedContext<Session>;

/** Input of a session. */
export interface SessionInit {
  readonly context: ServerContext;
  readonly call: RpcCall;
  readonly variant: "sotw" | "delta";
  readonly node: ProxyNode;
  /** `<name>.<namespace>-<number>`. */
  readonly id: string;
  /** Prefix of all nonces of this stream; unique to the stream. */
  readonly noncePrefix: string;
}

/** A connected proxy's stream. */
export class Session {
  readonly context: ServerContext;
  readonly call: RpcCall;
  readonly variant: "sotw" | "delta";
  readonly node: ProxyNode;
  readonly id: string;
  readonly binding: ProxyBinding;
  /** Milliseconds since the epoch. */
  readonly connectedAt: number;
  readonly queries: AskedQueries = new AskedQueries();
  readonly push: RunningPush = new RunningPush();
  readonly warming: Warming = new Warming();
  readonly removals: RemovalWait = new RemovalWait();
  readonly answers: AnswerWait = new AnswerWait();
  readonly #noncePrefix: string;
  #nonces = 0;
  readonly #subscriptions: Subscription[] = [];
  #isRebinding = false;
  #isClosed = false;

  /** `bind` binds the proxy; another class of it is an event of the session. */
  constructor(
    { context, call, variant, node, id, noncePrefix }: SessionInit,
    bind: (session: Session) => ProxyBinding,
  ) {
    this.context = context;
    this.call = call;
    this.variant = variant;
    this.node = node;
    this.id = id;
    this.#noncePrefix = noncePrefix;
    this.connectedAt = context.clock();
    this.binding = bind(this);
  }

  /** In the order of their types. */
  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  /** True: the stream is over. */
  get closed(): boolean {
    return this.#isClosed;
  }

  /**
   * True: the proxy was bound to another class whose resources may not be computed yet. No push is
   * planned before.
   */
  get rebinding(): boolean {
    return this.#isRebinding;
  }

  /** A nonce that no other response has. */
  nextNonce(): string {
    return this.#noncePrefix + (++this.#nonces).toString(36);
  }

  /** The subscription to a type, if there is one. */
  subscriptionOf(typeUrl: string): Subscription | undefined {
    return this.#subscriptions.find(({ type }) => type.url === typeUrl);
  }

  /** Adds a subscription at the place of its type. */
  add(subscription: Subscription): void {
    const after = this.#subscriptions.findIndex((other) =>
      pushPosition(other.type) > pushPosition(subscription.type)
    );
    this.#subscriptions.splice(after < 0 ? this.#subscriptions.length : after, 0, subscription);
  }

  /** Reports if endpoints with a name exist for this stream's proxy. */
  hasEndpoints(name: string): boolean {
    return !!this.binding.view(TYPE_URLS.endpoint)?.get(name);
  }

  /** The proxy was bound to another class. False if it was already and its resources are computed still. */
  beginRebinding(): boolean {
    const begins = !this.#isRebinding;
    this.#isRebinding = true;
    return begins;
  }

  /** The resources of the new class are computed. */
  endRebinding(): void {
    this.#isRebinding = false;
  }

  /** The stream is over. False if it was already. */
  close(): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.removals.stop();
    this.answers.stop();
    this.warming.stop();
    this.push.drop();
    return true;
  }
}

/**
 * Reports if a stream is that of a proxy. Others are those of configuration clients, and streams that
 * have asked nothing but debug queries.
 */
export function isProxy({ node, subscriptions, queries }: Session): boolean {
  return node.generator === undefined && (subscriptions.length > 0 || queries.size === 0);
}

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
  session.push.queued(session.context.now());
  session.context.enqueue(session);
}
