/**
 * Conditions of HTTPRoutes as conditions of VirtualServices, and their precedence.
 *
 * @module
 */
import type { HTTPRouteMatch } from "#mesh/gateway/v1/http_route_pb.ts";
import {
  type HTTPMatchRequest,
  HTTPMatchRequestSchema,
  type StringMatch,
  StringMatchSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { create } from "../../../kit/proto/mod.ts";

/** Converts the conditions of one match. */
export function convertMatch(match: HTTPRouteMatch): HTTPMatchRequest {
  const { path, headers, queryParams, method } = match;
  const uri = path === undefined ? undefined : pathMatch(path.type, path.value ?? "/");
  return create(HTTPMatchRequestSchema, {
    ...(uri === undefined ? {} : { uri }),
    ...(method === "" ? {} : { method: textMatch("exact", method) }),
    headers: conditionsOf(headers, (name) => name.toLowerCase()),
    queryParams: conditionsOf(queryParams, (name) => name),
  });
}

function pathMatch(type: string, value: string): StringMatch {
  if (type === "Exact") return textMatch("exact", value);
  if (type === "RegularExpression") return textMatch("regex", value);
  // A prefix is one of whole segments: a slash at its end means nothing.
  return textMatch("prefix", value === "/" ? value : value.replace(/\/$/, ""));
}

/** Conditions on headers or parameters. The first one of a name counts. */
export function conditionsOf(
  conditions: readonly { readonly name: string; readonly type: string; readonly value: string }[],
  nameOf: (name: string) => string,
): Record<string, StringMatch> {
  const found = new Map<string, StringMatch>();
  for (const { name, type, value } of conditions) {
    const kind = type === "RegularExpression" ? "regex" : "exact";
    const key = nameOf(name);
    if (!found.has(key)) found.set(key, textMatch(kind, value));
  }
  return Object.fromEntries(found);
}

function textMatch(kind: "exact" | "prefix" | "regex", value: string): StringMatch {
  return create(StringMatchSchema, { matchType: { case: kind, value } });
}

/**
 * The order in which conditions of one host are tried: exact paths, longer prefixes, a method, more
 * headers, more parameters. Regular expressions come last, the longer ones first.
 *
 * @returns negative if `a` is tried first, 0 if neither precedes
 */
export function compareMatches(
  a: HTTPMatchRequest | undefined,
  b: HTTPMatchRequest | undefined,
): number {
  const differences = [
    rank(b) - rank(a),
    pathLength(b) - pathLength(a),
    Number(b?.method !== undefined) - Number(a?.method !== undefined),
    sizeOf(b?.headers) - sizeOf(a?.headers),
    sizeOf(b?.queryParams) - sizeOf(a?.queryParams),
  ];
  return differences.find((difference) => difference !== 0) ?? 0;
}

function rank(match: HTTPMatchRequest | undefined): number {
  const RANKS = { exact: 3, prefix: 2, regex: 1 } as const;
  const kind = match?.uri?.matchType.case;
  // No condition on the path is the prefix "/".
  return kind === undefined ? RANKS.prefix : RANKS[kind];
}

function pathLength(match: HTTPMatchRequest | undefined): number {
  return match?.uri?.matchType.value?.length ?? 1;
}

function sizeOf(conditions: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(conditions ?? {}).length;
}
