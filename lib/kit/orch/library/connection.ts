/**
 * Connections with the options of the library.
 *
 * @module
 */
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest, type RequestOptions } from "node:https";
import { Readable } from "node:stream";
import type { Access } from "../access.ts";
import type { Connection, Sent } from "../sending.ts";
import { libraryConfig } from "./config.ts";

/** Statuses whose answers have no body. */
const EMPTY: readonly number[] = [204, 205, 304];

/** Connects with the client library: for what the platform's `fetch` does not have. */
export async function libraryConnection(access: Access): Promise<Connection> {
  const config = await libraryConfig(access);
  return {
    send: async (url, sent) => {
      const options = await config.options();
      await sent.guard?.();
      return await send(url, sent, options);
    },
    close: () => config.close(),
  };
}

function send(url: string, sent: Sent, options: RequestOptions): Promise<Response> {
  const { method, body, signal } = sent;
  const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
  const headers = {
    ...Object.fromEntries(sent.headers),
    ...options.headers as object,
    ...bytes !== undefined && { "content-length": bytes.length },
  };
  const request = url.startsWith("http:") ? plainRequest : tlsRequest;
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const outgoing = request(url, { ...options, method, headers, signal }, (message) => {
    resolve(responseOf(message));
  });
  outgoing.on("error", reject);
  outgoing.end(bytes);
  return promise;
}

function responseOf(message: IncomingMessage): Response {
  const status = message.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (EMPTY.includes(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const body = Readable.toWeb(message) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
  return new Response(body, { status, headers });
}
