import { hostOf, isLocalHost } from "./host.ts";
import { type Match, matchRoute, type Route } from "./route.ts";

/** Target of a request. */
export interface Target {
  readonly url: URL;
  readonly match: Match;
  /** The request names this machine, by a loopback name or address; see `host.ts`. */
  readonly local: boolean;
}

/**
 * Reads the target of a request; undefined when it is no path or its host is malformed.
 *
 * The runtime builds the URL of an HTTP/1.1 request from the `Host` header and the request target
 * as they came, or takes an absolute target as it is; that of an HTTP/2 request from `:authority`.
 * A browser always sends one of them, and they agree, so that all that are there must name this
 * machine.
 */
export function targetOf(routes: readonly Route[], request: Request): Target | undefined {
  const header = request.headers.get("host");
  if (header !== null && hostOf(header) === "") return undefined;
  const prefix = `http://${header ?? ""}`;
  // Absolute targets are for proxies; a target such as `*` is no path.
  if (!request.url.startsWith(header === null ? prefix : `${prefix}/`)) return undefined;
  const url = URL.parse(request.url);
  if (url === null || hostOf(url.host) === "") return undefined;
  const local = isLocalHost(url.host) && (header === null || isLocalHost(header));
  return { url, match: matchRoute(routes, request.method, url.pathname), local };
}
