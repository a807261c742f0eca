/**
 * Matches of HTTP requests: paths, methods, headers, query parameters, claims of tokens; matchers
 * of strings.
 *
 * @module
 */
export { isCatchAll, translateMatch } from "./match.ts";
export { exactMatcher, stringMatcher } from "./text_match.ts";
