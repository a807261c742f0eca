/**
 * Fetches a text: with bounds of size and time, without redirects, and only from addresses that are
 * allowed when the connection is opened.
 *
 * @module
 */
import { lookup as resolve } from "node:dns";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Admits } from "./addresses.ts";

/** Keys and bundles are a few kilobytes; more is an accident or an attack. */
const MAX_BYTES = 1024 * 1024;

/** Settings of a fetch. */
export interface FetchOptions {
  readonly admits: Admits;
  readonly timeoutMs: number;
  /** Do not verify the server's certificate. */
  readonly insecure?: boolean;
  /** PEM of the authorities of the server; default: those of the system. */
  readonly authorities?: string;
  readonly signal: AbortSignal;
}

/** Fetches a JSON text; throws an `Error` with the reason when that fails. */
export function fetchJson(url: URL, options: FetchOptions): Promise<string> {
  const { admits, timeoutMs, insecure = false, authorities, signal } = options;
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) !== 0 && !admits(literal)) {
    return Promise.reject(new Error("its address is not allowed"));
  }
  const request = url.protocol === "https:" ? tlsRequest : plainRequest;
  return new Promise((done, fail) => {
    const sent = request(url, {
      lookup: guarded(admits),
      rejectUnauthorized: !insecure,
      ...(authorities === undefined ? {} : { ca: authorities }),
      agent: false,
      headers: { accept: "application/json" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }, (answer) => read(answer).then(done, fail));
    sent.on("error", fail);
    sent.end();
  });
}

/** Looks up names and returns only allowed addresses, so that the checked address is the one connected to. */
function guarded(admits: Admits): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const open = found.filter(({ address }) => admits(address));
      const [first] = open;
      if (first === undefined) return callback(new Error("its address is not allowed"), []);
      if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

async function read(answer: IncomingMessage): Promise<string> {
  if (answer.statusCode !== 200) {
    answer.resume();
    throw new Error(`the server answered with status ${answer.statusCode}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      answer.destroy();
      throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(
    await new Blob(chunks as BlobPart[]).bytes(),
  );
}
