/**
 * Tokens of callers: JSON Web Tokens (RFC 7519) that an issuer signed.
 *
 * @module
 */
import { compliantFetch } from "../../kit/pki/mod.ts";
import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
} from "jose";
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { AuthnError } from "./error.ts";
import { MAX_TOKEN, serviceAccountOf } from "./service_account.ts";
import type { TokenVerifier } from "./token.ts";

/** The rule for tokens of callers. */
export interface JwtRule {
  readonly issuer: string;
  /** Accepted audiences; one of them is enough. */
  readonly audiences: readonly string[];
  /** Address of the issuer's keys; `undefined`: from the issuer's OpenID configuration. */
  readonly jwksUri: string | undefined;
}

/** Options of the verification of tokens. */
export interface JwtOptions {
  readonly rule: JwtRule;
  /** Trust domain of identities that tokens give. */
  readonly trustDomain: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Fetches keys. Default: `fetch`, under the policy of the environment. */
  readonly fetch?: typeof fetch;
  /** Time that fetched keys are used, ms. Default: 20 minutes. */
  readonly cacheMs?: number;
}

/** Largest key set and OpenID configuration, characters. */
const MAX_DOCUMENT = 1024 * 1024;
/** Time for a fetch, ms. */
const FETCH_MS = 5000;
/** Pause after a token named an unknown key until keys are fetched again, ms. */
const COOLDOWN_MS = 30_000;
/** Clocks may differ by so much, s. */
const TOLERANCE_S = 10;
const CACHE_MS = 20 * 60_000;
/**
 * Signatures by a private key. Tokens without a signature, and with one by a shared secret (which
 * would take the public key for the secret), are not among them.
 */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "EdDSA",
];

/**
 * Reads `JWT_RULE`: JSON with `issuer`, `audiences` and `jwksUri` (also as `jwks_uri`).
 *
 * @throws MeshError `jwt-rule`
 */
export function readJwtRule(text: string): JwtRule {
  const invalid = (why: string) =>
    new MeshError("jwt-rule", `JWT_RULE: ${why}`, {
      remedy: 'Write it like {"issuer":"https://issuer","jwksUri":"https://issuer/keys",' +
        '"audiences":["mesh-ca"]}.',
    });
  let rule: unknown;
  try {
    rule = JSON.parse(text);
  } catch {
    throw invalid("it is not JSON");
  }
  if (typeof rule !== "object" || rule === null) throw invalid("it is not an object");
  const { issuer, audiences = [], jwksUri, jwks_uri } = rule as Record<string, unknown>;
  if (typeof issuer !== "string" || issuer === "") throw invalid("issuer is missing");
  if (!Array.isArray(audiences) || !audiences.every((a) => typeof a === "string")) {
    throw invalid("audiences is not a list of strings");
  }
  const uri = jwksUri ?? jwks_uri;
  if (uri !== undefined && !isWebAddress(uri)) throw invalid("jwksUri is not an http address");
  if (uri === undefined && !isWebAddress(issuer)) {
    throw invalid("jwksUri is missing, and issuer is not an http address to find it from");
  }
  return { issuer, audiences, jwksUri: uri as string | undefined };
}

/** Makes a verifier. Keys are fetched with the first token, and kept. */
export function jwtVerifier(options: JwtOptions): TokenVerifier {
  const { rule, trustDomain, clock } = options;
  const keys = keySource(options);
  return async (token) => {
    if (token.length > MAX_TOKEN) {
      throw new AuthnError(`a token longer than ${MAX_TOKEN} characters`);
    }
    checkHeader(token);
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, await keys(), {
        algorithms: ALGORITHMS,
        issuer: rule.issuer,
        ...rule.audiences.length > 0 && { audience: [...rule.audiences] },
        requiredClaims: ["exp", "sub"],
        clockTolerance: TOLERANCE_S,
        currentDate: new Date(clock()),
      }));
    } catch (error) {
      throw new AuthnError(`the token is refused: ${messageOf(error)}`);
    }
    const account = serviceAccountOf(payload.sub ?? "");
    if (account === undefined) throw new AuthnError("the token's subject is not a service account");
    return { trustDomain, ...account };
  };
}

/** Refuses tokens by their header before keys are fetched for them. */
function checkHeader(token: string): void {
  let algorithm: string | undefined;
  try {
    algorithm = decodeProtectedHeader(token).alg;
  } catch {
    throw new AuthnError("the token is malformed");
  }
  if (algorithm === undefined || !ALGORITHMS.includes(algorithm)) {
    throw new AuthnError("the token's signature algorithm is not accepted");
  }
}

/** Gives the key set, whose address is found once. A failure is not remembered. */
function keySource(options: JwtOptions): () => Promise<ReturnType<typeof createRemoteJWKSet>> {
  const { rule: { jwksUri, issuer } } = options;
  let found: Promise<string> | undefined;
  let set: ReturnType<typeof createRemoteJWKSet> | undefined;
  return async () => {
    if (set) return set;
    found ??= jwksUri === undefined
      ? discover(issuer, options.fetch ?? compliantFetch)
      : Promise.resolve(jwksUri);
    try {
      set = createRemoteJWKSet(new URL(await found), {
        timeoutDuration: FETCH_MS,
        cooldownDuration: COOLDOWN_MS,
        cacheMaxAge: options.cacheMs ?? CACHE_MS,
        [customFetch]: bounded(options.fetch ?? compliantFetch),
      });
      return set;
    } catch (error) {
      found = undefined;
      throw error;
    }
  };
}

/** The address of the keys by OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, get: typeof fetch): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const answer = await bounded(get)(address, { signal: AbortSignal.timeout(FETCH_MS) });
  const { jwks_uri: uri, issuer: named } = await answer.json();
  if (named !== issuer) throw new AuthnError(`${address} is of another issuer`);
  if (!isWebAddress(uri)) throw new AuthnError(`${address} has no jwks_uri`);
  return uri;
}

/** A fetch that reads documents of a bounded size, and follows no redirects. */
function bounded(get: typeof fetch): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const answer = await get(url, { ...init, redirect: "error" });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of answer.body ?? []) {
      size += chunk.length;
      if (size > MAX_DOCUMENT) throw new AuthnError(`${url} is larger than 1 MiB`);
      chunks.push(chunk);
    }
    return new Response(new Blob(chunks as BlobPart[]), { status: answer.status });
  };
}

function isWebAddress(text: unknown): text is string {
  return typeof text === "string" && /^https?:\/\/./.test(text) && URL.canParse(text);
}
