/**
 * Helm, which renders and checks the charts in tests: built with Go when a test asks for it.
 *
 * @module
 */
import { join } from "../paths.ts";
import { findGo, type GoBuild, goPrograms } from "./go.ts";

/** Version of Helm, as in `helm/go.mod`. */
const HELM_VERSION = "3.22.0";

const BUILD: GoBuild = {
  module: "helm",
  name: `helm-${HELM_VERSION}`,
  title: `Helm ${HELM_VERSION}`,
  packages: ["helm.sh/helm/v3/cmd/helm"],
};

/** The reason why Helm cannot be built here, for the names of tests; `undefined` if it can. */
export function lackingHelm(): string | undefined {
  return findGo() === undefined ? "needs Go" : undefined;
}

/**
 * The path of Helm. It is built if the cache has none, which takes some minutes.
 *
 * @throws MeshError `tools-no-go`, `tools-cluster` with a remedy
 */
export async function helmProgram(): Promise<string> {
  return join(await goPrograms(BUILD), "helm");
}

if (import.meta.main) console.log(await helmProgram());
