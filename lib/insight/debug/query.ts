/**
 * Debug queries that come over xDS, answered by the routes of the debug pages.
 *
 * @module
 */
import { RpcError, type RpcStatus } from "../../kit/rpc/mod.ts";
import { askRoutes, type Route } from "../../kit/web/mod.ts";
import type { DebugInputs } from "./inputs.ts";
import { findProxy } from "./proxies.ts";

/** The client that asks. */
export interface QueryClient {
  /** True: it may see everything. */
  readonly trusted: boolean;
  /** Namespace of its verified identity. */
  readonly namespace: string | undefined;
}

/** Answers a query: a path below `/debug/` with its parameters, such as `syncz`. */
export type DebugQuery = (query: string, client: QueryClient) => Promise<Uint8Array>;

const PREFIX = "/debug/";
const ORIGIN = "http://localhost";

/** Views about one proxy, which identities of its namespace may see. */
const OWN_VIEWS: ReadonlySet<string> = new Set(["config_dump", "edsz", "ndsz"]);

/** Status of the stream by the status of the page. */
const STATUSES: Readonly<Record<number, RpcStatus>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
};

/**
 * Creates the function that answers queries. It rejects with `RpcError`: PERMISSION_DENIED for what the
 * client may not see, NOT_FOUND for an unknown view or proxy, INVALID_ARGUMENT for bad parameters.
 */
export function debugQueries(
  inputs: Pick<DebugInputs, "sessions">,
  routes: readonly Route[],
): DebugQuery {
  return async (query, client) => {
    if (!client.trusted && !isOwn(inputs, query, client.namespace)) {
      throw new RpcError(
        "PERMISSION_DENIED",
        `identities of other namespaces than the system namespace may only ask ${
          [...OWN_VIEWS].join(", ")
        } about proxies of their namespace`,
      );
    }
    const response = await askRoutes(routes, PREFIX + query);
    if (response === undefined) throw new RpcError("NOT_FOUND", "there is no such debug view");
    const { status } = response;
    if (status === 200) return new Uint8Array(await response.arrayBuffer());
    throw new RpcError(STATUSES[status] ?? "INTERNAL", (await response.text()).trim());
  };
}

/** Reports if a query is about a proxy of the namespace, and only about it. */
function isOwn(
  inputs: Pick<DebugInputs, "sessions">,
  query: string,
  namespace: string | undefined,
): boolean {
  if (namespace === undefined || !URL.canParse(PREFIX + query, ORIGIN)) return false;
  // Parsed as the routes parse it, which leave some characters out.
  const { pathname, searchParams } = new URL(PREFIX + query, ORIGIN);
  if (!OWN_VIEWS.has(pathname.slice(PREFIX.length))) return false;
  const [proxy, ...others] = searchParams.getAll("proxyID");
  if (proxy === undefined || others.length > 0) return false;
  return findProxy(inputs, proxy)?.node.namespace === namespace;
}
