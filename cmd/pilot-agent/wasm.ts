/**
 * Wasm modules of `pilot-agent proxy`.
 *
 * @module
 */
import { resolve } from "node:path";
import {
  type AgentPlan,
  askPullSecret,
  type RelayOptions,
  type ResourceConverter,
} from "../../lib/node/agent/mod.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { openModules, pluginConverter } from "../../lib/node/wasm/mod.ts";

/** Folder of the modules in the folder of the proxy's configuration. */
const FOLDER = "wasm";

/** The converter of plugins, with the modules behind it. */
export interface AgentWasm {
  readonly converter: ResourceConverter;
  /** Ends fetches and timers. */
  stop(): void;
}

/**
 * Opens the modules if the agent fetches them for its proxy.
 *
 * @throws MeshError `wasm-folder`
 */
export async function startWasm(
  { command, configPath, env, target, node }: AgentPlan,
  tls: RelayOptions["tls"],
): Promise<AgentWasm | undefined> {
  if (!env.wasm.converts || command === undefined) return undefined;
  const modules = await openModules({
    ...env.wasm,
    folder: resolve(configPath, FOLDER),
    keep: env.savedConfig,
  });
  return {
    converter: {
      typeUrl: TYPE_URLS.extension,
      convert: pluginConverter(modules, (name) => askPullSecret({ target, tls, node }, name)),
    },
    stop: () => modules.stop(),
  };
}
