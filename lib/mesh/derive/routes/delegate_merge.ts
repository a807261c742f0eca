/**
 * Merging the rules of a delegate into the rule that delegates: that rule narrows
 * the matches of each, and supplies the fields that it does not set.
 *
 * @module
 */
import type {
  HTTPMatchRequest,
  HTTPRoute,
  StringMatch,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** Fields that a rule inherits from the delegating rule when it does not set them. */
const INHERITED = [
  "rewrite",
  "directResponse",
  "timeout",
  "retries",
  "fault",
  "mirror",
  "mirrorPercent",
  "mirrorPercentage",
  "corsPolicy",
  "headers",
] as const;

/**
 * The rules that replace a delegating rule. A rule of the delegate is left out when
 * its matches have no request in common with the delegating rule's, or when it
 * delegates itself.
 */
export function mergeDelegate(root: HTTPRoute, rules: readonly HTTPRoute[]): HTTPRoute[] {
  return rules.flatMap((rule) => {
    if (rule.delegate !== undefined) return [];
    const match = mergeMatches(root.match, rule.match);
    if (match === undefined) return [];
    const merged = { ...rule, match, name: joinNames(root.name, rule.name) };
    for (const field of INHERITED) if (rule[field] === undefined) inherit(merged, root, field);
    if (rule.mirrors.length === 0) merged.mirrors = root.mirrors;
    return [merged];
  });
}

function inherit<K extends typeof INHERITED[number]>(
  to: HTTPRoute,
  from: HTTPRoute,
  field: K,
): void {
  to[field] = from[field];
}

function joinNames(outer: string, inner: string): string {
  return outer !== "" && inner !== "" ? `${outer}-${inner}` : outer || inner;
}

/** All compatible pairs of matches; `undefined` when both rules have matches and no pair is compatible. */
function mergeMatches(
  outer: readonly HTTPMatchRequest[],
  inner: readonly HTTPMatchRequest[],
): HTTPMatchRequest[] | undefined {
  if (outer.length === 0) return [...inner];
  if (inner.length === 0) return [...outer];
  const merged = outer.flatMap((a) =>
    inner.filter((b) => compatible(a, b)).map((b) => mergeMatch(a, b))
  );
  return merged.length === 0 ? undefined : merged;
}

const WHOLE_FIELDS = ["uri", "scheme", "method", "authority"] as const;
const MAPS = ["headers", "withoutHeaders", "queryParams"] as const;

/** Reports if the inner match selects some of the requests that the outer one selects. */
function compatible(outer: HTTPMatchRequest, inner: HTTPMatchRequest): boolean {
  return WHOLE_FIELDS.every((field) => narrows(outer[field], inner[field])) &&
    MAPS.every((field) =>
      Object.entries(inner[field]).every(([name, match]) => narrows(outer[field][name], match))
    ) &&
    outer.ignoreUriCase === inner.ignoreUriCase &&
    (outer.port === 0 || inner.port === 0 || outer.port === inner.port) &&
    (outer.sourceNamespace === "" || inner.sourceNamespace === "" ||
      outer.sourceNamespace === inner.sourceNamespace) &&
    Object.entries(inner.sourceLabels).every(([name, value]) =>
      (outer.sourceLabels[name] ?? value) === value
    ) &&
    (outer.gateways.length === 0 || inner.gateways.every((one) => outer.gateways.includes(one)));
}

/** Reports if a text match narrows another one. Unknown for expressions, and then `false`. */
function narrows(outer: StringMatch | undefined, inner: StringMatch | undefined): boolean {
  const [a, b] = [outer?.matchType, inner?.matchType];
  if (a?.case === undefined || b?.case === undefined) return true;
  if (a.case === "regex" || b.case === "regex") return false;
  if (a.case === "exact") return b.case === "exact" && a.value === b.value;
  return b.value.startsWith(a.value);
}

function mergeMatch(outer: HTTPMatchRequest, inner: HTTPMatchRequest): HTTPMatchRequest {
  return {
    ...inner,
    name: joinNames(outer.name, inner.name),
    uri: inner.uri ?? outer.uri,
    scheme: inner.scheme ?? outer.scheme,
    method: inner.method ?? outer.method,
    authority: inner.authority ?? outer.authority,
    headers: { ...outer.headers, ...inner.headers },
    withoutHeaders: { ...outer.withoutHeaders, ...inner.withoutHeaders },
    queryParams: { ...outer.queryParams, ...inner.queryParams },
    port: inner.port || outer.port,
    sourceLabels: { ...outer.sourceLabels, ...inner.sourceLabels },
    sourceNamespace: inner.sourceNamespace || outer.sourceNamespace,
    gateways: inner.gateways.length > 0 ? inner.gateways : outer.gateways,
    statPrefix: inner.statPrefix || outer.statPrefix,
  };
}
