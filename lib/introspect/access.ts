/**
 * Who may look, and who may change something.
 *
 * Looking is for whoever reaches the listener, which is this machine unless its address was chosen
 * otherwise. Changes are for this machine alone, whatever the address, and not for web pages of
 * others that are open in a browser on it: those can send forms here without reading the answers.
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
} from "../web/mod.ts";

/** Routes to look at something, with and without a slash at the end. */
export function reading(pattern: string, handler: Handler): Route[] {
  const guarded: Handler = (call) => rebound(call) ?? handler(call);
  return [pattern, `${pattern}/`].map((each) => route("GET", each, guarded));
}

/** Routes to look at something that is for this machine alone, such as profiles. */
export function readingHere(pattern: string, handler: Handler): Route[] {
  return reading(pattern, (call) => call.local ? handler(call) : notHere());
}

/** A route to change something. */
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

/** On an address beyond loopback, the listener itself lets foreign host names through. */
function rebound({ peer, local }: WebCall): Response | undefined {
  return isLoopback(peer.hostname) && !local ? notHere() : undefined;
}
