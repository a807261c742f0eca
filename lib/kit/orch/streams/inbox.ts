/**
 * Messages of a WebSocket that were received and not read yet.
 *
 * @module
 */
import { OrchError } from "../error.ts";

/** Received bytes that no reader has taken; a reader that is this far behind is stuck. */
const MAX_UNREAD = 256 * 1024 * 1024;

/** Collects messages from the moment a connection is made, so that none is lost. */
export interface Inbox {
  /** False: no more is taken, the connection is to be closed. */
  push(message: Uint8Array): boolean;
  /** The connection broke; its end follows. */
  fail(fault: string): void;
  /** No more messages come. */
  close(): void;
  /** Nobody reads any more. */
  end(): void;
  /** Ends with the connection, throws when it broke. */
  messages(): AsyncIterableIterator<Uint8Array>;
}

/** An empty inbox. */
export function createInbox(): Inbox {
  const queue: Uint8Array[] = [];
  let unread = 0;
  let ended = false;
  let fault: string | undefined;
  let wake = Promise.withResolvers<void>();
  const notify = (): void => {
    wake.resolve();
    wake = Promise.withResolvers();
  };
  return {
    push: (message) => {
      if (ended) return false;
      queue.push(message);
      unread += message.length;
      if (unread > MAX_UNREAD) [ended, fault] = [true, "the received data is not read"];
      notify();
      return !ended;
    },
    fail: (text) => fault ??= text,
    close: () => {
      ended = true;
      notify();
    },
    end: () => {
      ended = true;
      queue.length = 0;
      fault = undefined;
      notify();
    },
    async *messages() {
      for (;;) {
        const next = queue.shift();
        if (next !== undefined) {
          unread -= next.length;
          yield next;
        } else if (ended) {
          if (fault === undefined) return;
          throw new OrchError("orch-unreachable", `the stream broke: ${fault}`, {
            status: 0,
            reason: "Broken",
          });
        } else await wake.promise;
      }
    },
  };
}
