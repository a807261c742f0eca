import prom from "prom-client";

/**
 * The registry of this process. The library's own global one is not used, so that nothing that
 * another package registers there can show up among Mesh's metrics.
 */
export const registry: prom.Registry<prom.PrometheusContentType> = new prom.Registry();
