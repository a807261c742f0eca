/**
 * What is known of the connected proxies, for whoever shows it.
 *
 * @module
 */
import type { View } from "../graph/mod.ts";
import type { ProxyNode } from "../model/mod.ts";
import type { Session } from "./hall.ts";
import type { Nack, Watch } from "./watch.ts";

/** How far a type is in a stream. */
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
  /** Names asked for beside the wildcard. */
  readonly names: readonly string[];
  readonly state: SyncState;
  /** The last response; times in milliseconds since the epoch. */
  readonly sent:
    | { readonly nonce: string; readonly revision: number; readonly time: number }
    | undefined;
  readonly acked:
    | { readonly nonce: string; readonly revision: number; readonly time: number }
    | undefined;
  /** The rejection that stands; `undefined` when the last answer was none. */
  readonly nack: Nack | undefined;
  /** What the proxy is to see now; `undefined` when the type is not served to it. */
  readonly view: View | undefined;
}

/** One stream. */
export interface SessionInfo {
  readonly connectionId: string;
  readonly connectedAt: Date;
  /** Of the peer, `ip:port` or `unix`. */
  readonly address: string;
  readonly node: ProxyNode;
  readonly classKey: string;
  readonly variant: "sotw" | "delta";
  readonly types: readonly TypeStatus[];
  /** It does not read what it is sent as fast as that changes; what it holds is kept. */
  readonly behind: boolean;
  /** What the proxy would see of any type, asked for or not. */
  view(typeUrl: string): View | undefined;
}

/** The status of a session now. */
export function sessionInfo(session: Session): SessionInfo {
  return {
    connectionId: session.id,
    connectedAt: new Date(session.connectedAt),
    address: session.call.peer,
    node: session.node,
    classKey: session.binding.classKey,
    variant: session.variant,
    types: session.watches.map(typeStatus),
    behind: session.watches.some(({ kept }) => kept !== undefined),
    view: (typeUrl) => session.binding.view(typeUrl),
  };
}

function typeStatus(watch: Watch): TypeStatus {
  return {
    typeUrl: watch.type.url,
    short: watch.type.short,
    wildcard: watch.wildcard,
    get names() {
      return [...watch.names].sort();
    },
    state: stateOf(watch),
    sent: watch.last,
    acked: watch.acked,
    nack: watch.nack,
    view: watch.view,
  };
}

function stateOf(watch: Watch): SyncState {
  if (watch.nack) return "ERROR";
  // A client that came back with everything it needs was sent nothing, and has it all.
  if (!watch.last) return watch.started && watch.view ? "SYNCED" : "NOT SENT";
  return watch.outstanding.length > 0 || watch.due ? "STALE" : "SYNCED";
}
