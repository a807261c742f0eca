/**
 * Callers behind a gateway that ends their TLS: the header `x-forwarded-client-cert`, which counts
 * only from addresses that the operator trusts.
 *
 * @module
 */
import { parseSpiffe } from "../../kit/pki/mod.ts";
import { rangeContains } from "../../kit/text/mod.ts";
import type { Caller } from "./caller.ts";
import { AuthnError } from "./error.ts";
import type { Authenticator } from "./request.ts";

/** Largest header, characters. */
const MAX_HEADER = 16 * 1024;

/**
 * Authenticates by the header of a trusted gateway. From other addresses the header is ignored.
 *
 * @param ranges addresses of trusted gateways, CIDR
 */
export function forwardedAuthenticator(ranges: readonly string[]): Authenticator {
  return ({ peer, metadata }) => {
    const header = metadata.get("x-forwarded-client-cert");
    if (header === undefined || !ranges.some((range) => isIn(range, peer))) {
      return Promise.resolve(undefined);
    }
    return Promise.resolve().then(() => read(header));
  };
}

function isIn(range: string, peer: string): boolean {
  const host = peer.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  return rangeContains(range, host);
}

function read(header: string): Caller {
  if (header.length > MAX_HEADER) throw new AuthnError("the forwarded certificate is too long");
  // The adjacent proxy wrote the last element; it received the earlier ones from its client.
  const uris = (elementsOf(header).at(-1) ?? []).filter(({ key }) => key === "uri");
  const ids = uris.map(({ value }) => parseSpiffe(value)).filter((id) => id !== undefined);
  if (ids.length !== 1 || uris.length !== 1) {
    throw new AuthnError("the forwarded certificate does not have one SPIFFE id");
  }
  return { kind: "forwarded", identities: ids };
}

/** A key, in lower case, and its value without quotes. */
interface Pair {
  readonly key: string;
  readonly value: string;
}

/**
 * A key and its value, at a position. Values with separators are in quotes, in which a backslash
 * escapes the next character. What follows the value must end the pair.
 */
const PAIR =
  /[ \t]*([A-Za-z]+)=(?:"((?:[^"\\\p{Cc}]|\\[^\p{Cc}])*)"|([^",;=\\\s\p{Cc}]*))[ \t]*([,;]|$)/uy;

/** Keys that an element may have more than once: names of which a certificate has several. */
const REPEATED: ReadonlySet<string> = new Set(["by", "uri", "dns"]);

/**
 * The elements of a header. A malformed one throws, wherever the fault is: an open quote in what
 * the client sent would hide the element that the gateway appended.
 */
function elementsOf(header: string): Pair[][] {
  const elements: Pair[][] = [];
  let element: Pair[] = [];
  for (let at = 0, end = ""; at < header.length || end !== "";) {
    PAIR.lastIndex = at;
    const match = PAIR.exec(header);
    if (!match) throw new AuthnError(`the forwarded certificate is malformed at character ${at}`);
    const [text, name, quoted, plain] = match;
    const key = name!.toLowerCase();
    if (!REPEATED.has(key) && element.some((other) => other.key === key)) {
      throw new AuthnError(`an element of the forwarded certificate repeats ${key}`);
    }
    element.push({ key, value: quoted?.replace(/\\(.)/gu, "$1") ?? plain! });
    at += text.length;
    end = match[4]!;
    if (end === ";") continue;
    elements.push(element);
    element = [];
  }
  return elements;
}
