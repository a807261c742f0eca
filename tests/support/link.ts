/**
 * A discovery stream in memory: both ends of it, without a connection. The transport can be made to
 * hold back what the server sends, as for a client that does not read.
 *
 * @module
 */
import { byteLength, type Outgoing, type RpcCall } from "../../lib/kit/rpc/mod.ts";

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
  const transport = new Transport();
  const ended = Promise.withResolvers<void>();
  const finish = () => {
    over = true;
    transport.release();
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
        const whole = joined(message);
        fromServer.push(whole);
        return transport.send(whole.byteLength);
      },
      drained: () => transport.drained(),
      get pending() {
        return transport.pending;
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
      transport.held = on;
      if (!on) transport.release();
    },
  };
}

/** Counts the bytes that the server sent while the transport let none through. */
class Transport {
  held = false;
  pending = 0;
  #waiting: (() => void)[] = [];

  /** Returns false when the bytes are kept back. */
  send(bytes: number): boolean {
    if (this.held) this.pending += bytes;
    return !this.held;
  }

  drained(): Promise<void> {
    if (this.pending === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    this.pending = 0;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }
}

function joined(message: Outgoing): Uint8Array {
  const whole = new Uint8Array(byteLength(message));
  let at = 0;
  for (const part of message instanceof Uint8Array ? [message] : message) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
