/**
 * Mesh configuration and networks: from files, or from ConfigMaps of the orchestrator.
 *
 * @module
 */
import { REVISION } from "../../lib/cluster/controllers/mod.ts";
import type { Intake } from "../../lib/mesh/ingest/mod.ts";
import { scope } from "../../lib/kit/log/mod.ts";
import type { OrchClient } from "../../lib/kit/orch/mod.ts";
import {
  allowedRanges,
  type ConfigMapSettings,
  fetchBundles,
  followConfigMaps,
  type Followed,
  type MeshWithBundles,
  resolveGateways,
  type SettingsDocument,
  SHARED_MESH_CONFIG,
  watchMeshConfig,
  watchNetworks,
} from "../../lib/mesh/sources/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Engine } from "./engine.ts";
import type { DiscoveryOptions } from "./options.ts";
import type { Settings } from "./settings.ts";

const log = scope("default");

/** Name of the ConfigMap; that of another revision than `default` has the revision as a suffix. */
const CONFIG_MAP = "mesh";

function configMapName(revision = ""): string {
  return revision === "" || revision === "default" ? CONFIG_MAP : `${CONFIG_MAP}-${revision}`;
}

/** Dependencies of the settings. */
export interface MeshSettingsInput {
  readonly options: DiscoveryOptions;
  readonly features: Settings["pipeline"]["features"];
  readonly ingest: Engine["ingest"];
  /** Absent without an orchestrator. */
  readonly client: OrchClient | undefined;
  readonly signal: AbortSignal;
}

/** The followed settings. */
export interface MeshSettings {
  readonly mesh: SettingsDocument<MeshConfig>;
  readonly networks: SettingsDocument<MeshNetworks>;
  readonly bundles: MeshWithBundles;
}

/**
 * Opens the mesh configuration with its trust bundles, and the networks.
 *
 * @returns `undefined` when `signal` was aborted while it waited
 */
export async function openMeshSettings(
  input: MeshSettingsInput,
  stack: AsyncDisposableStack,
): Promise<MeshSettings | undefined> {
  const { options, features, ingest, client, signal } = input;
  const inFiles = await filesOf(options);
  let maps: ConfigMapSettings | undefined;
  if (client !== undefined && !(inFiles.mesh && inFiles.networks)) {
    const shared = SHARED_MESH_CONFIG.get() ?? "";
    const { namespace } = options;
    const name = configMapName(REVISION.get());
    maps = await followConfigMaps({ client, namespace, name, shared, signal });
    if (maps === undefined) return undefined;
    stack.use(maps);
  }
  if (SHARED_MESH_CONFIG.isSet() && (maps === undefined || inFiles.mesh)) {
    log.warn("SHARED_MESH_CONFIG has no effect: the mesh configuration is not from a ConfigMap");
  }
  const mesh = maps && !inFiles.mesh ? maps.mesh : await meshFile(options, stack);
  const bundles = stack.use(
    fetchBundles(mesh, { enabled: features.multiRoot, allowed: allowedRanges() }),
  );
  follow(bundles, ingest.open("mesh configuration"), (value) => ({ mesh: value }));
  const networks = maps && !inFiles.networks ? maps.networks : await networksFile(options, stack);
  const resolved = stack.use(resolveGateways(networks));
  follow(resolved, ingest.open("networks"), (value) => ({ networks: value }));
  return { mesh, networks, bundles };
}

/** A file that a flag names, or that is mounted at the default path, comes before the ConfigMap. */
async function filesOf({ given, meshConfig, networksConfig }: DiscoveryOptions) {
  const exists = (path: string) => Deno.stat(path).then(() => true, () => false);
  return {
    mesh: given.has("meshConfig") || await exists(meshConfig),
    networks: given.has("networksConfig") || await exists(networksConfig),
  };
}

async function meshFile(options: DiscoveryOptions, stack: AsyncDisposableStack) {
  const explicit = options.given.has("meshConfig");
  const file = await watchMeshConfig({ path: options.meshConfig, explicit });
  stack.defer(() => file.close());
  return file;
}

async function networksFile(options: DiscoveryOptions, stack: AsyncDisposableStack) {
  const explicit = options.given.has("networksConfig");
  const file = await watchNetworks({ path: options.networksConfig, explicit });
  stack.defer(() => file.close());
  return file;
}

/** Reports a value, and each later one. */
function follow<T>(
  value: Followed<T>,
  intake: Intake,
  changesOf: (value: T) => Parameters<Intake["settings"]>[0],
): void {
  intake.settings(changesOf(value.current()));
  intake.synced();
  value.subscribe((next) => intake.settings(changesOf(next)));
}
