/**
 * Answers that are about one proxy.
 *
 * @module
 */
import type { SessionInfo } from "../serve/mod.ts";
import { text } from "../web/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import { findProxy } from "./proxies.ts";

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
