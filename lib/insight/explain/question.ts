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

function requestOf({ method = "GET", headers = [] }: QuestionFields, url: URL): Request | string {
  if (!TOKEN.test(method)) return `method ${JSON.stringify(method)} is no HTTP method`;
  if (headers.length > HEADERS) return `there are more than ${HEADERS} headers`;
  const found: Record<string, string> = {};
  for (const line of headers) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!TOKEN.test(name)) return "a header is not written as NAME: VALUE";
    found[name] = line.slice(colon + 1).trim();
  }
  const { host = url.host, authorization, ...rest } = found;
  const token = authorization === undefined ? undefined : tokenOf(authorization);
  if (typeof token === "string") return token;
  return {
    method: method.toUpperCase(),
    host,
    path: `${url.pathname}${url.search}`,
    headers: { ...rest, ...(authorization === undefined ? {} : { authorization }) },
    ...(token === undefined ? {} : { token }),
  };
}

/** Returns the claims of a bearer token; `undefined` for other credentials. */
function tokenOf(authorization: string): Token | string | undefined {
  const jwt = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
  if (jwt === undefined) return undefined;
  const fault = "the token of the authorization header is no JSON Web Token";
  const payload = jwt.split(".")[1];
  if (payload === undefined) return fault;
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet: "base64url" });
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null && !Array.isArray(claims)
      ? { claims: claims as Record<string, unknown> }
      : fault;
  } catch {
    return fault;
  }
}
