/**
 * The listener at which a workload uses its proxy as an HTTP proxy.
 *
 * @module
 */
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { type ManagerDefaults, outboundHttpListener } from "../../envoy/mod.ts";
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { familyOf, wildcard } from "../context/mod.ts";
import type { Context } from "./features.ts";
import { HTTP_PROXY_TABLE, httpProxyPort } from "../routes/mod.ts";

/** The listener of a class, on loopback: only its own workload uses it. */
export function httpProxyListeners(
  read: Read,
  context: Context,
  cls: ProxyClass,
  manager: ManagerDefaults,
): Listener[] {
  const port = httpProxyPort(read, context, cls);
  if (port === 0) return [];
  return [outboundHttpListener({
    ...wildcard({ family: familyOf(cls), bound: true }),
    port,
    bindToPort: true,
    routeName: HTTP_PROXY_TABLE,
    allowAbsoluteUrl: true,
    manager,
  })];
}
