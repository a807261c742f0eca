/**
 * Resources for agents: the DNS name table (NDS), the proxy configuration of ProxyConfigs, trusted
 * certificates.
 *
 * @module
 */
export { createAgentLayers } from "./layers.ts";
export { proxySettings } from "./proxy_settings.ts";
export type { AgentFeatures } from "./features.ts";
