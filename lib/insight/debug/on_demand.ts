/**
 * `/debug/on_demand`: what proxies with configuration on demand asked for, by workload class; as a page,
 * as JSON, and as Sidecar resources that import the same.
 *
 * @module
 */
import { toYaml } from "../../kit/text/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { debugRoute } from "./access.ts";
import type { DebugInputs } from "./inputs.ts";
import { sidecarOf } from "../learned_scopes/mod.ts";
import { scopesOf } from "./on_demand_view.ts";
import { onDemandPage, shellOf, wantsPage } from "./pages/mod.ts";

/** `/debug/on_demand`; `?namespace=` selects, `?format=sidecar` gives YAML. */
export function onDemandRoutes(inputs: DebugInputs): Route[] {
  return [debugRoute("GET", "/debug/on_demand", ({ request, url }) => {
    const namespace = url.searchParams.get("namespace");
    const scopes = scopesOf(inputs)
      .filter((one) => namespace === null || one.namespace === namespace);
    if (url.searchParams.get("format") === "sidecar") {
      return text(scopes.map((one, i) => toYaml(sidecarOf(one, i))).join("---\n"));
    }
    return wantsPage(request) ? onDemandPage(shellOf(inputs, url), scopes) : json(scopes);
  })];
}
