/**
 * Source of configuration objects of the daemon: the directory of `--configDir`, and those of
 * `configSources` in the mesh configuration.
 *
 * @module
 */
import { resolve } from "node:path";
import { MeshError } from "../../../kit/base/mod.ts";
import type { Intake } from "../../ingest/mod.ts";
import { scope } from "../../../kit/log/mod.ts";
import { controlPlaneOf, directoryOf } from "../../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { Followed } from "../followed.ts";
import { type Directories, startDirectories } from "./directories.ts";

const log = scope("default");

/** Settings of the source. */
export interface ConfigDirectoriesOptions {
  /** The flag; empty: no directory. */
  readonly configDir: string;
  readonly mesh: Followed<MeshConfig>;
  readonly intake: Intake;
  /** True: there is another source, so that no directory is needed. */
  readonly optional?: boolean;
}

/** Directories that are followed. */
export type ConfigDirectories = Omit<Directories, "follow">;

/**
 * Absolute paths of the directories, in the order of precedence: that of the flag, then those of
 * `configSources`.
 */
export function directoriesOf(
  configDir: string,
  { configSources }: Pick<MeshConfig, "configSources">,
): string[] {
  const named = configSources.flatMap(({ address }) => directoryOf(address) ?? []);
  const all = configDir === "" ? named : [configDir, ...named];
  return [...new Set(all.map((dir) => resolve(dir)))];
}

/**
 * Reads the directories and follows their changes; a changed mesh configuration may name others. When
 * it names none any more, the last ones stay.
 *
 * @throws MeshError `no-configuration` when there are none, `config-dir` when one cannot be read
 */
export async function startConfigDirectories(
  { configDir, mesh, intake, optional = false }: ConfigDirectoriesOptions,
): Promise<ConfigDirectories> {
  const dirs = directoriesOf(configDir, mesh.current());
  const needed = !optional && !namesControlPlanes(mesh.current());
  if (dirs.length === 0 && needed) throw noConfiguration();
  const home = configDir === "" ? undefined : resolve(configDir);
  const files = await startDirectories({ dirs, home, intake });
  intake.synced();
  let last = dirs.join("\n");
  const follow = (config: MeshConfig): void => {
    const dirs = directoriesOf(configDir, config);
    if (dirs.length === 0 && last !== "") {
      log.warn("the mesh configuration names no directory any more; the last ones are used");
    } else if (dirs.join("\n") !== last) {
      last = dirs.join("\n");
      void files.follow(dirs);
    }
  };
  const unsubscribe = mesh.subscribe(follow);
  // It may have changed while the directories were read.
  follow(mesh.current());
  return {
    ...files,
    close: () => {
      unsubscribe();
      return files.close();
    },
  };
}

function namesControlPlanes({ configSources }: MeshConfig): boolean {
  return configSources.some(({ address }) => controlPlaneOf(address) !== undefined);
}

function noConfiguration(): MeshError {
  return new MeshError(
    "no-configuration",
    "there is no configuration: no directory or control plane is given, and no orchestrator is connected",
    {
      remedy: "Give a directory of YAML files with --configDir, or as fs://DIR in configSources " +
        "of the mesh configuration; or a control plane there, as xds://HOST:PORT; or the " +
        "configuration file of an orchestrator with --orchconfig.",
    },
  );
}
