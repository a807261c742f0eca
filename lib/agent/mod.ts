/**
 * The node agent: it writes the proxy's bootstrap file, runs the proxy, relays its xDS to the
 * daemon, tells whether it is ready, and lets it drain.
 *
 * @module
 */
export { type Addresses, addressesOf, interfaceAddresses } from "./addresses.ts";
export { type Agent, startAgent } from "./agent.ts";
export { type AgentEnv, readEnv } from "./env.ts";
export { type IdleVariable, idleVariables } from "./idle_env.ts";
export { type AgentRole, type BootstrapNode, ROLES } from "./node.ts";
export {
  type AgentFlags,
  type AgentPlan,
  type AgentSettings,
  type NamedText,
  planAgent,
} from "./plan.ts";
export { type Pairs, readPairs } from "./pod.ts";
export { type Relay, type RelayOptions, startRelay } from "./relay.ts";
