/**
 * Agreements between daemon and agent about Wasm modules that the agent fetches.
 *
 * @module
 */

/** Metadata of proxies whose agent fetches modules; its value is `true`. */
export const AGENT_WASM: string = "AGENT_WASM";

/**
 * Environment variable of a plugin's machine with the pull policy, `always` or `if-not-present`. The
 * agent takes it out.
 */
export const PULL_POLICY_VARIABLE: string = "MESH_META_WASM_IMAGE_PULL_POLICY";

/** Checksum of a module without one: Envoy's message must have some. */
export const NO_CHECKSUM: string = "nil";

/**
 * Environment variable of a plugin's machine with the name of its pull secret, which the agent asks
 * the daemon for. The agent takes it out.
 */
export const PULL_SECRET_VARIABLE: string = "MESH_META_WASM_IMAGE_PULL_SECRET";
