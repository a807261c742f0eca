/**
 * Inputs of the builders that come from the mesh configuration, the environment and the proxy:
 * defaults of clusters, listeners and TLS, outbound traffic policy, telemetry.
 *
 * @module
 */
export { clusterDefaults, meshLocality } from "./cluster_defaults.ts";
export { HTTP_PROXY_TABLE, httpProxyPort } from "./http_proxy_port.ts";
export { managerDefaults } from "./listener_defaults.ts";
export { clusterOfPolicy, outboundPolicy, passthroughFor } from "./outbound_policy.ts";
export { deriveSharedSettings, ownClusterSettings } from "./proxy_settings.ts";
export { deriveTelemetry, telemetryKey } from "./telemetry.ts";
export { overTlsDefaults } from "./tls_defaults.ts";
