import type { WebCall } from "./route.ts";

/**
 * True for what a page of another site had the browser send, which could change something here
 * without its user knowing; programs send neither of the headers that tell.
 */
export function fromOtherSite({ request, url }: Pick<WebCall, "request" | "url">): boolean {
  // The origin of a form is `null` under our referrer policy, so the clearer header is read first.
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("origin");
  return origin !== null && origin !== url.origin;
}
