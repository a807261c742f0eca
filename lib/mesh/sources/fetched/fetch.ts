/**
 * Fetches a text: with bounds of size, time and redirects, and only from addresses that are allowed
 * when the connection is opened. Each redirect passes the same check.
 *
 * @module
 */
import { checkSuite } from "../../../kit/pki/mod.ts";
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
  /** Milliseconds for the request and all redirects. */
  readonly timeoutMs: number;
  /** Redirects to follow; default: none. */
  readonly redirects?: number;
  /** Do not verify the server's certificate. */
  readonly insecure?: boolean;
  /** PEM of the authorities of the server; default: those of the system. */
  readonly authorities?: string;
  readonly signal: AbortSignal;
}

/** Fetches a JSON text; throws an `Error` with the reason when that fails. */
export async function fetchJson(url: URL, options: FetchOptions): Promise<string> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  let at = url;
  for (let left = options.redirects ?? 0;; left--) {
    const answer = await send(at, { ...options, signal });
    const target = redirectOf(answer, at);
    if (target === undefined) return await read(answer);
    answer.destroy();
    if (left === 0) throw new Error(`the server redirects to ${target.origin}, too many times`);
    if (at.protocol === "https:" && target.protocol !== "https:") {
      throw new Error("the server redirects from https to another scheme");
    }
    at = target;
  }
}

/** Sends a request and waits for the head of the answer. */
function send(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const { admits, insecure = false, authorities, signal } = options;
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(literal) !== 0 && !admits(literal)) {
    return Promise.reject(new Error("its address is not allowed"));
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return Promise.reject(new Error("its address does not begin with https:// or http://"));
  }
  const request = url.protocol === "https:" ? tlsRequest : plainRequest;
  return new Promise((done, fail) => {
    const sent = request(url, {
      lookup: guarded(admits),
      rejectUnauthorized: !insecure,
      ...(authorities === undefined ? {} : { ca: authorities }),
      agent: false,
      headers: { accept: "application/json" },
      signal,
    }, (answer) => {
      try {
        checkSuite(answer.socket);
        done(answer);
      } catch (error) {
        answer.destroy();
        fail(error);
      }
    });
    sent.on("error", fail);
    sent.end();
  });
}

/** Statuses of redirects that keep a GET request (RFC 9110, section 15.4). */
const REDIRECTING = new Set([301, 302, 303, 307, 308]);

/** The address that an answer redirects to; `undefined` if it does not. */
function redirectOf({ statusCode, headers }: IncomingMessage, from: URL): URL | undefined {
  const { location } = headers;
  if (!REDIRECTING.has(statusCode ?? 0) || location === undefined) return undefined;
  return URL.canParse(location, from) ? new URL(location, from) : undefined;
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
