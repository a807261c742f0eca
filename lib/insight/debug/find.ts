/**
 * Helpers for paths about one proxy.
 *
 * @module
 */
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { text } from "../../kit/web/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import { nearNames } from "./near_names.ts";
import { findProxy, proxyId } from "./proxies.ts";
import { TYPE_URLS } from "../../mesh/model/mod.ts";

/** Responds for the proxy in the query: 400 without a name, 404 if it is not connected. */
export function withProxy(
  inputs: DebugInputs,
  url: URL,
  show: (session: SessionInfo) => Response,
): Response {
  const proxy = url.searchParams.get("proxyID");
  if (proxy === null || proxy === "") {
    return text("give the proxy as ?proxyID=NAME.NAMESPACE\n", { status: 400 });
  }
  const session = findProxy(inputs, proxy);
  if (session === undefined) return text(`${unknownProxy(inputs, proxy)}\n`, { status: 404 });
  return show(session);
}

/** Returns the error for a proxy that is not connected, with near names. */
export function unknownProxy(inputs: Pick<DebugInputs, "sessions">, proxy: string): string {
  const near = nearNames(new Set(inputs.sessions().map(proxyId)), proxy);
  const hint = near.length === 0
    ? "no other proxy is connected, either"
    : `near it: ${near.join(", ")}`;
  return `no proxy ${proxy} is connected here; ${hint}`;
}

/**
 * Returns a predicate that reports if a proxy is subscribed to a name of a type. For types that
 * follow the subscribed route tables, the name begins with the table's name.
 */
export function asksFor(
  { types }: Pick<SessionInfo, "types">,
  typeUrl: string,
): (name: string) => boolean {
  const watch = types.find((type) => type.typeUrl === typeUrl);
  if (watch === undefined) return () => false;
  if (watch.wildcard) return () => true;
  const named = new Set(watch.names);
  if (typeUrl !== TYPE_URLS.virtualHost) return (name) => named.has(name);
  const tables = asksFor({ types }, TYPE_URLS.route);
  return (name) => named.has(name) || tables(name.slice(0, name.lastIndexOf("/")));
}
