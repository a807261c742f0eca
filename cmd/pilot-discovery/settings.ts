import type { DebounceSettings } from "../../lib/mesh/ingest/mod.ts";
import { readDebounceSettings, readFeatures, readKeep } from "../../lib/mesh/environment/mod.ts";
import type { PipelineOptions } from "../../lib/mesh/translate/mod.ts";
import type { DiscoveryOptions } from "./options.ts";

/** Flags and environment of a daemon, read once at its start. */
export interface Settings {
  readonly options: DiscoveryOptions;
  readonly pipeline: PipelineOptions;
  readonly debounce: DebounceSettings;
}

/** Reads the environment; throws `MeshError` for a value that cannot be read. */
export function readSettings(options: DiscoveryOptions): Settings {
  const { domain, clusterId, clusterAliases } = options;
  return {
    options,
    pipeline: { domain, clusterId, clusterAliases, features: readFeatures(), keep: readKeep() },
    debounce: readDebounceSettings(),
  };
}
