/**
 * Paths of the Gateway API: prefixes are of whole path elements, and what replaces them is joined to the
 * rest of the path by one slash.
 *
 * @module
 */
import {
  type RedirectAction,
  RedirectAction_RedirectResponseCode as RedirectCode,
  type Route,
  type RouteAction,
  RouteAction_ClusterNotFoundResponseCode as NotFoundCode,
} from "#envoy/config/route/v3/route_components_pb.ts";
import type { HTTPRoute } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import { RegexMatchAndSubstituteSchema } from "#envoy/type/matcher/v3/regex_pb.ts";

/** Stands for the matched prefix in the path of a redirect. */
const PREFIX = "%PREFIX()%";

/** The match and the action of a route, as the Gateway API means them. */
export function byElements(
  { match, action }: Pick<Route, "match" | "action">,
  rule: HTTPRoute,
): Pick<Route, "match" | "action"> {
  const path = match?.pathSpecifier;
  const prefix = path?.case === "prefix" ? path.value.replace(/\/$/, "") : undefined;
  const changed = actionFor(action, prefix ?? "", rule);
  if (match === undefined || !prefix) return { match, action: changed };
  const pathSpecifier = { case: "pathSeparatedPrefix" as const, value: prefix };
  return { match: { ...match, pathSpecifier }, action: changed };
}

function actionFor(action: Route["action"], prefix: string, rule: HTTPRoute): Route["action"] {
  if (action.case === "route") return { ...action, value: forward(action.value, prefix) };
  if (action.case !== "redirect") return action;
  const value = redirect(action.value, prefix);
  const unsaid = (rule.redirect?.redirectCode ?? 0) === 0;
  return { ...action, value: unsaid ? { ...value, responseCode: RedirectCode.FOUND } : value };
}

/** Requests for a backend that does not exist are answered with 500. */
function forward(action: RouteAction, prefix: string): RouteAction {
  const answered = {
    ...action,
    clusterNotFoundResponseCode: NotFoundCode.INTERNAL_SERVER_ERROR,
  };
  if (action.prefixRewrite === "") return answered;
  const { text, regex } = replacing(prefix, action.prefixRewrite);
  if (regex === undefined) return { ...answered, prefixRewrite: text };
  return { ...answered, prefixRewrite: "", regexRewrite: regex };
}

function redirect(action: RedirectAction, prefix: string): RedirectAction {
  const path = action.pathRewriteSpecifier;
  if (path.case !== "pathRedirect" || !path.value.startsWith(PREFIX)) return action;
  const { text, regex } = replacing(prefix, path.value.slice(PREFIX.length));
  const pathRewriteSpecifier = regex === undefined
    ? { case: "prefixRewrite" as const, value: text }
    : { case: "regexRewrite" as const, value: regex };
  return { ...action, pathRewriteSpecifier };
}

/** The text that Envoy puts in the place of a prefix. Without replacement the rest begins with its own slash. */
function replacing(prefix: string, replacement: string) {
  const text = replacement.replace(/\/$/, "");
  if (prefix === "") return { text: `${text}/` };
  if (text !== "") return { text };
  const literal = prefix.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return {
    text,
    regex: create(RegexMatchAndSubstituteSchema, {
      pattern: { regex: `^${literal}/*` },
      substitution: "/",
    }),
  };
}
