import type { ListenAddress } from "./address.ts";

/** One request, as a handler sees it. */
export interface WebCall {
  readonly request: Request;
  readonly url: URL;
  /** Values of `:name` segments, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The client's end of the connection. */
  readonly peer: ListenAddress;
  /**
   * True when the peer is on this machine and names it by a loopback name or address. This is safe
   * against DNS rebinding, so it may stand in for authentication where loopback is trusted.
   */
  readonly local: boolean;
  /** Aborted when the time for the request is over, its client left, or the listener stopped. */
  readonly signal: AbortSignal;
  /** The body as text, within the listener's limit of size and time. */
  body(): Promise<string>;
}

/** Answers a request. An exception gives status 500 with no details. */
export type Handler = (call: WebCall) => Response | Promise<Response>;

/** A handler with the requests it is for. */
export interface Route {
  /** `GET` (which answers `HEAD` too), `POST`, …; `*` for any. */
  readonly method: string;
  readonly segments: readonly string[];
  readonly handler: Handler;
  /**
   * A cheap request by which others see that the process works. Probes are admitted apart, so that
   * other requests cannot keep them from being answered.
   */
  readonly probe: boolean;
}

/**
 * Creates a route.
 *
 * @param pattern a path such as `/debug/:name`; `:name` matches one segment, a last segment `*rest`
 * matches all that follow, slashes included.
 */
export function route(method: string, pattern: string, handler: Handler): Route {
  return { method, segments: pattern.split("/").slice(1), handler, probe: false };
}

/** Makes a route for probes; see `Route.probe`. */
export function probe(method: string, pattern: string, handler: Handler): Route {
  return { ...route(method, pattern, handler), probe: true };
}

/** The result of a search of the routes. */
export type Match =
  | { readonly kind: "found"; readonly route: Route; readonly params: Record<string, string> }
  | { readonly kind: "method"; readonly allow: readonly string[] }
  | { readonly kind: "none" };

/** Finds the first route for a method and a path (as in a URL, still encoded). */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match {
  const segments = decodeSegments(path);
  if (segments === undefined) return { kind: "none" };
  const allow = new Set<string>();
  for (const each of routes) {
    const params = matchSegments(each.segments, segments);
    if (params === undefined) continue;
    if (takesMethod(each.method, method)) return { kind: "found", route: each, params };
    allow.add(each.method);
    if (each.method === "GET") allow.add("HEAD");
  }
  return allow.size === 0 ? { kind: "none" } : { kind: "method", allow: [...allow] };
}

function takesMethod(wanted: string, method: string): boolean {
  return wanted === "*" || wanted === method || wanted === "GET" && method === "HEAD";
}

/** Segments are split before they are decoded: an encoded slash is part of a name. */
function decodeSegments(path: string): string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, expected] of pattern.entries()) {
    if (expected.startsWith("*")) {
      params[expected.slice(1)] = segments.slice(at).join("/");
      return segments.length > at ? params : undefined;
    }
    const actual = segments[at];
    if (actual === undefined) return undefined;
    if (expected.startsWith(":") && actual !== "") params[expected.slice(1)] = actual;
    else if (expected !== actual) return undefined;
  }
  return pattern.length === segments.length ? params : undefined;
}
