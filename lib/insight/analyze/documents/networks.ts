/**
 * Networks of the mesh: the registries that they name.
 *
 * @module
 */
import { DEFAULT_YAML_LIMITS, readYaml } from "../../../kit/text/mod.ts";
import type { DocumentAnalyzer, DocumentSet } from "../document_set.ts";
import { listAt, mapAt, type PlainDocument, textAt } from "../plain.ts";

/** A network with endpoints of a registry that is no cluster of the mesh. */
export const NETWORKS: DocumentAnalyzer = {
  name: "meshnetworks.MeshNetworksAnalyzer",
  kinds: ["MeshNetworks", "ConfigMap", "Secret"],
  codes: ["MSH0126"],
  *analyze(set) {
    const known = clusters(set);
    for (const { on, value } of networksOf(set)) {
      for (const [network, one] of Object.entries(mapAt(value, "networks"))) {
        for (const [at, endpoint] of listAt(one, "endpoints").entries()) {
          const registry = textAt(endpoint, "fromRegistry");
          if (registry === "" || known.has(registry)) continue;
          const path = `networks.${network}.endpoints[${at}].fromRegistry`;
          yield { on, code: "MSH0126", args: [registry, network], path };
        }
      }
    }
  },
};

/** Registries without a secret: this cluster by its default names, and those of other sources. */
const REGISTRIES = ["Kubernetes", "Orchestrator", "Mock", "External"];

/** The fixed registries, and the names of remote clusters, which Secrets have as keys. */
function clusters(set: DocumentSet): ReadonlySet<string> {
  return new Set([
    ...REGISTRIES,
    ...set.of("Secret", "").filter(({ labels }) => labels["mesh/multiCluster"] === "true")
      .flatMap(({ value }) => [
        ...Object.keys(mapAt(value, "data")),
        ...Object.keys(mapAt(value, "stringData")),
      ]),
  ]);
}

function* networksOf(
  set: DocumentSet,
): Iterable<{ readonly on: PlainDocument; readonly value: unknown }> {
  for (const on of set.of("MeshNetworks")) yield { on, value: on.value };
  for (const on of set.of("ConfigMap", "")) {
    const text = textAt(on.value, "data", "meshNetworks");
    if (on.namespace !== set.settings.meshNamespace || text === "") continue;
    for (const { document } of readYaml(text, DEFAULT_YAML_LIMITS)) {
      yield { on, value: document?.value };
    }
  }
}
