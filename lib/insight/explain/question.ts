/**
 * The question of an explanation: a proxy and a request.
 *
 * @module
 */
import type { Request, Token } from "../simulate/mod.ts";

/** The fields of a question as a user writes them. */
export interface QuestionFields {
  /** The proxy that the request passes first, `NAME.NAMESPACE`. */
  readonly from: string;
  /** `http://`, `https://` or `tcp://`, with host, port and path. */
  readonly url: string;
  /** Default: `GET`. */
  readonly method?: string;
  /** Headers, `name: value`. */
  readonly headers?: readonly string[];
  /** Address of the client of a gateway. */
  readonly client?: string;
  /** Claims of a bearer token that its issuer has signed, as a JSON object. */
  readonly claims?: string;
}

/** A parsed question. */
export interface Question {
  readonly from: string;
  readonly scheme: "http" | "https" | "tcp";
  /** Name or address without port and brackets. */
  readonly host: string;
  readonly port: number;
  /** Unset for `tcp`. */
  readonly request?: Request;
  readonly client?: string;
}

const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };
/** Maximum number of headers. */
const HEADERS = 100;
/** Names and methods: the characters of a token in RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Parses a question; returns the error as a sentence. */
export function parseQuestion(fields: QuestionFields): Question | string {
  const url = URL.parse(fields.url);
  if (url === null) {
    return `url ${JSON.stringify(fields.url)} is no URL; write it as http://HOST:PORT/PATH`;
  }
  const scheme = url.protocol.slice(0, -1);
  if (scheme !== "http" && scheme !== "https" && scheme !== "tcp") {
    return `url has the scheme ${scheme}; use http, https or tcp`;
  }
  const port = url.port === "" ? PORTS[url.protocol] : Number(url.port);
  if (port === undefined) return "url has no port; write it as tcp://HOST:PORT";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "") return "url has no host; write it as http://HOST:PORT/PATH";
  const common = {
    ...{ from: fields.from, scheme, host, port } as const,
    ...(fields.client === undefined || fields.client === "" ? {} : { client: fields.client }),
  };
  if (scheme === "tcp") return common;
  const request = requestOf(fields, url);
  return typeof request === "string" ? request : { ...common, request };
}

function requestOf(fields: QuestionFields, url: URL): Request | string {
  const { method = "GET", headers = [], claims } = fields;
  if (!TOKEN.test(method)) return `method ${JSON.stringify(method)} is no HTTP method`;
  if (headers.length > HEADERS) return `there are more than ${HEADERS} headers`;
  const found: Record<string, string> = {};
  for (const line of headers) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!TOKEN.test(name)) return "a header is not written as NAME: VALUE";
    const value = line.slice(colon + 1).trim();
    if (found[name] !== undefined && (name === "host" || name === "authorization")) {
      return `there are two headers ${name}, of which a request has one`;
    }
    found[name] = found[name] === undefined ? value : `${found[name]},${value}`;
  }
  const { host = url.host, ...rest } = found;
  const token = claims === undefined || claims === "" ? undefined : tokenOf(claims);
  if (typeof token === "string") return token;
  if (token !== undefined && rest.authorization !== undefined) {
    return "claims and a header authorization are two credentials, of which a request has one";
  }
  return {
    method: method.toUpperCase(),
    host,
    path: `${url.pathname}${url.search}`,
    headers: rest,
    ...(token === undefined ? {} : { token }),
  };
}

function tokenOf(text: string): Token | string {
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims === "object" && claims !== null && !Array.isArray(claims)) {
      return { claims: claims as Record<string, unknown> };
    }
  } catch {
    // Said below.
  }
  return "the claims of the token are no JSON object";
}
