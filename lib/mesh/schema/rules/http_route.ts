/**
 * Rules of HTTP routes: matches and actions.
 *
 * @module
 */
import type {
  HTTPMatchRequest,
  HTTPRedirect,
  HTTPRewrite,
  HTTPRoute,
  StringMatch,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { isDnsLabel, type Path } from "../../../kit/text/mod.ts";
import { checkWeights } from "./destination.ts";
import {
  checkHeaderMatches,
  checkHeaders,
  checkJoinedHeaders,
  checkStringMatch,
} from "./headers.ts";
import { checkCors, checkFault, checkMirrors, checkRetries, checkStatus } from "./http_policies.ts";
import { checkLabels } from "../metadata.ts";
import type { Report } from "../problem.ts";
import {
  checkDuration,
  checkHost,
  checkPort,
  checkRegex,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "./common.ts";
import { checkGatewayNames } from "./gateway_names.ts";

/** Maximum size of a direct response body without a warning, and absolute maximum, bytes. */
const BODY_WARNING = 100 * 1024;
const BODY_LIMIT = 1024 * 1024;

export function checkHttpRoute(route: HTTPRoute, path: Path, report: Report): void {
  checkAction(route, path, report);
  route.match.forEach((match, index) => checkMatch(match, [...path, "match", index], report));
  checkWeights(route.route, [...path, "route"], report);
  route.route.forEach((one, index) =>
    checkHeaders(one.headers, [...path, "route", index, "headers"], report)
  );
  if (route.redirect) checkRedirect(route.redirect, [...path, "redirect"], report);
  if (route.rewrite) checkRewrite(route.rewrite, [...path, "rewrite"], report);
  checkDirectResponse(route, [...path, "directResponse"], report);
  checkDuration(route.timeout, [...path, "timeout"], report);
  checkRetries(route.retries, [...path, "retries"], report);
  checkFault(route.fault, [...path, "fault"], report);
  checkMirrors(route, path, report);
  checkCors(route.corsPolicy, [...path, "corsPolicy"], report);
  checkHeaders(route.headers, [...path, "headers"], report);
  const [only, second] = route.route;
  if (only !== undefined && second === undefined) {
    checkJoinedHeaders(route.headers, only.headers, [...path, "route", 0, "headers"], report);
  }
}

/** A route has exactly one action: destinations, a redirect, a direct response, or a delegate. */
function checkAction(route: HTTPRoute, path: Path, report: Report): void {
  const actions = [
    ...(route.redirect ? ["redirect"] : []),
    ...(route.directResponse ? ["directResponse"] : []),
    ...(route.delegate ? ["delegate"] : []),
    ...(route.route.length > 0 ? ["route"] : []),
  ];
  const [first, second] = actions;
  if (first === undefined) {
    const remedy = "Give route, redirect or directResponse.";
    report.fail(path, REQUIRED, "the HTTP route leads nowhere", remedy);
    return;
  }
  if (second !== undefined) {
    const message = `${first} and ${second} exclude each other`;
    report.failKey([...path, first], CONFLICT, message, "Keep one of them.");
  }
  if (first === "route") return;
  // Rules of a delegate take these from the delegating rule.
  if (first === "delegate") return;
  for (const companion of ["fault", "rewrite"] as const) {
    if (route[companion] === undefined) continue;
    const message = `${companion} does not go with ${first}`;
    report.failKey([...path, companion], CONFLICT, message, `Remove ${companion}.`);
  }
}

function checkMatch(match: HTTPMatchRequest, path: Path, report: Report): void {
  const whole = {
    uri: match.uri,
    scheme: match.scheme,
    method: match.method,
    authority: match.authority,
  };
  for (const [name, value] of Object.entries(whole)) checkWhole(value, [...path, name], report);
  checkHeaderMatches(match.headers, [...path, "headers"], report);
  checkHeaderMatches(match.withoutHeaders, [...path, "withoutHeaders"], report);
  for (const [name, value] of Object.entries(match.queryParams)) {
    const at = [...path, "queryParams", name];
    if (name === "") report.failKey(at, REQUIRED, "the parameter has no name", "Name it.");
    checkStringMatch(value, at, report);
  }
  if (match.port !== 0) checkPort(match.port, [...path, "port"], report);
  checkLabels(match.sourceLabels, [...path, "sourceLabels"], report);
  checkGatewayNames(match.gateways, [...path, "gateways"], report);
  if (match.sourceNamespace !== "" && !isDnsLabel(match.sourceNamespace)) {
    const message = `${JSON.stringify(match.sourceNamespace)} is not a namespace`;
    report.fail([...path, "sourceNamespace"], "invalid-name", message, "Write a namespace.");
  }
  if (match.ignoreUriCase && match.uri?.matchType.case === "regex") {
    const message = "ignoreUriCase has no effect on a regular expression";
    report.warn([...path, "ignoreUriCase"], CONFLICT, message, 'Begin the expression with "(?i)".');
  }
}

/** An empty match of these four fields has no meaning. */
function checkWhole(match: StringMatch | undefined, path: Path, report: Report): void {
  if (match === undefined) return;
  checkStringMatch(match, path, report);
  if (match.matchType.case !== undefined) return;
  report.fail(path, REQUIRED, "the match is empty", "Give exact, prefix or regex.");
}

const REDIRECT_CODES = [301, 302, 303, 307, 308];

function checkRedirect(redirect: HTTPRedirect, path: Path, report: Report): void {
  const { redirectPort } = redirect;
  const given = redirect.uri || redirect.authority || redirect.scheme || redirect.prefixRewrite ||
    redirect.redirectCode || redirectPort.case !== undefined;
  if (!given) {
    report.fail(path, REQUIRED, "the redirect changes nothing", "Give uri or authority.");
  }
  if (redirect.uri !== "" && redirect.prefixRewrite !== "") {
    const message = "uri and prefixRewrite exclude each other";
    report.failKey([...path, "prefixRewrite"], CONFLICT, message, "Keep one of the two.");
  }
  if (redirect.redirectCode !== 0 && !REDIRECT_CODES.includes(redirect.redirectCode)) {
    const message = `${redirect.redirectCode} is not a redirect status`;
    const remedy = `Write one of: ${REDIRECT_CODES.join(", ")}.`;
    report.fail([...path, "redirectCode"], "unknown-value", message, remedy);
  }
  if (!["", "http", "https"].includes(redirect.scheme)) {
    const message = `${JSON.stringify(redirect.scheme)} is not a scheme for redirects`;
    report.fail([...path, "scheme"], "unknown-value", message, "Write http or https.");
  }
  if (redirectPort.case === "port") checkPort(redirectPort.value, [...path, "port"], report);
  checkHeaderText(redirect.uri, [...path, "uri"], report);
  checkHeaderText(redirect.authority, [...path, "authority"], report);
}

/** Text for a header must not have line breaks. */
function checkHeaderText(text: string, path: Path, report: Report): void {
  if (!/[\0\r\n]/.test(text)) return;
  report.fail(path, INVALID, "the text has a line break or NUL", "Remove it.");
}

function checkRewrite(rewrite: HTTPRewrite, path: Path, report: Report): void {
  const { uri, authority, uriRegexRewrite: regex } = rewrite;
  if (uri === "" && authority === "" && regex === undefined) {
    const remedy = "Give uri, authority or uriRegexRewrite.";
    report.fail(path, REQUIRED, "the rewrite changes nothing", remedy);
  }
  checkHeaderText(uri, [...path, "uri"], report);
  checkHeaderText(authority, [...path, "authority"], report);
  if (regex === undefined) return;
  const at = [...path, "uriRegexRewrite"];
  if (uri !== "") {
    const message = "uri and uriRegexRewrite exclude each other";
    report.failKey(at, CONFLICT, message, "Keep one of the two.");
  }
  checkRegex(regex.match, [...at, "match"], report);
  if (regex.rewrite === "") {
    report.fail([...at, "rewrite"], REQUIRED, "the rewrite is empty", "Write the new path.");
  }
  checkHeaderText(regex.rewrite, [...at, "rewrite"], report);
}

function checkDirectResponse(route: HTTPRoute, path: Path, report: Report): void {
  const response = route.directResponse;
  if (response === undefined) return;
  checkStatus(response.status, [...path, "status"], report);
  const body = response.body?.specifier;
  if (response.body !== undefined && body?.case === undefined) {
    report.fail([...path, "body"], REQUIRED, "the body is empty", "Give string or bytes.");
  }
  const size = typeof body?.value === "string"
    ? new TextEncoder().encode(body.value).length
    : body?.value?.length ?? 0;
  if (size > BODY_LIMIT) {
    const message = `the body has ${size} bytes, more than ${BODY_LIMIT}`;
    report.fail([...path, "body"], "out-of-range", message, "Serve it from a service.");
  } else if (size > BODY_WARNING) {
    const message = `the body has ${size} bytes, which every proxy keeps`;
    report.warn([...path, "body"], "out-of-range", message, "Serve it from a service.");
  }
}

/**
 * Checks a route that delegates, or a route of a VirtualService without hosts, which is a delegate.
 * Regular expressions cannot be compared with each other.
 */
export function checkDelegate(
  route: HTTPRoute,
  path: Path,
  report: Report,
  isDelegated: boolean,
): void {
  const { delegate } = route;
  if (delegate === undefined && !isDelegated) return;
  route.match.forEach((match, index) => refuseRegexes(match, [...path, "match", index], report));
  if (delegate === undefined) return;
  if (isDelegated) {
    const message = "a VirtualService without hosts is delegated to, and cannot delegate";
    report.failKey([...path, "delegate"], CONFLICT, message, "Name hosts, or give routes.");
  }
  checkHost(delegate.name, [...path, "delegate", "name"], report, "exact");
  if (delegate.namespace === "" || isDnsLabel(delegate.namespace)) return;
  const message = `${JSON.stringify(delegate.namespace)} is not a namespace`;
  report.fail([...path, "delegate", "namespace"], "invalid-name", message, "Write a namespace.");
}

function refuseRegexes(match: HTTPMatchRequest, path: Path, report: Report): void {
  const { uri, scheme, method, authority } = match;
  const whole = Object.entries({ uri, scheme, method, authority });
  const named = (["headers", "withoutHeaders", "queryParams"] as const).flatMap((field) =>
    Object.entries(match[field]).map(([name, value]) => [[field, name], value] as const)
  );
  for (const [at, value] of [...whole.map(([name, one]) => [[name], one] as const), ...named]) {
    if (value?.matchType.case !== "regex") continue;
    const message = "delegation takes no regular expressions";
    const remedy = "Write exact or prefix.";
    report.failKey([...path, ...at, "regex"], CONFLICT, message, remedy);
  }
}
