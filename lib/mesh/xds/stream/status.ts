/**
 * State of connected proxies, for pages and commands.
 *
 * @module
 */
import type { View } from "../../graph/mod.ts";
import type { ProxyNode } from "../../model/mod.ts";
import type { Session } from "./session.ts";
import type { Nack, Subscription } from "../subscription/mod.ts";

/** Progress of a type in a stream. */
export type SyncState =
  /** Everything sent was accepted. */
  | "SYNCED"
  /** Sent, not answered yet. */
  | "STALE"
  /** Nothing was sent. */
  | "NOT SENT"
  /** The last answer was a rejection. */
  | "ERROR";

/** One type of one stream. */
export interface TypeStatus {
  readonly typeUrl: string;
  /** `cds`, `eds`, `lds`, `rds` or `other`. */
  readonly short: string;
  readonly wildcard: boolean;
  /** Subscribed names in addition to the wildcard. */
  readonly names: readonly string[];
  readonly state: SyncState;
  /** The last response; times in milliseconds since the epoch. */
  readonly sent:
    | { readonly nonce: string; readonly revision: number; readonly time: number }
    | undefined;
  readonly acked:
    | { readonly nonce: string; readonly revision: number; readonly time: number }
    | undefined;
  /** The current rejection; `undefined` if the last answer was none. */
  readonly nack: Nack | undefined;
  /** The proxy's current view; `undefined` if the type is not served to it. */
  readonly view: View | undefined;
}

/** One stream. */
export interface SessionInfo {
  readonly connectionId: string;
  readonly connectedAt: Date;
  /** Address of the peer, `ip:port` or `unix`. */
  readonly address: string;
  readonly node: ProxyNode;
  readonly classKey: string;
  readonly variant: "sotw" | "delta";
  readonly types: readonly TypeStatus[];
  /** True: the client reads more slowly than its resources change; its content is stored. */
  readonly behind: boolean;
  /** Returns the proxy's view of any type, subscribed or not. */
  view(typeUrl: string): View | undefined;
}

/** The status of a session now. Its types are described when they are first read. */
export function sessionInfo(session: Session): SessionInfo {
  let types: readonly TypeStatus[] | undefined;
  return {
    connectionId: session.id,
    connectedAt: new Date(session.connectedAt),
    address: session.call.peer,
    node: session.node,
    classKey: session.binding.classKey,
    variant: session.variant,
    get types() {
      return types ??= session.subscriptions.map(typeStatus);
    },
    get behind() {
      return session.subscriptions.some(({ snapshot }) => snapshot !== undefined);
    },
    view: (typeUrl) => session.binding.view(typeUrl),
  };
}

function typeStatus(subscription: Subscription): TypeStatus {
  return {
    typeUrl: subscription.type.url,
    short: subscription.type.short,
    wildcard: subscription.wildcard,
    get names() {
      return [...subscription.names].sort();
    },
    state: stateOf(subscription),
    sent: subscription.last,
    acked: subscription.acked,
    nack: subscription.nack,
    view: subscription.view,
  };
}

function stateOf(subscription: Subscription): SyncState {
  if (subscription.nack) return "ERROR";
  // A reconnected client that had everything was sent nothing and is in sync.
  if (!subscription.last) return subscription.started && subscription.view ? "SYNCED" : "NOT SENT";
  return subscription.outstanding.length > 0 || subscription.due ? "STALE" : "SYNCED";
}
