/**
 * Who may look: peers on this machine. Others would have to authenticate, which
 * needs an authority that is not there yet, so they are refused.
 *
 * @module
 */
import { type Handler, type Route, route, text } from "../web/mod.ts";

/** A route under `/debug`, for peers on this machine only; anybody else gets 401 with an empty body. */
export function debugRoute(method: string, pattern: string, handler: Handler): Route {
  return route(method, pattern, (call) => call.local ? handler(call) : text("", { status: 401 }));
}
