/**
 * All switches of translation.
 *
 * @module
 */
import type { AgentFeatures } from "./agents/mod.ts";
import type { ClusterFeatures } from "./clusters/mod.ts";
import type {
  BaseContext as SharedBaseContext,
  Context as SharedContext,
  SharedFeatures,
} from "./context/mod.ts";
import type { ClassNames } from "../gateway_api/mod.ts";
import type { EndpointFeatures } from "./endpoints/mod.ts";
import type { GatewayFeatures } from "./gateways/mod.ts";
import type { ListenerFeatures } from "./listeners/mod.ts";
import type { ProxyFeatures } from "./proxies/mod.ts";
import type { SecurityFeatures } from "./security/mod.ts";
import type { TelemetryFeatures } from "./telemetry/mod.ts";

/** Features of the tables of the mesh, which are below translation. */
interface MeshFeatures {
  /** Discovery selectors also restrict the namespaces from which configuration is read. */
  readonly enhancedScoping: boolean;
  /** Policies that select by labels apply to gateways of the orchestrator's Gateway API too. */
  readonly selectorsForApiGateways: boolean;
  /** False: objects of the Gateway API have no effect; default: true. */
  readonly gatewayApi?: boolean;
  /** False: Gateways of the Gateway API with the label of a network are no gateways of it. */
  readonly discoverNetworkGateways?: boolean;
  /** Names of the controller and of the class of the Gateway API; default: those of Mesh. */
  readonly gatewayClasses?: ClassNames;
  /** True: ambient mode is on; default: false. */
  readonly ambient?: boolean;
  /** True: workloads behind a waypoint accept connections of the waypoint alone; default: false. */
  readonly allowWaypoints?: boolean;
  /** Rules for one host are merged only where they are exported to the same namespaces. */
  readonly mergeEqualExports: boolean;
}

/** Features that the environment enables. Each is declared beside the code that reads it. */
export interface Features
  extends
    AgentFeatures,
    ClusterFeatures,
    EndpointFeatures,
    GatewayFeatures,
    ListenerFeatures,
    MeshFeatures,
    ProxyFeatures,
    SecurityFeatures,
    SharedFeatures,
    TelemetryFeatures {}

/** The context with all features. */
export type Context = SharedContext<Features>;

/** The base context with all features. */
export type BaseContext = SharedBaseContext<Features>;
