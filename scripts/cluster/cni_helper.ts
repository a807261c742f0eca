/**
 * The network plugin's helper on the node, `mesh-cni`: built with Go from `native/mesh-cni`. Images,
 * releases and tests take it from here.
 *
 * @module
 */
import { MeshError } from "../../lib/kit/base/mod.ts";
import { join } from "../paths.ts";
import { HOST } from "../tools.ts";
import { findGo, type GoBuild, goPrograms, lackingBuild } from "./go.ts";

/** Name of the program, in `/opt/cni/bin` of a node too. */
export const CNI_HELPER = "mesh-cni";

function build(arch: string): GoBuild {
  return {
    module: "../../native/mesh-cni",
    name: CNI_HELPER,
    title: "the network plugin's helper",
    packages: ["."],
    output: CNI_HELPER,
    arch,
  };
}

/** The reason why it cannot be had here, for the names of tests: it is built within seconds. */
export function lackingCniHelper(): string | undefined {
  return lackingBuild(build(HOST.arch)) === "needs Go" ? "needs Go" : undefined;
}

/**
 * The path of the static program. It is built if the cache has none.
 *
 * @param arch architecture by `Deno.build.arch`; default: that of this machine
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function cniHelper(
  arch: string = HOST.arch,
  progress: (line: string) => void = HOST.progress,
): Promise<string> {
  return join(await goPrograms(build(arch), progress), CNI_HELPER);
}

if (import.meta.main && !(Deno.args.includes("--optional") && findGo() === undefined)) {
  try {
    console.log(await cniHelper());
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
