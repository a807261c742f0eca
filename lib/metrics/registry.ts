import type prom from "prom-client";
import { PromRegistry } from "./library.ts";

/**
 * The registry of this process. The library's own global one is not used, so that nothing that
 * another package registers there can show up among Mesh's metrics.
 */
export const registry: prom.Registry<prom.PrometheusContentType> = new PromRegistry();
