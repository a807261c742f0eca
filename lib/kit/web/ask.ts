import { matchRoute, type Route } from "./route.ts";

/** Origin of the URLs of questions; they come from no listener. */
const ORIGIN = "http://localhost";

/**
 * Answers a question that comes by another way than a listener, by the same routes: `GET` of a path
 * with its query, as a client on this machine. The caller has decided that the client may ask.
 *
 * @returns `undefined` when no route has the path
 */
export async function askRoutes(
  routes: readonly Route[],
  path: string,
): Promise<Response | undefined> {
  if (!URL.canParse(path, ORIGIN)) return undefined;
  const url = new URL(path, ORIGIN);
  // A path such as `//host/x` would name another origin.
  if (url.origin !== ORIGIN) return undefined;
  const match = matchRoute(routes, "GET", url.pathname);
  if (match.kind !== "found") return undefined;
  return await match.route.handler({
    request: new Request(url),
    url,
    params: match.params,
    peer: { hostname: "localhost", port: 0 },
    local: true,
    signal: new AbortController().signal,
    body: () => Promise.resolve(""),
  });
}
