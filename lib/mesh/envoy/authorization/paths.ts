/**
 * Path matchers of policies.
 *
 * @module
 */
import type { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { UriTemplateMatchConfigSchema } from "#envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.ts";
import { type PathMatcher, PathMatcherSchema } from "#envoy/type/matcher/v3/path_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import { create, type MessageInitShape, packAny } from "../../../kit/proto/mod.ts";
import { quote, regexMatch, textMatch } from "./text.ts";

/** Reports if a path is a template: `{*}` matches one segment, `{**}` any number of segments. */
export function isTemplate(path: string): boolean {
  return path.includes("{*}") || path.includes("{**}");
}

/** Returns the matcher of a template. */
export function templateMatch(path: string): MessageInitShape<typeof TypedExtensionConfigSchema> {
  const pathTemplate = path.replaceAll("{*}", "*").replaceAll("{**}", "**");
  return {
    name: "uri-template",
    typedConfig: packAny(UriTemplateMatchConfigSchema, { pathTemplate }),
  };
}

/** Returns the matcher of a template as a regular expression. */
export function templatePathMatch(path: string): PathMatcher {
  const pieces = path.split(/(\{\*\*?\})/).map((piece) =>
    piece === "{*}" ? "[^/]+" : piece === "{**}" ? ".*" : quote(piece)
  );
  return pathMatcher(regexMatch(pieces.join("")));
}

/** Returns the matcher of a plain path. The query is ignored. */
export function pathMatch(path: string): PathMatcher {
  return pathMatcher(textMatch(path));
}

function pathMatcher(value: StringMatcher): PathMatcher {
  return create(PathMatcherSchema, { rule: { case: "path", value } });
}

/** Expression for everything that a server may treat as a slash, with path parameters before it. */
const SLASHES = "(?:;[^/]*)?(?:/|\\\\|%2[Ff]|%5[Cc])+";

/** Expression for path parameters after the last segment. */
const PARAMETERS = "(?:;.*)?";

/**
 * Matches other spellings of a path that some servers treat like the path: repeated slashes,
 * escaped slashes, parameters after a semicolon. A rule that denies a path must match them,
 * otherwise it can be bypassed.
 *
 * @returns `undefined` if the path matches everything
 */
export function disguisedMatch(path: string): PathMatcher | undefined {
  if (path === "*") return undefined;
  const opens = path.startsWith("*") && !isTemplate(path);
  const ends = path.endsWith("*") && !isTemplate(path);
  const body = path.slice(opens ? 1 : 0, ends ? -1 : undefined);
  const pieces = body.split(/(\/+|\{\*\*?\})/).map((piece) => {
    if (piece.startsWith("/")) return SLASHES;
    if (piece === "{*}") return "[^/]+";
    return piece === "{**}" ? ".*" : quote(piece);
  });
  return pathMatcher(
    regexMatch(`${opens ? ".*" : ""}${pieces.join("")}${ends ? ".*" : PARAMETERS}`),
  );
}
