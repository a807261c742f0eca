/**
 * The port at which a workload uses its proxy as an HTTP proxy.
 *
 * @module
 */
import type { Read } from "../../graph/mod.ts";
import type { ProxyClass } from "../../model/mod.ts";
import type { Context } from "../context/mod.ts";

/** Name of the route table. */
export const HTTP_PROXY_TABLE = "http_proxy";

/** The port of a class: from node metadata `HTTP_PROXY_PORT`, else the mesh's; 0: none. */
export function httpProxyPort(read: Read, { mesh }: Context, { options }: ProxyClass): number {
  const own = Number(options.HTTP_PROXY_PORT ?? "");
  const valid = Number.isInteger(own) && own > 0 && own <= 65_535;
  return valid ? own : mesh.field(read, "proxyHttpPort");
}
