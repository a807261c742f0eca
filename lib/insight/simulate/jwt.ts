/**
 * Token verification.
 *
 * @module
 */
import type {
  JwtAuthentication,
  JwtProvider,
  JwtRequirement,
} from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import type { Token } from "./call.ts";
import { textMatches } from "./match.ts";

/** Result of token verification. */
export interface Verified {
  /** `undefined`: not decidable. */
  readonly passes: boolean | undefined;
  /** Status if it does not pass. */
  readonly status: number;
  readonly why: string;
  /** Payloads for later filters, by metadata key. */
  readonly payloads: Readonly<Record<string, unknown>>;
  /** True: the route is selected again. */
  readonly clearsRoute: boolean;
}

/** Why a token is rejected; empty: it is valid. `missing` is not always a rejection. */
type Fault = "" | "missing" | "issuer" | "audience" | "subject";

/** The token of a request, compared with the issuers that a filter knows. */
export interface TokenTrace {
  /** Empty: the request passes. */
  readonly fault: string;
  readonly issuers: readonly IssuerTrace[];
}

/** One issuer of a token filter. */
export interface IssuerTrace {
  /** Name of the provider, `origins-INDEX`. */
  readonly provider: string;
  readonly issuer: string;
  /** Empty: all are accepted. */
  readonly audiences: readonly string[];
  /** Why the token is not accepted; empty: it is valid. */
  readonly fault: string;
  /** Issuer, audience or subject of the request's token, if it is the fault. */
  readonly actual?: string;
}

/** Compares a token with all issuers. */
export function traceToken(
  { providers }: JwtAuthentication,
  fault: string,
  token: Token | undefined,
): TokenTrace {
  const issuers = Object.keys(providers).sort().map((name): IssuerTrace => {
    const provider = providers[name]!;
    const found = check(provider, token);
    return {
      provider: name,
      issuer: provider.issuer,
      audiences: provider.audiences,
      fault: found === "missing" ? "the request has no token for it" : found,
      ...(found === "" || found === "missing" ? {} : { actual: claimText(token, found) }),
    };
  });
  return { fault, issuers };
}

const CLAIMS: Readonly<Record<"issuer" | "audience" | "subject", string>> = {
  issuer: "iss",
  audience: "aud",
  subject: "sub",
};

function claimText(token: Token | undefined, fault: keyof typeof CLAIMS): string {
  const value = token?.claims[CLAIMS[fault]];
  return value === undefined ? "absent" : typeof value === "string" ? value : JSON.stringify(value);
}

type Providers = Readonly<Record<string, JwtProvider>>;

/** Verifies a token against the requirements of the matching rules. */
export function verify(
  config: JwtAuthentication,
  requirement: JwtRequirement,
  token: Token | undefined,
): Verified {
  const { providers } = config;
  const known = Object.keys(providers).sort();
  const fault = faultOf(requirement, known, providers, token);
  const good = token === undefined
    ? []
    : mentioned(requirement, known).filter((name) => check(providers[name], token) === "");
  if (fault === undefined) {
    return { passes: undefined, status: 0, why: "", payloads: {}, clearsRoute: false };
  }
  const first = good.slice(0, 1).flatMap((name) => providers[name] ?? []);
  const payloads = Object.fromEntries(
    first.filter((one) => one.payloadInMetadata !== "")
      .map((one) => [one.payloadInMetadata, payloadOf(one, token)]),
  );
  return {
    passes: fault === "",
    status: fault === "audience" ? 403 : 401,
    why: fault === "missing" ? "a token is required" : `the token's ${fault} is not accepted`,
    payloads: fault === "" ? payloads : {},
    clearsRoute: fault === "" && first.some(({ clearRouteCache }) => clearRouteCache),
  };
}

/** Returns the fault of a requirement; `undefined` if it is not decidable. */
function faultOf(
  { requiresType: type }: JwtRequirement,
  known: readonly string[],
  providers: Providers,
  token: Token | undefined,
): Fault | undefined {
  switch (type.case) {
    case undefined:
    case "allowMissingOrFailed":
      return "";
    case "providerName":
      return check(providers[type.value], token);
    case "allowMissing":
      return strayFault(known.map((name) => check(providers[name], token)));
    case "requiresAny": {
      const faults = type.value.requirements.map((r) => faultOf(r, known, providers, token));
      if (faults.includes("")) return "";
      if (faults.includes(undefined)) return undefined;
      return faults.findLast((one) => one !== "missing") ?? "missing";
    }
    case "requiresAll": {
      const faults = type.value.requirements.map((r) => faultOf(r, known, providers, token));
      return faults.find((one) => one !== "" && one !== undefined) ??
        (faults.includes(undefined) ? undefined : "");
    }
    default:
      return undefined;
  }
}

/** Returns the fault of an optional token: it must be valid if it is present. */
function strayFault(faults: readonly Fault[]): Fault {
  const found = faults.filter((fault) => fault !== "missing");
  if (found.length === 0 || found.includes("")) return "";
  return found.find((fault) => fault !== "issuer") ?? "issuer";
}

function mentioned({ requiresType: type }: JwtRequirement, known: readonly string[]): string[] {
  switch (type.case) {
    case "providerName":
      return [type.value];
    case "requiresAny":
    case "requiresAll":
      return type.value.requirements.flatMap((one) => mentioned(one, known));
    default:
      return [];
  }
}

function check(provider: JwtProvider | undefined, token: Token | undefined): Fault {
  if (provider === undefined || token === undefined || !carriedFor(provider, token)) {
    return "missing";
  }
  const { iss, aud, sub } = token.claims;
  if (provider.issuer !== "" && provider.issuer !== iss) return "issuer";
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (provider.audiences.length > 0 && !provider.audiences.some((a) => audiences.includes(a))) {
    return "audience";
  }
  const { subjects } = provider;
  if (subjects !== undefined && textMatches(subjects, `${sub ?? ""}`) !== true) return "subject";
  return "";
}

/** Reports if a provider reads a token's location. */
function carriedFor({ fromHeaders, fromParams, fromCookies }: JwtProvider, token: Token): boolean {
  const { at } = token;
  const byDefault = fromHeaders.length + fromParams.length + fromCookies.length === 0;
  if (at === undefined) {
    return byDefault || fromHeaders.some(({ name }) => name.toLowerCase() === "authorization");
  }
  switch (at.in) {
    case "header":
      return fromHeaders.some(({ name }) => name.toLowerCase() === at.name.toLowerCase());
    case "param":
      return byDefault ? at.name === "access_token" : fromParams.includes(at.name);
    case "cookie":
      return fromCookies.includes(at.name);
  }
}

/** Returns the payload as filters see it: space-separated claims are lists. */
function payloadOf(provider: JwtProvider, token: Token | undefined): unknown {
  const spaced = provider.normalizePayloadInMetadata?.spaceDelimitedClaims ?? [];
  return Object.fromEntries(
    Object.entries(token?.claims ?? {}).map(([name, value]) => [
      name,
      spaced.includes(name) && typeof value === "string" ? value.split(" ") : value,
    ]),
  );
}
