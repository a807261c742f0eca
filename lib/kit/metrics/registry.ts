import type prom from "prom-client";
import { PromRegistry } from "./library.ts";

/**
 * The registry of this process. The library's global registry is not used, so that metrics of other
 * packages do not appear.
 */
export const registry: prom.Registry<prom.PrometheusContentType> = new PromRegistry();
