/**
 * Who may look: peers on this machine. Others would have to authenticate, which
 * needs an authority that is not there yet, so they are refused. What changes
 * something is refused, besides, to pages of other sites that are open in a
 * browser here.
 *
 * @module
 */
import { fromOtherSite, type Handler, type Route, route, text } from "../web/mod.ts";

/** A route under `/debug`, for peers on this machine only; anybody else gets 401 with an empty body. */
export function debugRoute(method: string, pattern: string, handler: Handler): Route {
  return route(method, pattern, (call) => call.local ? handler(call) : text("", { status: 401 }));
}

/** Wraps a handler that changes something: 403 for what another site's page had the browser send. */
export function changing(handler: Handler): Handler {
  return (call) =>
    fromOtherSite(call)
      ? text("this does not come from a page of its own\n", { status: 403 })
      : handler(call);
}
