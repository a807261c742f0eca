/**
 * A stream of the library as a call of this room.
 *
 * @module
 */
import type { Metadata, ServerDuplexStream } from "@grpc/grpc-js";
import type { Buffer } from "node:buffer";
import type { ServerHttp2Stream } from "node:http2";
import { freeBuffer } from "../../base/mod.ts";
import { lendBuffer } from "../buffer_pool.ts";
import { type RpcCall, type RpcMethod, runMethod } from "../call.ts";
import { type Outbox, outbox } from "../flow.ts";
import { MESSAGE_HEAD } from "../message.ts";
import { RpcError } from "../status.ts";
import type { FilteredSocket } from "./filtered_socket.ts";

/** A bidirectional stream of the library. Responses are written as the pieces of a message. */
export type LibraryCall = ServerDuplexStream<Buffer, readonly Uint8Array[]>;

/** Codes that streams are reset with, RFC 9113 section 7. */
const CODE = { refused: 7, cancel: 8 };
/** Time in which the first message of a stream has to come before it is admitted, ms. */
const FIRST_MESSAGE_MS = 30_000;

/** Runs a handler over a stream, and ends the stream with the outcome. */
export async function serveCall(method: RpcMethod, stream: LibraryCall): Promise<void> {
  const transport = transportOf(stream);
  const filtered = filteredSocketOf(transport);
  // The connection may have ended since the stream was opened.
  if (!filtered || transport.id === undefined) return;
  if (method.admission && filtered.ledger.isFull) {
    filtered.refused("unadmitted-streams");
    transport.close(CODE.refused);
    return;
  }
  const { out, incoming, life } = open(method, stream, { filtered, id: transport.id });
  const { certificates, secure } = filtered;
  const call = callOf(stream, { out, incoming, life, certificates, secure });
  const error = await runMethod(method, call);
  if (!stream.cancelled) conclude(stream, error);
  life.over();
}

/** Both sides of a stream, and its life. */
interface Parts {
  readonly out: Outbox;
  readonly incoming: Reader;
  readonly life: {
    readonly ended: Promise<void>;
    readonly over: () => void;
    readonly admit: () => void;
  };
}

function open(
  { admission = false }: RpcMethod,
  stream: LibraryCall,
  { filtered, id }: { readonly filtered: FilteredSocket; readonly id: number },
): Parts {
  const { ledger } = filtered;
  const out = outbox(([_head, ...parts], taken) => {
    stream.write(parts, (error: Error | null | undefined) => {
      if (!error) taken();
    });
  });
  const incoming = reader(stream, (message) => {
    clearTimeout(timer);
    releaseParts(stream);
    lendMessage(message);
    ledger.read(id, MESSAGE_HEAD + message.length);
  });
  const gone = Promise.withResolvers<void>();
  const late = () => {
    filtered.refused("no-request");
    incoming.finish(new RpcError("DEADLINE_EXCEEDED", "no message came in time"));
  };
  const timer = admission ? setTimeout(late, FIRST_MESSAGE_MS) : undefined;
  const admit = () => ledger.admit(id);
  if (!admission) admit();
  const over = () => {
    clearTimeout(timer);
    out.release();
    incoming.finish();
    gone.resolve();
  };
  stream.once("cancelled", over);
  return { out, incoming, life: { ended: gone.promise, over, admit } };
}

function callOf(
  stream: LibraryCall,
  { out, incoming, life, certificates, secure }: Parts & Pick<RpcCall, "certificates" | "secure">,
): RpcCall {
  return {
    peer: peerOf(stream),
    certificates,
    secure,
    metadata: textHeaders(stream.metadata),
    messages: incoming,
    ended: life.ended,
    send: out.send,
    drained: out.drained,
    admit: life.admit,
    finish: incoming.finish,
    get pending() {
      return out.pending;
    },
    reset() {
      transportOf(stream).close(CODE.cancel);
      life.over();
    },
  };
}

/** Ends a stream behind what was written. */
function conclude(stream: LibraryCall, error: RpcError | undefined): void {
  if (error) stream.emit("error", { code: error.code, details: error.details.toWellFormed() });
  else stream.end();
}

/** Address of the client, as in {@link RpcCall.peer}. The library says `unknown` of a Unix socket. */
function peerOf(stream: LibraryCall): string {
  const peer = stream.getPeer();
  return peer === "unknown" ? "unix" : peer.replace(/^::ffff:(?=\d+\.)/, "");
}

/** Request headers that are text, see {@link RpcCall.metadata}. */
function textHeaders(metadata: Metadata): Map<string, string> {
  const headers = new Map<string, string>();
  for (const name of Object.keys(metadata.getMap())) {
    if (!name.endsWith("-bin")) headers.set(name, metadata.get(name).join(","));
  }
  return headers;
}

/** The HTTP/2 stream below. The library has no other way to reset it. */
function transportOf(stream: LibraryCall): ServerHttp2Stream {
  return (stream as unknown as { call: { stream: ServerHttp2Stream } }).call.stream;
}

/** The state of the library's decoder between two messages. */
const NO_DATA = 0;

/**
 * Frees the parts of the last message, which the library's decoder of a stream keeps until the next
 * message begins.
 */
function releaseParts(stream: LibraryCall): void {
  const { decoder } = (stream as unknown as {
    call: { decoder: { readState: number; readPartialMessage: Uint8Array[] } };
  }).call;
  if (decoder.readState !== NO_DATA) return;
  for (const part of decoder.readPartialMessage) freeBuffer(part);
  decoder.readPartialMessage = [];
}

/** Least length of a message in memory of its own, which the reader may recycle, bytes. */
const LEAST_OWN = 16 * 1024;

/** Lets the reader recycle the memory of a message, which the library puts together with its head. */
function lendMessage(message: Uint8Array): void {
  const isOwn = message.byteOffset === MESSAGE_HEAD &&
    message.buffer.byteLength === MESSAGE_HEAD + message.length;
  if (isOwn && message.length >= LEAST_OWN) lendBuffer(message);
}

/** The connection below that; `undefined` when it is over. */
function filteredSocketOf({ session }: ServerHttp2Stream): FilteredSocket | undefined {
  return (session?.socket as unknown as { filtered: FilteredSocket } | undefined)?.filtered;
}

/** The messages of a stream. */
interface Reader extends AsyncIterable<Uint8Array> {
  /** No more messages; with an error, the reader gets it after those that came. */
  finish(error?: RpcError): void;
}

/**
 * Messages, one at a time: the library reads the next one when the reader does. By default it reads
 * sixteen ahead, each up to the size limit.
 */
function reader(stream: LibraryCall, taken: (message: Uint8Array) => void): Reader {
  const readMore = stream._read.bind(stream);
  let wanted = false;
  /** The library would read, and was not let. */
  let ready = false;
  let done = false;
  let failure: RpcError | undefined;
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  stream._read = (size) => {
    ready = !wanted;
    if (!wanted) return;
    wanted = false;
    readMore(size);
  };
  const finish = (error?: RpcError) => {
    if (done) return;
    done = true;
    failure = error;
    wake();
  };
  stream.on("readable", wake);
  stream.once("end", () => finish());
  const next = (): Uint8Array | null => {
    changed = Promise.withResolvers();
    const message: Uint8Array | null = stream.read();
    if (message !== null) return message;
    wanted = true;
    if (ready) stream._read(1);
    return null;
  };
  return {
    finish,
    async *[Symbol.asyncIterator]() {
      try {
        while (!done || stream.readableLength > 0) {
          const message = next();
          if (message) {
            taken(message);
            yield message;
          } else if (!done) await changed.promise;
        }
        if (failure) throw failure;
      } finally {
        done = true;
        stream.off("readable", wake);
      }
    },
  };
}
