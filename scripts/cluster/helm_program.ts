/**
 * Helm, which renders and checks the charts in tests: built with Go by `deno task tools`.
 *
 * @module
 */
import { join } from "../paths.ts";
import { MeshError } from "../../lib/kit/base/mod.ts";
import { findGo, type GoBuild, goPrograms, lackingBuild } from "./go.ts";

/** Version of Helm, as in `helm/go.mod`. */
const HELM_VERSION = "3.22.0";

const BUILD: GoBuild = {
  module: "helm",
  name: `helm-${HELM_VERSION}`,
  title: `Helm ${HELM_VERSION}`,
  packages: ["helm.sh/helm/v3/cmd/helm"],
};

/** The reason why there is no Helm, for the names of tests; `undefined` if it was built. */
export function lackingHelm(): string | undefined {
  return lackingBuild(BUILD);
}

/**
 * The path of Helm. It is built if the cache has none, which takes some minutes.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function helmProgram(): Promise<string> {
  return join(await goPrograms(BUILD), "helm");
}

if (import.meta.main && !(Deno.args.includes("--optional") && findGo() === undefined)) {
  try {
    console.log(await helmProgram());
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`tools: ${error.message}`);
    if (error.remedy !== undefined) console.error(`tools: ${error.remedy}`);
    Deno.exit(1);
  }
}
