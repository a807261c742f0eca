/**
 * Conversion of filters of HTTPRoutes and GRPCRoutes.
 *
 * @module
 */
import type {
  HTTPCORSFilter,
  HTTPRequestMirrorFilter,
  HTTPRequestRedirectFilter,
  HTTPURLRewriteFilter,
} from "#mesh/gateway/v1/http_route_pb.ts";
import {
  CorsPolicy_UnmatchedPreflights,
  HTTPRedirect_RedirectPortSelection as PortSelection,
  type HTTPRoute,
  type HTTPRouteSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { durationOf, type MessageInitShape } from "../../../kit/proto/mod.ts";
import type { RuleAuthorizer } from "../../model/mod.ts";
import { convertAuthorizer } from "./authorizers.ts";
import type { Destinations } from "./destinations.ts";
import { type AnyFilter, convertHeaders } from "./http_headers.ts";

/** Fields of a rule of a VirtualService. */
export type RuleFields = Exclude<MessageInitShape<typeof HTTPRouteSchema>, HTTPRoute>;

/** The filters of a rule as fields of a rule of a VirtualService. */
export interface ConvertedFilters {
  readonly fields: RuleFields;
  readonly authorizer?: RuleAuthorizer;
  /** Why the rule cannot do what it says. */
  readonly unsupported?: string;
}

/** The seconds for which browsers may keep an answer, if a filter does not say it. */
const MAX_AGE_SECONDS = 5;

/**
 * Converts the filters of a rule.
 *
 * @param experimental true: filters of the experimental channel act
 */
export function convertFilters(
  filters: readonly AnyFilter[],
  destinations: Destinations,
  experimental: boolean,
): ConvertedFilters {
  const mirrors = filters.flatMap(({ requestMirror }) =>
    requestMirror === undefined ? [] : mirrorOf(requestMirror, destinations)
  );
  const redirect = filters.find(({ requestRedirect }) => requestRedirect)?.requestRedirect;
  const rewrite = filters.find(({ urlRewrite }) => urlRewrite)?.urlRewrite;
  const cors = filters.find((one) => one.cors)?.cors;
  const headers = convertHeaders(filters);
  const rewritten = rewrite && rewriteOf(rewrite);
  const auth = filters.find(({ externalAuth }) => externalAuth)?.externalAuth;
  const authorizer = auth && convertAuthorizer(auth, destinations);
  const unreached = auth !== undefined && authorizer === undefined ? "ExternalAuth" : undefined;
  const unsupported = unsupportedFilter(filters, experimental) ?? unreached ??
    incompatibleFilters(filters)?.[1];
  return {
    fields: {
      ...(headers === undefined ? {} : { headers }),
      ...(mirrors.length === 0 ? {} : { mirrors }),
      ...(redirect === undefined ? {} : { redirect: redirectOf(redirect) }),
      ...(rewritten === undefined ? {} : { rewrite: rewritten }),
      ...(cors === undefined ? {} : { corsPolicy: corsOf(cors) }),
    },
    ...(authorizer === undefined ? {} : { authorizer }),
    ...(unsupported === undefined ? {} : { unsupported }),
  };
}

/** Fields of filters that are converted. */
const CONVERTED = [
  "requestHeaderModifier",
  "responseHeaderModifier",
  "requestMirror",
  "requestRedirect",
  "urlRewrite",
  "cors",
] as const;

/** The type of the first filter that is not converted. */
export function unsupportedFilter(
  filters: readonly AnyFilter[],
  experimental: boolean,
): string | undefined {
  return filters.find((one) =>
    CONVERTED.every((field) => one[field] === undefined) &&
    !(experimental && one.externalAuth !== undefined)
  )?.type;
}

/** Types that a rule with a redirect cannot have: nothing is forwarded that they could change. */
const NOT_WITH_REDIRECT = ["URLRewrite", "RequestMirror"];

/** The types of two filters of a rule that exclude each other. */
export function incompatibleFilters(
  filters: readonly AnyFilter[],
): readonly [string, string] | undefined {
  if (filters.every(({ requestRedirect }) => requestRedirect === undefined)) return undefined;
  const other = filters.find(({ type }) => NOT_WITH_REDIRECT.includes(type));
  return other && ["RequestRedirect", other.type];
}

function redirectOf(filter: HTTPRequestRedirectFilter): NonNullable<RuleFields["redirect"]> {
  const { statusCode, hostname, scheme, port, path } = filter;
  const derived = scheme === ""
    ? PortSelection.FROM_REQUEST_PORT
    : PortSelection.FROM_PROTOCOL_DEFAULT;
  const uri = path?.type === "ReplacePrefixMatch"
    ? `%PREFIX()%${path.replacePrefixMatch ?? ""}`
    : path?.replaceFullPath ?? "";
  return {
    redirectCode: statusCode ?? 0,
    authority: hostname,
    scheme,
    uri,
    redirectPort: port === undefined
      ? { case: "derivePort", value: derived }
      : { case: "port", value: port },
  };
}

function rewriteOf({ hostname, path }: HTTPURLRewriteFilter): RuleFields["rewrite"] | undefined {
  if (hostname === "" && path === undefined) return undefined;
  const regex = path?.type === "ReplaceFullPath"
    ? { uriRegexRewrite: { match: "/.*", rewrite: path.replaceFullPath ?? "" } }
    : {};
  const prefix = path?.type === "ReplacePrefixMatch"
    ? { uri: (path.replacePrefixMatch ?? "").replace(/\/$/, "") || "/" }
    : {};
  return { authority: hostname, ...prefix, ...regex };
}

/** A copy whose destination is not permitted or not named rightly is not sent. */
function mirrorOf(filter: HTTPRequestMirrorFilter, destinations: Destinations) {
  const { backendRef, percent, fraction } = filter;
  const found = backendRef && destinations(backendRef);
  if (found === undefined || found.host === "") return [];
  const share = percent ??
    (fraction && (100 * fraction.numerator) / (fraction.denominator ?? 100));
  return [{
    destination: found,
    ...(share === undefined ? {} : { percentage: { value: share } }),
  }];
}

function corsOf(filter: HTTPCORSFilter): NonNullable<RuleFields["corsPolicy"]> {
  const { allowOrigins, allowCredentials, allowMethods, allowHeaders, exposeHeaders } = filter;
  return {
    allowOrigins: allowOrigins.map((origin) => ({
      matchType: origin.includes("*")
        ? { case: "regex" as const, value: patternOf(origin) }
        : { case: "exact" as const, value: origin },
    })),
    allowMethods: [...allowMethods],
    allowHeaders: [...allowHeaders],
    exposeHeaders: [...exposeHeaders],
    maxAge: durationOf((filter.maxAge || MAX_AGE_SECONDS) * 1000),
    ...(allowCredentials === undefined ? {} : { allowCredentials }),
    unmatchedPreflights: CorsPolicy_UnmatchedPreflights.IGNORE,
  };
}

function patternOf(origin: string): string {
  return origin.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*");
}
