/**
 * The node agent: it writes the proxy's bootstrap file, runs the proxy, relays its xDS to the
 * daemon, reports its readiness, and drains it.
 *
 * @module
 */
export { type Agent, type AgentParts, startAgent } from "./agent.ts";
export { type AgentEnv, readEnv } from "./variables.ts";
export type { ResourceConverter } from "./convert.ts";
export { askPullSecret } from "./pull_secret.ts";
export type { AgentSubscription } from "./intercept.ts";
export { type Loaded, type LoadFlags, loadSettings, ownStatusPort } from "./load.ts";
export { type AgentRole, ROLES } from "./node.ts";
export { type AgentFlags, type AgentPlan, type AgentSettings, planAgent } from "./plan.ts";
export { type PlatformOptions, readPlatform } from "./platform/platform.ts";
export { type Relay, type RelayOptions, startRelay } from "./relay.ts";
export { servedConfig } from "./served_config.ts";
