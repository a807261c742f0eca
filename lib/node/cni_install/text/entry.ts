/**
 * The plugin's entry in a network configuration.
 *
 * @module
 */
import { MeshError, messageOf } from "../../../kit/base/mod.ts";
import { type EntrySettings, PLUGIN } from "../settings.ts";
import { isObject, type JsonObject } from "./network.ts";

/** Version of the protocol in a configuration of the plugin alone. */
const VERSION = "0.3.1";

/**
 * Builds the entry. Fields of the template take the place of those that are built.
 *
 * @param runDir directory of the agent on the node
 * @throws MeshError `cni-template-invalid`
 */
export function entryOf(settings: EntrySettings, runDir: string): JsonObject {
  const { logLevel, excludeNamespaces, podNamespace, ambientEnabled = false } = settings;
  const built: JsonObject = {
    cniVersion: VERSION,
    name: PLUGIN,
    type: PLUGIN,
    ipam: {},
    dns: {},
    plugin_log_level: logLevel,
    cni_agent_run_dir: runDir,
    ambient_enabled: ambientEnabled,
    exclude_namespaces: excludeNamespaces,
    ...podNamespace !== "" && { pod_namespace: podNamespace },
  };
  return settings.template === "" ? built : { ...built, ...readTemplate(settings) };
}

function readTemplate(
  { template, templateFrom, ambientEnabled = false }: EntrySettings,
): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(template);
  } catch (error) {
    throw invalid(templateFrom, `it is not JSON: ${messageOf(error)}`);
  }
  if (!isObject(value)) throw invalid(templateFrom, "it is not a JSON object");
  if (value.type !== undefined && value.type !== PLUGIN) {
    throw invalid(templateFrom, `"type" is ${JSON.stringify(value.type)}; it must be "${PLUGIN}"`);
  }
  // Without the agent's part, pods in ambient mode would never start.
  if (value.ambient_enabled === true && !ambientEnabled) {
    throw invalid(templateFrom, '"ambient_enabled" is true, and --ambient-enabled is not given');
  }
  return value;
}

function invalid(from: string, why: string): MeshError {
  return new MeshError("cni-template-invalid", `the template of ${from} cannot be used: ${why}`, {
    remedy: `Give ${from} the JSON object of one plugin, such as {"plugin_log_level":"debug"}.`,
  });
}
