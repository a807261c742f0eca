/**
 * The rules for header fields of requests, responses and trailers, RFC 9113 section 8.
 *
 * @module
 */
import type { Headers } from "./hpack.ts";

/** The kind of a header block. */
export type BlockKind = "request" | "response" | "trailers";

/** Pseudo-headers by the kind of block. */
const PSEUDO: Readonly<Record<BlockKind, ReadonlySet<string>>> = {
  request: new Set([":method", ":scheme", ":path", ":authority"]),
  response: new Set([":status"]),
  trailers: new Set(),
};

/** Fields of HTTP/1.1 connections, section 8.2.2. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** A name: visible ASCII without upper case and without separators, section 8.2.1 and RFC 9110 section 5.6.2. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
const BAD_VALUE = /[\0\r\n]|^[ \t]|[ \t]$/;

/** The rule that a header block breaks; `undefined` when it is well-formed. */
export function ruleBroken(headers: Headers, kind: BlockKind): string | undefined {
  const seen = new Map<string, string>();
  let isRegular = false;
  for (const [name, value] of headers) {
    if (BAD_VALUE.test(value)) return "a header value has characters that are not allowed";
    if (!name.startsWith(":")) {
      isRegular = true;
      const broken = regularRule(name, value);
      if (broken) return broken;
      continue;
    }
    if (isRegular) return "a pseudo-header follows a header";
    if (!PSEUDO[kind].has(name)) return "a pseudo-header is not allowed here";
    if (seen.has(name)) return "a pseudo-header comes twice";
    seen.set(name, value);
  }
  if (kind === "request") return requestRule(seen);
  if (kind === "response" && !/^\d{3}$/.test(seen.get(":status") ?? "")) {
    return "there is no status";
  }
  return undefined;
}

function regularRule(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return "a header name has characters that are not allowed";
  if (OF_CONNECTIONS.has(name)) return "a header is for HTTP/1.1 connections";
  if (name === "te" && value !== "trailers") return "the header te is not trailers";
  if (name === "content-length" && !/^\d{1,15}$/.test(value)) return "content-length is no number";
  return undefined;
}

function requestRule(pseudo: ReadonlyMap<string, string>): string | undefined {
  if (!pseudo.get(":method")) return "there is no method";
  if (pseudo.get(":method") === "CONNECT") {
    return pseudo.has(":path") || pseudo.has(":scheme")
      ? "CONNECT has no path and scheme"
      : undefined;
  }
  if (!pseudo.get(":scheme")) return "there is no scheme";
  if (!pseudo.get(":path")) return "there is no path";
  return undefined;
}

/** The length that a block announces for the content behind it. */
export function contentLength(headers: Headers): number | undefined {
  for (const [name, value] of headers) if (name === "content-length") return Number(value);
  return undefined;
}
