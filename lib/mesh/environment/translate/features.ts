/**
 * Settings of translation, read once at the start.
 *
 * @module
 */
import type { Features } from "../../translate/mod.ts";
import { readListeners } from "./listeners.ts";
import { readClusters } from "./clusters.ts";
import { readRoutes } from "./routes.ts";
import { readSecurity } from "./security.ts";
import { readTelemetry } from "./telemetry.ts";
import { readScope } from "./scope.ts";
import { readGatewayApi } from "./gateway_api.ts";
import { readAmbient } from "./ambient.ts";
import { readNetworks } from "./networks.ts";
import { readTunnels } from "./tunnels.ts";

/** Reads the settings; throws `MeshError` for a value that cannot be read. */
export function readFeatures(): Features {
  return {
    ...readListeners(),
    ...readClusters(),
    ...readRoutes(),
    ...readSecurity(),
    ...readTelemetry(),
    ...readScope(),
    ...readGatewayApi(),
    ...readAmbient(),
    ...readTunnels(),
    ...readNetworks(),
  };
}
