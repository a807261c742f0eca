/**
 * One GET request over HTTP/2 on a separate connection.
 *
 * @module
 */
import { createConnection, type Headers, type SocketLike } from "./h2/mod.ts";

/** A GET request. */
export interface H2Request {
  /** A connected socket, whose protocol was agreed to be `h2`. It is closed with the answer. */
  readonly socket: SocketLike;
  /** Pseudo headers first; names in lower case. */
  readonly headers: Headers;
  /** Bytes of the body that are read; the rest of the answer is not waited for. */
  readonly maxBody: number;
}

/** The start of an answer. */
export interface H2Answer {
  readonly status: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Credit of the server: more than the part of a body that callers read. */
const WINDOW = 64 * 1024;

/** Sends the request. Rejects if the connection or the stream ends without an answer. */
export function getOverH2({ socket, headers, maxBody }: H2Request): Promise<H2Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<H2Answer>();
  const body = new Uint8Array(maxBody);
  let size = 0;
  let status = 0;
  const done = () => resolve({ status, body: body.slice(0, size) });
  const connection = createConnection({
    role: "client",
    socket,
    maxStreams: 0,
    window: WINDOW,
    closed: (error) => reject(error ?? new Error("the connection ended without an answer")),
  });
  const stream = connection.open(headers, {
    headers(fields, end) {
      const code = Number(fields.find(([name]) => name === ":status")?.[1]);
      // Informational answers come before the final one; trailers have no status.
      if (status === 0 && code >= 200) status = code;
      if (end) done();
    },
    data(bytes, end) {
      const part = bytes.subarray(0, maxBody - size);
      body.set(part, size);
      size += part.byteLength;
      if (end || size === maxBody) done();
    },
    aborted: (code, error) => reject(error ?? new Error(`the server ended the request: ${code}`)),
  });
  stream.end();
  return promise.finally(() => connection.destroy());
}
