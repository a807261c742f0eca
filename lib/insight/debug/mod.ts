/**
 * The daemon's `/debug` pages and JSON views, read-only: proxies, configuration, endpoints,
 * `config_dump`, why, request, what-if, history, costs, the engine. `paths.ts` lists all paths;
 * HTML is in `pages`.
 *
 * @module
 */
import type { Route } from "../../kit/web/mod.ts";
import { adminRoutes, injectionRoutes, sharedRoutes } from "./admin.ts";
import { ambientRoutes } from "./ambient.ts";
import { configDumpRoutes } from "./config_dump.ts";
import { configRoutes } from "./config.ts";
import { engineRoutes } from "./engine.ts";
import { historyRoutes } from "./history.ts";
import { indexRoutes, unknownPathRoutes } from "./pages/overview_page.ts";
import type { DebugInputs } from "./inputs.ts";
import { meshRoutes } from "./mesh_state.ts";
import {
  mapPages,
  objectPages,
  proxyPages,
  receiptPages,
  resourcePages,
  servicePages,
  workPages,
} from "./pages/mod.ts";
import { incidentRoutes } from "./incident.ts";
import { onDemandRoutes } from "./on_demand.ts";
import { requestRoutes } from "./request.ts";
import { proxyRoutes } from "./proxies.ts";
import { proxyStateRoutes } from "./proxy_states.ts";
import { whatIfRoutes } from "./whatif.ts";
import { whyRoutes } from "./why.ts";
import { endpointRoutes } from "./endpoints.ts";

export { type RemoteCallers, withRemoteCallers } from "./access.ts";
export {
  type RootChangeControl,
  rootChangeRoutes,
  type RootChangeView,
  type RootDecision,
} from "./root_change.ts";
export { ENABLE_DEBUG_ON_HTTP, UNSAFE_ENABLE_ADMIN_ENDPOINTS } from "./variables.ts";
export { DEBUG_PATHS, type DebugPath } from "./paths.ts";
export { debugQueries, type DebugQuery, type QueryClient } from "./query.ts";
export { createPushLog, type Publication, type PushLog } from "./pushes.ts";
export { createSamples, type Sample, SAMPLE_MS, type Samples } from "./samples.ts";
export { createSpending, type Spending, type Spent } from "./spending.ts";
export type { DebugInputs, Expiry } from "./inputs.ts";

/** All routes under `/debug`. */
export function debugRoutes(inputs: DebugInputs): Route[] {
  return [
    ...indexRoutes(inputs),
    ...proxyRoutes(inputs),
    ...proxyStateRoutes(inputs),
    ...configDumpRoutes(inputs),
    ...whyRoutes(inputs),
    ...configRoutes(inputs),
    ...meshRoutes(inputs),
    ...onDemandRoutes(inputs),
    ...endpointRoutes(inputs),
    ...engineRoutes(inputs),
    ...whatIfRoutes(inputs),
    ...requestRoutes(inputs),
    ...incidentRoutes(inputs),
    ...adminRoutes(inputs),
    ...injectionRoutes(inputs),
    ...sharedRoutes(inputs),
    ...ambientRoutes(inputs),
    ...proxyPages(inputs),
    ...resourcePages(inputs),
    ...objectPages(inputs),
    ...servicePages(inputs),
    ...mapPages(inputs),
    ...workPages(inputs),
    ...receiptPages(inputs),
    ...historyRoutes(inputs),
    ...unknownPathRoutes(inputs),
  ];
}
