/**
 * Conversion of routes of the Gateway API to VirtualServices. So far: conditions on requests, and the
 * order in which those of one host are tried.
 *
 * @module
 */
export { compareMatches, convertMatch } from "./http_matches.ts";
