/**
 * Bounds on connections whose TLS handshake is not complete. The same bounds hold again after it, and
 * the runtime does not close a connection whose handshake times out.
 *
 * @module
 */
import type { Socket } from "node:net";
import { createGate, type GateLimits, type Visitor } from "./gate.ts";

/** Time in which a client has to finish its TLS handshake, ms. */
export const HANDSHAKE_MS = 10_000;

/** Connections under handshake. */
export interface Handshakes {
  /** A connection was accepted; one beyond the bounds is closed. */
  begin(peer: string, socket: Socket): void;
  /** The handshake of a connection is complete. */
  finish(peer: string): void;
  /** Closes all that are left. */
  close(): void;
}

/** Tracks handshakes within the bounds of connections before admission. */
export function trackHandshakes(limits: GateLimits): Handshakes {
  const gate = createGate({ ...limits, requestMs: Math.min(HANDSHAKE_MS, limits.requestMs) });
  const pending = new Map<string, { readonly visitor: Visitor; readonly socket: Socket }>();
  const finish = (peer: string) => {
    pending.get(peer)?.visitor.left();
    pending.delete(peer);
  };
  return {
    begin(peer, socket) {
      const visitor = gate.enter(peer, () => socket.destroy());
      if (!visitor) return void socket.destroy();
      pending.set(peer, { visitor, socket });
      socket.once("close", () => finish(peer));
    },
    finish,
    close() {
      gate.close();
      for (const { socket } of pending.values()) socket.destroy();
    },
  };
}
