/**
 * Token verification, in the order of Envoy: form, issuer, subject, times, audience, signature.
 *
 * @module
 */
import type {
  JwtAuthentication,
  JwtProvider,
  JwtRequirement,
} from "#envoy/extensions/filters/http/jwt_authn/v3/config_pb.ts";
import { type Fact, signatureFault, timeFault } from "./token_facts.ts";
import type { Journey } from "./journey.ts";
import { textMatches } from "./match.ts";
import type { Exchange } from "./request.ts";
import { type Parts, type Presented, presentedTo } from "./token.ts";
import type { IssuerTrace, TokenTrace } from "./token_trace.ts";

/** Result of token verification. */
export interface Verified {
  /** `undefined`: not decidable; `why` and `remedy` say what is not known. */
  readonly passes: boolean | undefined;
  /** Status if it does not pass. */
  readonly status: number;
  readonly why: string;
  readonly remedy?: string;
  /** Payloads for later filters, by metadata key. */
  readonly payloads: Readonly<Record<string, unknown>>;
  /** Headers that are removed, because their token was accepted and is not forwarded. */
  readonly removes: readonly string[];
  /** True: the route is selected again. */
  readonly clearsRoute: boolean;
}

/** Why a token is rejected. `missing` is not always a rejection; `unknown`: it is not decidable. */
type Fault =
  | "missing"
  | "form"
  | "issuer"
  | "subject"
  | "time"
  | "audience"
  | "signature"
  | "unknown";

/** Result of a check. */
interface Checked {
  /** Empty: the token is valid. */
  readonly fault: "" | Fault;
  readonly why: string;
  readonly remedy?: string;
}

const ACCEPTED: Checked = { fault: "", why: "" };
const ABSENT: Checked = { fault: "missing", why: "a token is required" };

/** A request at a filter, with the providers of the filter. */
export interface Verification {
  readonly config: JwtAuthentication;
  readonly exchange: Exchange;
  readonly journey: Journey;
}

/** Compares the tokens of a request with all issuers. */
export function traceToken(verification: Verification, fault: string): TokenTrace {
  const { config: { providers }, exchange } = verification;
  const issuers = Object.keys(providers).sort().map((name): IssuerTrace => {
    const provider = providers[name]!;
    const found = check(provider, verification);
    const [first] = presentedTo(provider, exchange);
    return {
      provider: name,
      issuer: provider.issuer,
      audiences: provider.audiences,
      ...faultText(found, first),
    };
  });
  return { fault, issuers };
}

const CLAIMS: Partial<Readonly<Record<Fault | "", string>>> = {
  issuer: "iss",
  audience: "aud",
  subject: "sub",
};

function faultText(
  { fault, why }: Checked,
  first: Presented | undefined,
): Pick<IssuerTrace, "fault" | "actual"> {
  if (fault === "") return { fault: "" };
  if (fault === "missing") return { fault: "the request has no token for it" };
  const claim = CLAIMS[fault];
  if (claim === undefined || first === undefined || "malformed" in first) return { fault: why };
  const value = first.claims[claim];
  const actual = value === undefined
    ? "absent"
    : typeof value === "string"
    ? value
    : JSON.stringify(value);
  return { fault, actual };
}

/** Verifies the tokens of a request against the requirements of the matching rules. */
export function verify(verification: Verification, requirement: JwtRequirement): Verified {
  const { providers } = verification.config;
  const known = Object.keys(providers).sort();
  const found = faultOf(requirement, known, verification);
  const { fault, why, remedy } = found;
  const common = { status: fault === "audience" ? 403 : 401, why };
  if (fault === "unknown") {
    return {
      ...common,
      ...(remedy === undefined ? {} : { remedy }),
      ...{ passes: undefined, payloads: {}, removes: [], clearsRoute: false },
    };
  }
  if (fault !== "") {
    return { ...common, passes: false, payloads: {}, removes: [], clearsRoute: false };
  }
  const good = mentioned(requirement, known)
    .flatMap((name) => providers[name] ?? [])
    .filter((one) => check(one, verification).fault === "");
  const [first] = good;
  const tokens = first === undefined ? [] : partsOf(first, verification.exchange);
  const key = first?.payloadInMetadata ?? "";
  return {
    ...common,
    passes: true,
    payloads: first === undefined || key === "" ? {} : { [key]: payloadOf(first, tokens[0]) },
    removes: first === undefined || first.forward
      ? []
      : tokens.flatMap(({ carrier }) => carrier ?? []),
    clearsRoute: first?.clearRouteCache === true,
  };
}

function partsOf(provider: JwtProvider, exchange: Exchange): Parts[] {
  return presentedTo(provider, exchange).flatMap((one) => "malformed" in one ? [] : [one]);
}

/** Returns the fault of a requirement. */
function faultOf(
  { requiresType: type }: JwtRequirement,
  known: readonly string[],
  verification: Verification,
): Checked {
  const { providers } = verification.config;
  switch (type.case) {
    case undefined:
    case "allowMissingOrFailed":
      return ACCEPTED;
    case "providerName":
      return check(providers[type.value], verification);
    case "allowMissing":
      return strayFault(known.map((name) => check(providers[name], verification)));
    case "requiresAny": {
      const faults = type.value.requirements.map((one) => faultOf(one, known, verification));
      return pick(faults, "") ?? pick(faults, "unknown") ??
        faults.findLast(({ fault }) => fault !== "missing") ?? ABSENT;
    }
    case "requiresAll": {
      const faults = type.value.requirements.map((one) => faultOf(one, known, verification));
      return faults.find(({ fault }) => fault !== "" && fault !== "unknown") ??
        pick(faults, "unknown") ?? ACCEPTED;
    }
    default:
      return { fault: "unknown", why: "what tokens are required" };
  }
}

function pick(faults: readonly Checked[], wanted: Checked["fault"]): Checked | undefined {
  return faults.find(({ fault }) => fault === wanted);
}

/** Returns the fault of an optional token: it must be valid if it is present. */
function strayFault(faults: readonly Checked[]): Checked {
  const found = faults.filter(({ fault }) => fault !== "missing");
  if (found.length === 0) return ACCEPTED;
  return pick(found, "") ?? pick(found, "unknown") ??
    found.find(({ fault }) => fault !== "issuer") ?? found[0]!;
}

function mentioned({ requiresType: type }: JwtRequirement, known: readonly string[]): string[] {
  switch (type.case) {
    case "providerName":
      return [type.value];
    case "requiresAny":
    case "requiresAll":
      return [...new Set(type.value.requirements.flatMap((one) => mentioned(one, known)))];
    default:
      return [];
  }
}

/** Checks all tokens that a provider reads: each of them must be valid. */
function check(provider: JwtProvider | undefined, verification: Verification): Checked {
  if (provider === undefined) return ABSENT;
  const tokens = presentedTo(provider, verification.exchange);
  if (tokens.length === 0) return ABSENT;
  const faults = tokens.map((one) => checkOne(provider, one, verification));
  return faults.find(({ fault }) => fault !== "" && fault !== "unknown") ??
    pick(faults, "unknown") ?? ACCEPTED;
}

function checkOne(
  provider: JwtProvider,
  token: Presented,
  { journey }: Verification,
): Checked {
  if ("malformed" in token) return { fault: "form", why: token.malformed };
  const { iss, aud, sub } = token.claims;
  const refused = (fault: Fault) => ({ fault, why: `the token's ${fault} is not accepted` });
  if (provider.issuer !== "" && provider.issuer !== iss) return refused("issuer");
  const { subjects, audiences } = provider;
  if (subjects !== undefined) {
    const matched = textMatches(subjects, `${sub ?? ""}`);
    if (matched === undefined) return { fault: "unknown", why: "the accepted subjects" };
    if (!matched) return refused("subject");
  }
  const time = timeFault(provider, token, journey.call.now);
  if (time !== undefined && time.known) return checkedOf("time", time);
  const named = Array.isArray(aud) ? aud : [aud];
  if (audiences.length > 0 && !audiences.some((one) => named.includes(one))) {
    return time === undefined ? refused("audience") : checkedOf("time", time);
  }
  const signature = signatureFault(provider, token, journey);
  if (signature?.known === true) return checkedOf("signature", signature);
  const open = time ?? signature;
  return open === undefined ? ACCEPTED : checkedOf("signature", open);
}

function checkedOf(fault: Fault, { known, why, remedy }: Fact): Checked {
  return { fault: known ? fault : "unknown", why, ...(remedy === undefined ? {} : { remedy }) };
}

/** Returns the payload as filters see it: space-separated claims are lists. */
function payloadOf(provider: JwtProvider, token: Parts | undefined): unknown {
  const spaced = provider.normalizePayloadInMetadata?.spaceDelimitedClaims ?? [];
  return Object.fromEntries(
    Object.entries(token?.claims ?? {}).map(([name, value]) => [
      name,
      spaced.includes(name) && typeof value === "string" ? value.split(" ") : value,
    ]),
  );
}
