/**
 * A stream of the library as a call of this room.
 *
 * @module
 */
import type { Metadata, ServerDuplexStream } from "@grpc/grpc-js";
import type { Buffer } from "node:buffer";
import type { ServerHttp2Stream } from "node:http2";
import { type RpcCall, type RpcMethod, runMethod } from "../call.ts";
import { type Outbox, outbox } from "../flow.ts";
import type { Visitor } from "../gate.ts";
import type { RpcError } from "../status.ts";

/** A bidirectional stream of the library. Responses are written as the pieces of a message. */
export type LibraryCall = ServerDuplexStream<Buffer, readonly Uint8Array[]>;

/** NGHTTP2_CANCEL, the code that a stream is reset with; RFC 9113 section 7. */
const CANCEL = 8;

/** Runs a handler over a stream, and ends the stream with the outcome. */
export async function serveCall(
  method: RpcMethod,
  stream: LibraryCall,
  visitorOf: (peer: string) => Visitor | undefined,
): Promise<void> {
  const visit = visitOf(visitorOf(peerOf(stream)), method);
  const out = outbox(([_head, ...parts], taken) => {
    stream.write(parts, (error: Error | null | undefined) => {
      if (!error) taken();
    });
  });
  const incoming = reader(stream, visit.requested);
  const gone = Promise.withResolvers<void>();
  const over = () => {
    visit.end();
    out.release();
    incoming.finish();
    gone.resolve();
  };
  stream.once("cancelled", over);
  const error = await runMethod(
    method,
    callOf(stream, { out, incoming, visit, ended: gone.promise, over }),
  );
  if (!stream.cancelled) conclude(stream, error);
  over();
}

/** A call on its connection, as the gate counts it. */
interface Visit {
  requested(): void;
  admit(): void;
  end(): void;
}

/** Counts a call. What a visitor counts once is taken back at the end of the call. */
function visitOf(visitor: Visitor | undefined, { admission = false }: RpcMethod): Visit {
  let isOver = false;
  const counted = new Set<"requested" | "admitted">();
  const count = (what: "requested" | "admitted") => {
    if (isOver || counted.has(what)) return;
    counted.add(what);
    visitor?.[what](1);
  };
  if (!admission) count("admitted");
  return {
    requested: () => count("requested"),
    admit: () => count("admitted"),
    end() {
      isOver = true;
      for (const what of counted) visitor?.[what](-1);
      counted.clear();
    },
  };
}

function callOf(
  stream: LibraryCall,
  { out, incoming, visit, ended, over }: {
    readonly out: Outbox;
    readonly incoming: Reader;
    readonly visit: Visit;
    readonly ended: Promise<void>;
    readonly over: () => void;
  },
): RpcCall {
  return {
    peer: peerOf(stream),
    metadata: textHeaders(stream.metadata),
    messages: incoming,
    ended,
    send: out.send,
    drained: out.drained,
    admit: visit.admit,
    finish: incoming.finish,
    get pending() {
      return out.pending;
    },
    reset() {
      transportOf(stream).close(CANCEL);
      over();
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

function textHeaders(metadata: Metadata): Map<string, string> {
  const entries = Object.entries(metadata.getMap());
  return new Map(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

/** The HTTP/2 stream below. The library has no other way to reset it. */
function transportOf(stream: LibraryCall): ServerHttp2Stream {
  return (stream as unknown as { call: { stream: ServerHttp2Stream } }).call.stream;
}

/** The messages of a stream. */
interface Reader extends AsyncIterable<Uint8Array> {
  /** No more messages; with an error, the reader gets it after those that came. */
  finish(error?: RpcError): void;
}

/**
 * Messages, one at a time: the library is asked for the next one when the reader is. By itself it reads
 * sixteen ahead, each as large as the limit allows.
 */
function reader(stream: LibraryCall, requested: () => void): Reader {
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
    if (message !== null) {
      requested();
      return message;
    }
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
          if (message) yield message;
          else if (!done) await changed.promise;
        }
        if (failure) throw failure;
      } finally {
        done = true;
        stream.off("readable", wake);
      }
    },
  };
}
