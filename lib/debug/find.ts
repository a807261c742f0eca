/**
 * Answers that are about one proxy.
 *
 * @module
 */
import type { SessionInfo } from "../serve/mod.ts";
import { text } from "../web/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import { findProxy } from "./proxies.ts";
import { TYPE_URLS } from "../model/mod.ts";

/** Answers for the proxy that a request names: 400 without a name, 404 for one that is not connected. */
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
  if (session === undefined) return text("no such proxy is connected here\n", { status: 404 });
  return show(session);
}

/**
 * Tells of names of a type whether a proxy asks for them. Of one that nobody names, because it follows
 * the route tables that a proxy asks for, the name begins with its table's.
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
