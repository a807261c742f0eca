/**
 * Path rewrites, redirects and direct responses.
 *
 * @module
 */
import {
  type DirectResponseAction,
  DirectResponseActionSchema,
  type RedirectAction,
  RedirectAction_RedirectResponseCode,
  RedirectActionSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import {
  type RegexMatchAndSubstitute,
  RegexMatchAndSubstituteSchema,
} from "#envoy/type/matcher/v3/regex_pb.ts";
import {
  type HTTPDirectResponse,
  type HTTPRedirect,
  HTTPRedirect_RedirectPortSelection,
  type HTTPRewrite,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Path changes of a route, with the field names of Envoy's route action. */
export interface PathRewrite {
  /**
   * Replaces the matched prefix; for exact and regex matches, the whole path. Slashes are not
   * adjusted: `/` for the prefix `/a` turns `/a/b` into `//b`.
   */
  readonly prefixRewrite?: string;
  readonly regexRewrite?: RegexMatchAndSubstitute;
}

/** Translates the path part of a rewrite; a regex takes precedence over plain text. */
export function pathRewrite(rewrite: HTTPRewrite | undefined): PathRewrite {
  const regex = rewrite?.uriRegexRewrite;
  if (regex !== undefined) {
    return {
      regexRewrite: create(RegexMatchAndSubstituteSchema, {
        pattern: { regex: regex.match },
        substitution: regex.rewrite,
      }),
    };
  }
  return rewrite !== undefined && rewrite.uri !== "" ? { prefixRewrite: rewrite.uri } : {};
}

export interface RedirectListener {
  readonly port: number;
  readonly tls?: boolean | undefined;
}

/** Translates a redirect; a code that is not a redirect code becomes 301, the default. */
export function translateRedirect(
  redirect: HTTPRedirect,
  listener: RedirectListener,
): RedirectAction {
  return create(RedirectActionSchema, {
    hostRedirect: redirect.authority,
    portRedirect: redirectPort(redirect, listener),
    schemeRewriteSpecifier: redirect.scheme === ""
      ? undefined
      : { case: "schemeRedirect", value: redirect.scheme },
    pathRewriteSpecifier: redirectPath(redirect),
    responseCode: RESPONSE_CODES[redirect.redirectCode] ??
      RedirectAction_RedirectResponseCode.MOVED_PERMANENTLY,
  });
}

const RESPONSE_CODES: Readonly<Record<number, RedirectAction_RedirectResponseCode>> = {
  302: RedirectAction_RedirectResponseCode.FOUND,
  303: RedirectAction_RedirectResponseCode.SEE_OTHER,
  307: RedirectAction_RedirectResponseCode.TEMPORARY_REDIRECT,
  308: RedirectAction_RedirectResponseCode.PERMANENT_REDIRECT,
};

function redirectPath(redirect: HTTPRedirect) {
  if (redirect.uri !== "") return { case: "pathRedirect" as const, value: redirect.uri };
  return redirect.prefixRewrite === ""
    ? undefined
    : { case: "prefixRewrite" as const, value: redirect.prefixRewrite };
}

/**
 * Returns the port of the redirect; 0: none, because it is the scheme's default. The request's port
 * is that of the listener.
 */
function redirectPort({ redirectPort: wanted, scheme }: HTTPRedirect, listener: RedirectListener) {
  if (wanted.case === undefined) return 0;
  const fromRequest = HTTPRedirect_RedirectPortSelection.FROM_REQUEST_PORT;
  const port = wanted.case === "port"
    ? wanted.value
    : wanted.value === fromRequest
    ? listener.port
    : 0;
  const target = scheme !== "" ? scheme : listener.tls ? "https" : "http";
  const own = target === "https" ? 443 : target === "http" ? 80 : 0;
  return port === own ? 0 : port;
}

export function translateDirectResponse(response: HTTPDirectResponse): DirectResponseAction {
  const body = response.body?.specifier;
  return create(DirectResponseActionSchema, {
    status: response.status,
    body: body?.case === undefined ? undefined : {
      specifier: body.case === "string"
        ? { case: "inlineString", value: body.value }
        : { case: "inlineBytes", value: body.value },
    },
  });
}
