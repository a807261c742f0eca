/**
 * Matches of requests: paths, headers, query parameters, claims of tokens.
 *
 * @module
 */
export { isCatchAll, translateMatch } from "./match.ts";
export { exactMatcher, stringMatcher } from "./text_match.ts";
