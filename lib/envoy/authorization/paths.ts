/**
 * Paths of policies.
 *
 * @module
 */
import type { TypedExtensionConfigSchema } from "#envoy/config/core/v3/extension_pb.ts";
import { UriTemplateMatchConfigSchema } from "#envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.ts";
import { type PathMatcher, PathMatcherSchema } from "#envoy/type/matcher/v3/path_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import { create, type MessageInitShape, packAny } from "../../proto/mod.ts";
import { quote, regexMatch, textMatch } from "./text.ts";

/** Whether a path is a template: `{*}` stands for a segment, `{**}` for any number. */
export function isTemplate(path: string): boolean {
  return path.includes("{*}") || path.includes("{**}");
}

/** The matcher of a template. */
export function templateMatch(path: string): MessageInitShape<typeof TypedExtensionConfigSchema> {
  const pathTemplate = path.replaceAll("{*}", "*").replaceAll("{**}", "**");
  return {
    name: "uri-template",
    typedConfig: packAny(UriTemplateMatchConfigSchema, { pathTemplate }),
  };
}

/** The matcher of a template, for those who know expressions alone. */
export function templatePathMatch(path: string): PathMatcher {
  const pieces = path.split(/(\{\*\*?\})/).map((piece) =>
    piece === "{*}" ? "[^/]+" : piece === "{**}" ? ".*" : quote(piece)
  );
  return pathMatcher(regexMatch(pieces.join("")));
}

/** The matcher of a plain path. Queries are not looked at. */
export function pathMatch(path: string): PathMatcher {
  return pathMatcher(textMatch(path));
}

function pathMatcher(value: StringMatcher): PathMatcher {
  return create(PathMatcherSchema, { rule: { case: "path", value } });
}

/** What servers may take for a slash, and the parameters that may stand before one. */
const SLASHES = "(?:;[^/]*)?(?:/|\\\\|%2[Ff]|%5[Cc])+";

/** Parameters behind the last segment. */
const PARAMETERS = "(?:;.*)?";

/**
 * Further ways to write a path that some servers take for the same: with several
 * slashes in a row, slashes escaped, parameters behind a semicolon. A rule that
 * forbids a path must know them, or it could be walked round.
 *
 * @returns `undefined` where everything matches anyway
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
