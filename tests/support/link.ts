/**
 * A discovery stream in memory: both ends of it, without a connection. The transport can be made to
 * hold back what the server sends, as for a client that does not read.
 *
 * @module
 */
import { byteLength, type RpcCall } from "../../lib/rpc/mod.ts";

/** A stream. */
export interface Link {
  readonly call: RpcCall;
  /** Messages of the server, oldest first. */
  readonly fromServer: Uint8Array[];
  toServer(bytes: Uint8Array): void;
  hangUp(): void;
  /** Holds messages of the server back, or lets them through. */
  hold(on: boolean): void;
}

/** Opens a stream; `peer` is the client's address. */
export function link(peer = "memory"): Link {
  const toServer: Uint8Array[] = [];
  const fromServer: Uint8Array[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  let held = false;
  let pending = 0;
  let drained: (() => void)[] = [];
  const ended = Promise.withResolvers<void>();
  const release = () => {
    pending = 0;
    for (const resolve of drained) resolve();
    drained = [];
  };
  const finish = () => {
    over = true;
    release();
    wake?.();
    ended.resolve();
  };
  async function* messages(): AsyncGenerator<Uint8Array> {
    while (true) {
      const next = toServer.shift();
      if (next) yield next;
      else if (over) return;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  }
  return {
    call: {
      peer,
      admit() {},
      metadata: new Map(),
      messages: messages(),
      ended: ended.promise,
      send(message) {
        const parts = message instanceof Uint8Array ? [message] : message;
        const whole = new Uint8Array(byteLength(message));
        let at = 0;
        for (const part of parts) {
          whole.set(part, at);
          at += part.byteLength;
        }
        fromServer.push(whole);
        if (held) pending += whole.byteLength;
        return !held;
      },
      drained: () =>
        pending === 0 ? Promise.resolve() : new Promise((resolve) => drained.push(resolve)),
      get pending() {
        return pending;
      },
      finish,
      reset: finish,
    },
    fromServer,
    toServer(bytes) {
      toServer.push(bytes);
      wake?.();
    },
    hangUp: finish,
    hold(on) {
      held = on;
      if (!on) release();
    },
  };
}
