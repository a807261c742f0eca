/**
 * The time and the key set of the issuer, which decide about a token beside its claims.
 *
 * @module
 */
import type { JwtProvider } from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import { formatDuration } from "../../kit/base/mod.ts";
import type { Journey } from "./journey.ts";
import type { Parts, SignedParts } from "./token.ts";

/** A fault of a token, or what is not known about it. */
export interface Fact {
  /** False: it is not known if the token has the fault. */
  readonly known: boolean;
  readonly why: string;
  /** An action that makes it known. */
  readonly remedy?: string;
}

/** The tolerance of Envoy's `clock_skew_seconds`, s. */
const SKEW_S = 60;
/** The clocks of proxies may differ from the one of the question by so much, s. */
const CLOCKS_S = 5;

/** Returns why a token is not valid at this time; `undefined`: it is. */
export function timeFault(
  { clockSkewSeconds }: JwtProvider,
  { claims: { exp, nbf } }: Parts,
  now: number | undefined,
): Fact | undefined {
  if (exp === undefined && nbf === undefined) return undefined;
  if (now === undefined) return { known: false, why: "the time, which the token limits" };
  const skew = clockSkewSeconds || SKEW_S;
  const seconds = Math.floor(now / 1000);
  const ends = typeof exp === "number" && exp > 0 ? exp + skew : Infinity;
  const begins = typeof nbf === "number" ? nbf - skew : -Infinity;
  if (Math.min(Math.abs(seconds - ends), Math.abs(seconds - begins)) <= CLOCKS_S) {
    return {
      known: false,
      why: `the token's validity changes within ${CLOCKS_S} s of now, and clocks differ`,
      remedy: "Ask again in a few seconds.",
    };
  }
  const tolerated = `${skew} s are tolerated`;
  if (seconds > ends) {
    const late = formatDuration((seconds - Number(exp)) * 1000);
    return { known: true, why: `the token expired ${late} ago (${tolerated})` };
  }
  if (seconds < begins) {
    const early = formatDuration((Number(nbf) - seconds) * 1000);
    return { known: true, why: `the token is valid in ${early} only (${tolerated})` };
  }
  return undefined;
}

type KeySet = readonly Readonly<Record<string, unknown>>[];

/** Returns why the signature of a token is refused; `undefined`: a key of the issuer has made it. */
export function signatureFault(
  provider: JwtProvider,
  { signed }: Parts,
  journey: Journey,
): Fact | undefined {
  if (signed === undefined) return undefined;
  const keys = keysOf(provider, journey);
  if ("known" in keys) return keys;
  const issuer = provider.issuer === "" ? "the issuer" : provider.issuer;
  if (keys.set === undefined) {
    return { known: true, why: `the key set of ${issuer} cannot be read` };
  }
  const hasSigned = journey.call.keys?.hasSigned;
  if (hasSigned === undefined) {
    return { known: false, why: "the token's signature, which is not checked here" };
  }
  const { algorithm, text, signature } = signed;
  const madeBy = (key: Readonly<Record<string, unknown>>): boolean =>
    isFor(key, signed) && hasSigned({ algorithm, key, signed: text, signature });
  if (keys.set.some(madeBy)) return undefined;
  const count = keys.set.length === 1 ? "the one key" : `none of the ${keys.set.length} keys`;
  const verb = keys.set.length === 1 ? "has not" : "has";
  return { known: true, why: `${count} of ${issuer} ${verb} signed the token` };
}

function isFor(key: Readonly<Record<string, unknown>>, { keyId, algorithm }: SignedParts): boolean {
  const { kid = "", alg = "" } = key;
  return (kid === "" || keyId === "" || kid === keyId) && (alg === "" || alg === algorithm);
}

function keysOf(
  { issuer, jwksSourceSpecifier: source }: JwtProvider,
  { call: { keys }, resources }: Journey,
): { readonly set: KeySet | undefined } | Fact {
  const local = source.case === "localJwks" ? source.value.specifier : undefined;
  if (local?.case === "inlineString") return { set: parseKeys(local.value) };
  if (keys?.text !== undefined) return { set: parseKeys(keys.text) };
  const name = issuer === "" ? "an issuer" : issuer;
  if (source.case !== "remoteJwks") {
    return { known: false, why: `the key set of ${name} is in a file of the proxy`, remedy: GIVE };
  }
  const { uri = "", httpUpstreamType: to } = source.value.httpUri ?? {};
  const known = keys?.setAt?.(uri);
  if (known !== undefined) return { set: parseKeys(known) };
  const cluster = to?.case === "cluster" ? resources.cluster(to.value) : undefined;
  const isStatic = cluster === undefined ||
    cluster.loadAssignment === undefined && cluster.edsClusterConfig === undefined;
  if (isStatic && keys?.fetched !== false) {
    return { known: true, why: `the key set of ${name} is not known to the mesh` };
  }
  const where = isStatic ? "the daemon fetches" : `the proxy fetches from ${uri}`;
  return {
    known: false,
    why: `the token's signature is not checked: ${where} the key set of ${name}`.trim(),
    remedy: GIVE,
  };
}

const GIVE = "Give the key set with --jwks FILE, or let --fetch-jwks fetch it (with --config-dir).";

function parseKeys(text: string): KeySet | undefined {
  try {
    const { keys } = JSON.parse(text) as { readonly keys?: unknown };
    return Array.isArray(keys)
      ? keys.filter((one): one is KeySet[number] => typeof one === "object" && one !== null)
      : undefined;
  } catch {
    return undefined;
  }
}
