/**
 * Pages for unknown proxies.
 *
 * @module
 */
import type { DebugInputs } from "../inputs.ts";
import { nearNames } from "../near_names.ts";
import { proxyId } from "../proxies.ts";
import { notFoundPage, shellOf } from "./frame.ts";
import { proxyLink } from "./layout.ts";

/** Renders the page of a proxy that is not connected, with links to proxies with near names. */
export function noProxyPage(inputs: DebugInputs, url: URL, proxy: string): Response {
  const names = new Set(inputs.sessions().map(proxyId));
  return notFoundPage(shellOf(inputs, url), {
    at: "/debug/proxies",
    title: proxy,
    sentence: names.size === 0
      ? "No proxy is connected to this daemon."
      : "This proxy is not connected to this daemon. Another daemon may serve it.",
    near: nearNames(names, proxy).map(proxyLink),
  });
}
