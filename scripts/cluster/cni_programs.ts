/**
 * Programs that call network plugins in tests: `cnitool`, and plugins to chain with, built with Go.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { findGo, type GoBuild, goPrograms, lackingBuild } from "./go.ts";

/** Version of cnitool, as in `cni/go.mod`. */
const CNI_VERSION = "1.3.1";

const PLUGINS = "github.com/containernetworking/plugins/plugins";

const BUILD: GoBuild = {
  module: "cni",
  name: `cni-${CNI_VERSION}`,
  title: `cnitool ${CNI_VERSION} and CNI plugins`,
  packages: [
    "github.com/containernetworking/cni/cnitool",
    ...["ipam/host-local", "main/bridge", "main/ptp"].map((name) => `${PLUGINS}/${name}`),
  ],
};

export interface CniPrograms {
  readonly cnitool: string;
  /** Folder with the plugins. */
  readonly dir: string;
}

/** The reason why they cannot be had here, for the names of tests: they are built within a minute. */
export function lackingCniPrograms(): string | undefined {
  return lackingBuild(BUILD) === "needs Go" ? "needs Go" : undefined;
}

/**
 * The programs. They are built if the cache has none.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function cniPrograms(): Promise<CniPrograms> {
  const dir = await goPrograms(BUILD);
  return { cnitool: join(dir, "cnitool"), dir };
}

if (import.meta.main && !(Deno.args.includes("--optional") && findGo() === undefined)) {
  try {
    console.log((await cniPrograms()).cnitool);
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
