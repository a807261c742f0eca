/**
 * Access to the introspection listener.
 *
 * Every client that reaches the listener may read; by default the listener is on this machine. Only
 * clients on this machine may change something, whatever the address, and no pages of other sites
 * in a browser, which could send forms without reading the answers.
 *
 * @module
 */
import {
  fromOtherSite,
  type Handler,
  isLoopback,
  type Route,
  route,
  text,
  type WebCall,
} from "../../kit/web/mod.ts";

/** Read-only routes, with and without a slash at the end. */
export function reading(pattern: string, handler: Handler): Route[] {
  const guarded: Handler = (call) => rebound(call) ?? handler(call);
  return [pattern, `${pattern}/`].map((each) => route("GET", each, guarded));
}

/** Read-only routes for clients on this machine only, such as profiles. */
export function readingHere(pattern: string, handler: Handler): Route[] {
  return reading(pattern, (call) => call.local ? handler(call) : notHere());
}

/** A route that changes something. */
export function changing(method: string, pattern: string, handler: Handler): Route {
  return route(method, pattern, (call) => {
    if (!call.local) return notHere();
    return fromOtherSite(call)
      ? refused("this does not come from a page of its own")
      : handler(call);
  });
}

function notHere(): Response {
  return refused("this is for clients on this machine, which name it localhost or 127.0.0.1");
}

function refused(sentence: string): Response {
  return text(`${sentence}\n`, { status: 403 });
}

/** On an address other than loopback, the listener itself accepts foreign host names. */
function rebound({ peer, local }: WebCall): Response | undefined {
  return isLoopback(peer.hostname) && !local ? notHere() : undefined;
}
