/**
 * Tokens in a request: where a provider finds them, and their parts.
 *
 * @module
 */
import type { JwtProvider } from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import type { Token } from "./call.ts";
import type { Exchange } from "./request.ts";
import { withoutQuery } from "./virtual_host.ts";

/** The parts of a token. */
export interface Parts {
  readonly claims: Readonly<Record<string, unknown>>;
  /** Unset: the question gives claims instead of a token, and the token is signed as it should be. */
  readonly signed?: SignedParts;
  /** Header from which a verified token is removed, in lower case. */
  readonly carrier?: string;
}

/** The signature, and what it is over. */
export interface SignedParts {
  readonly algorithm: string;
  readonly keyId: string;
  readonly text: string;
  readonly signature: Uint8Array;
}

/** A token, or why its text is none. */
export type Presented = Parts | { readonly malformed: string };

/** The tokens of a request that a provider reads, in the order of their places. */
export function presentedTo(
  { fromHeaders, fromParams, fromCookies }: JwtProvider,
  exchange: Exchange,
): Presented[] {
  const byDefault = fromHeaders.length + fromParams.length + fromCookies.length === 0;
  const headers = byDefault ? [{ name: "authorization", valuePrefix: "Bearer " }] : fromHeaders;
  const params = byDefault ? ["access_token"] : fromParams;
  const { token } = exchange.request;
  const given = token !== undefined && isReadAt(token, { headers, params, cookies: fromCookies });
  const query = new URLSearchParams(exchange.path.slice(withoutQuery(exchange.path).length));
  return [
    ...(given && !isRemoved(token, exchange)
      ? [{ claims: token.claims, ...carrierOf(token) }]
      : []),
    ...headers.flatMap(({ name, valuePrefix }): Presented[] => {
      const value = exchange.header(name.toLowerCase());
      if (typeof value !== "string") return [];
      const text = afterPrefix(value, valuePrefix);
      if (text === undefined) return [];
      const read = readToken(text);
      return ["malformed" in read ? read : { ...read, carrier: name.toLowerCase() }];
    }),
    ...params.flatMap((name) => query.getAll(name).slice(0, 1).map(readToken)),
    ...fromCookies.flatMap((name) => cookiesOf(exchange, name).map(readToken)),
  ];
}

function carrierOf({ at }: Token): Pick<Parts, "carrier"> {
  if (at === undefined) return { carrier: "authorization" };
  return at.in === "header" ? { carrier: at.name.toLowerCase() } : {};
}

function isRemoved(token: Token, { removed }: Exchange): boolean {
  const { carrier } = carrierOf(token);
  return carrier !== undefined && removed.has(carrier);
}

/** The places at which a provider looks. */
interface Places {
  readonly headers: readonly { readonly name: string }[];
  readonly params: readonly string[];
  readonly cookies: readonly string[];
}

/** Reports if a provider reads the place of a token that is given by its claims. */
function isReadAt({ at }: Token, { headers, params, cookies }: Places): boolean {
  const inHeader = (wanted: string) => headers.some(({ name }) => name.toLowerCase() === wanted);
  if (at === undefined) return inHeader("authorization");
  switch (at.in) {
    case "header":
      return inHeader(at.name.toLowerCase());
    case "param":
      return params.includes(at.name);
    case "cookie":
      return cookies.includes(at.name);
  }
}

function cookiesOf({ header }: Exchange, wanted: string): string[] {
  return (header("cookie") ?? "").split(";").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 && pair.slice(0, at).trim() === wanted ? [pair.slice(at + 1).trim()] : [];
  }).slice(0, 1);
}

/** The token after the prefix, which may be anywhere in the value; `undefined` without the prefix. */
function afterPrefix(value: string, prefix: string): string | undefined {
  if (prefix === "") return value;
  const at = value.indexOf(prefix);
  if (at < 0) return undefined;
  return /[A-Za-z0-9_.-]+/.exec(value.slice(at + prefix.length))?.[0] ?? value;
}

/** Algorithms that Envoy verifies. */
const ALGORITHM = /^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA)$/;

/** Reads the text of a token. */
export function readToken(text: string): Presented {
  const parts = text.split(".");
  const [head, body, seal] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined || seal === undefined) {
    return { malformed: "the token is not of the form HEADER.PAYLOAD.SIGNATURE" };
  }
  const header = jsonOf(head);
  if (header === undefined) {
    return { malformed: "the token's header is no JSON object in base64url" };
  }
  const { alg, kid = "" } = header;
  if (typeof alg !== "string" || !ALGORITHM.test(alg)) {
    return { malformed: `the token's algorithm ${JSON.stringify(alg ?? null)} is not supported` };
  }
  const claims = jsonOf(body);
  if (claims === undefined) {
    return { malformed: "the token's payload is no JSON object in base64url" };
  }
  const wrong = wrongClaim(claims);
  if (wrong !== undefined) return { malformed: `the token's claim ${wrong} has the wrong type` };
  const signature = bytesOf(seal);
  if (signature === undefined) return { malformed: "the token's signature is no base64url" };
  const signed = { algorithm: alg, keyId: String(kid), text: `${head}.${body}`, signature };
  return { claims, signed };
}

/** Registered claims whose type is checked before anything else. */
function wrongClaim(claims: Readonly<Record<string, unknown>>): string | undefined {
  const isText = (value: unknown) => value === undefined || typeof value === "string";
  const isTime = (value: unknown) => value === undefined || typeof value === "number" && value >= 0;
  for (const name of ["iss", "sub"]) if (!isText(claims[name])) return name;
  for (const name of ["iat", "nbf", "exp"]) if (!isTime(claims[name])) return name;
  const { aud } = claims;
  return isText(aud) || Array.isArray(aud) && aud.every((one) => typeof one === "string")
    ? undefined
    : "aud";
}

function jsonOf(part: string): Record<string, unknown> | undefined {
  const bytes = bytesOf(part);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    return undefined;
  }
}

function bytesOf(part: string): Uint8Array | undefined {
  try {
    return part === "" ? undefined : Uint8Array.fromBase64(part, { alphabet: "base64url" });
  } catch {
    return undefined;
  }
}
