/**
 * Callers behind a gateway that ends their TLS: the header `x-forwarded-client-cert`, which counts
 * only from addresses that the operator trusts.
 *
 * @module
 */
import { parseSpiffe } from "../pki/mod.ts";
import { rangeContains } from "../text/mod.ts";
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
  const last = elements(header, ",").at(-1) ?? "";
  const uris = elements(last, ";").flatMap((pair) => {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim().toLowerCase() !== "uri") return [];
    return [pair.slice(at + 1).trim().replace(/^"(.*)"$/, "$1")];
  });
  const ids = uris.map(parseSpiffe).filter((id) => id !== undefined);
  if (ids.length !== 1 || uris.length !== 1) {
    throw new AuthnError("the forwarded certificate does not have one SPIFFE id");
  }
  return { kind: "forwarded", identities: ids };
}

/** Parts between separators that are outside of quotes. */
function elements(text: string, separator: string): string[] {
  const parts: string[] = [];
  let part = "";
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\" && isQuoted) part += char + (text[++i] ?? "");
    else if (char === separator && !isQuoted) {
      parts.push(part);
      part = "";
    } else {
      if (char === '"') isQuoted = !isQuoted;
      part += char;
    }
  }
  return [...parts, part];
}
