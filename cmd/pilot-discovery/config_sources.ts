/**
 * Where configuration is read from: the directory of the flag, and those of the mesh configuration.
 *
 * @module
 */
import { resolve } from "node:path";
import { MeshError } from "../../lib/base/mod.ts";
import { scope } from "../../lib/log/mod.ts";
import { directoryOf } from "../../lib/schema/mod.ts";
import {
  type Directories,
  type DirectoriesOptions,
  startDirectories,
} from "../../lib/sources/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { DiscoveryOptions } from "./options.ts";

const log = scope("default");

/** Configuration that is read. */
export interface ConfigSources {
  readonly files: Directories;
  /** Follows what another mesh configuration names; what is there goes on where it names nothing. */
  readonly follow: (mesh: MeshConfig) => void;
}

/** The directories of the flag and of `configSources`, absolute, in the order in which they precede each other. */
export function directoriesOf(
  { configDir }: Pick<DiscoveryOptions, "configDir">,
  { configSources }: Pick<MeshConfig, "configSources">,
): string[] {
  const named = configSources.flatMap(({ address }) => directoryOf(address) ?? []);
  const all = configDir === "" ? named : [configDir, ...named];
  return [...new Set(all.map((dir) => resolve(dir)))];
}

/**
 * Reads them and follows their changes.
 *
 * @throws MeshError `no-configuration` where there are none, `config-dir` where one cannot be read
 */
export async function startConfigSources(
  options: Pick<DiscoveryOptions, "configDir">,
  mesh: MeshConfig,
  onChange: DirectoriesOptions["onChange"],
): Promise<ConfigSources> {
  const dirs = directoriesOf(options, mesh);
  if (dirs.length === 0) {
    throw new MeshError(
      "no-configuration",
      "there is no configuration: neither a directory was given nor an orchestrator found",
      {
        remedy:
          "Give a directory of YAML files with --configDir, or as fs://DIR in configSources " +
          "of the mesh configuration.",
      },
    );
  }
  const home = options.configDir === "" ? undefined : resolve(options.configDir);
  const files = await startDirectories({ dirs, home, onChange });
  let last = dirs.join("\n");
  return {
    files,
    follow: (mesh) => {
      const dirs = directoriesOf(options, mesh);
      if (dirs.length === 0) {
        log.warn("the mesh configuration names no directory any more; the last ones are read on");
      } else if (dirs.join("\n") !== last) {
        last = dirs.join("\n");
        void files.follow(dirs);
      }
    },
  };
}
