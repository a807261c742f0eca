/**
 * WebSocket connections with the options of the library.
 *
 * @module
 */
import { PassThrough } from "node:stream";
import type { Access } from "../access.ts";
import { libraryConfig } from "./config.ts";
import { loadLibrary } from "./load.ts";

/** Receives what a connection brings. */
export interface Receiver {
  /** False: the connection is to be closed. */
  push(message: Uint8Array): boolean;
  fail(fault: string): void;
  close(): void;
}

/** An open connection of the library. */
export interface LibrarySocket {
  readonly protocol: string;
  isOpen(): boolean;
  /** Bytes that are not sent yet. */
  unsent(): number;
  send(message: Uint8Array): void;
  close(): void;
}

/** Opens a connection; the library offers its own list of subprotocols. */
export async function librarySocket(
  access: Access,
  path: string,
  { receiver, signal }: { readonly receiver: Receiver; readonly signal: AbortSignal },
): Promise<LibrarySocket> {
  const { Exec } = await loadLibrary();
  const config = await libraryConfig(access);
  const { handler } = new Exec(config.config);
  // Streams of its own: at a word of the server, the handler ends its streams, which are those of the process.
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  Object.assign(handler, { streams });
  const connecting = handler.connect(path, null, (channel, data) => {
    const message = new Uint8Array(data.length + 1);
    message[0] = channel;
    message.set(data, 1);
    return receiver.push(message);
  });
  const close = (): void => config.close();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const socket = await Promise.race([connecting, aborted.promise]);
    socket.addEventListener("error", (event: { readonly message: string }) => {
      receiver.fail(event.message);
    });
    socket.addEventListener("close", () => {
      receiver.close();
      close();
    });
    return {
      protocol: socket.protocol,
      isOpen: () => socket.readyState === socket.OPEN,
      unsent: () => socket.bufferedAmount,
      send: (message) => socket.send(message),
      close: () => socket.close(),
    };
  } catch (error) {
    connecting.then((late) => late.close(), () => {}).finally(close);
    throw asError(error);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The library rejects with events. */
function asError(thrown: unknown): unknown {
  if (thrown instanceof Error || thrown instanceof DOMException) return thrown;
  const { error, message } = thrown as { error?: unknown; message?: unknown };
  return error instanceof Error ? error : new Error(String(message ?? thrown));
}
