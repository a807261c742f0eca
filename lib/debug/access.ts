/**
 * Access control of debug pages: only peers on this machine. Other peers would have to
 * authenticate, which needs a certificate authority that is not implemented, so they are rejected.
 * Requests with side effects are also rejected if they come from another site's page in a browser
 * on this machine.
 *
 * @module
 */
import { fromOtherSite, type Handler, type Route, route, text } from "../web/mod.ts";

/** A route under `/debug` for peers on this machine; other peers get 401 with an empty body. */
export function debugRoute(method: string, pattern: string, handler: Handler): Route {
  return route(method, pattern, (call) => call.local ? handler(call) : text("", { status: 401 }));
}

/** Wraps a handler with side effects: 403 for requests from another site's page. */
export function changing(handler: Handler): Handler {
  return (call) =>
    fromOtherSite(call)
      ? text("this does not come from a page of its own\n", { status: 403 })
      : handler(call);
}
