/**
 * Paths with side effects, and paths of injection and shared services.
 *
 * @module
 */
import { type Handler, json, type Route, text } from "../../kit/web/mod.ts";
import { changing, debugRoute } from "./access.ts";
import { unknownProxy } from "./find.ts";
import type { DebugInputs } from "./inputs.ts";

/** `/debug/force_disconnect`, if it is enabled. */
export function adminRoutes(inputs: DebugInputs): Route[] {
  const { disconnect } = inputs;
  if (disconnect === undefined) return [];
  const handler: Handler = changing(({ url }) => {
    const proxy = url.searchParams.get("proxyID");
    if (proxy === null || proxy === "") {
      return text("give the proxy as ?proxyID=NAME.NAMESPACE\n", { status: 400 });
    }
    const gone = disconnect(proxy);
    return gone === 0
      ? text(`${unknownProxy(inputs, proxy)}\n`, { status: 404 })
      : text(`Disconnected ${gone} streams\n`);
  });
  return ["GET", "POST"].map((method) => debugRoute(method, "/debug/force_disconnect", handler));
}

/** `/debug/inject`: templates and values of injection. */
export function injectionRoutes({ injection }: DebugInputs): Route[] {
  const handler: Handler = () => {
    const shown = injection?.();
    if (shown !== undefined) return json(shown);
    const sentence = "there is no injection: the listener of the webhooks is not open, or " +
      "INJECT_ENABLED is false\n";
    return text(sentence, { status: 404 });
  };
  return [debugRoute("GET", "/debug/inject", handler)];
}

/** `/debug/mcsz`: services that clusters export or import, by host and cluster. */
export function sharedRoutes({ shared }: DebugInputs): Route[] {
  const handler: Handler = () =>
    shared === undefined
      ? text("there are no exports and imports without an orchestrator\n", { status: 404 })
      : json(
        [...shared()].sort((a, b) =>
          a.host.localeCompare(b.host) || a.cluster.localeCompare(b.cluster)
        ),
      );
  return [debugRoute("GET", "/debug/mcsz", handler)];
}
