/**
 * Access control of debug pages: peers on this machine, and callers elsewhere whose credentials allow
 * it. Requests with side effects are also rejected if they come from another site's page in a browser
 * on this machine.
 *
 * @module
 */
import {
  fromOtherSite,
  type Handler,
  type Route,
  route,
  text,
  type WebCall,
} from "../../kit/web/mod.ts";

/** A route under `/debug` for peers on this machine; other peers get 401 with an empty body. */
export function debugRoute(method: string, pattern: string, handler: Handler): Route {
  return route(method, pattern, (call) => call.local ? handler(call) : text("", { status: 401 }));
}

/**
 * Decides about a caller on another machine: `full` reads everything, `foreign` proved an identity
 * that may not, `unknown` proved none.
 */
export type RemoteCallers = (call: WebCall) => Promise<"full" | "foreign" | "unknown">;

/**
 * The same routes, also for callers on other machines that `decide` lets read everything. Only `GET`
 * is for them. Others get 401 with an empty body, or 403.
 */
export function withRemoteCallers(routes: readonly Route[], decide: RemoteCallers): Route[] {
  return routes.map((one) =>
    one.method !== "GET" ? one : {
      ...one,
      handler: async (call) => {
        const verdict = call.local ? "full" : await decide(call);
        if (verdict === "full") return await one.handler({ ...call, local: true });
        return text("", { status: verdict === "foreign" ? 403 : 401 });
      },
    }
  );
}

/** Wraps a handler with side effects: 403 for requests from another site's page. */
export function changing(handler: Handler): Handler {
  return (call) =>
    fromOtherSite(call)
      ? text("this does not come from a page of its own\n", { status: 403 })
      : handler(call);
}
