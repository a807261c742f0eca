/**
 * Sidecar resources for workloads without sidecar.
 *
 * @module
 */
import { type DocumentAnalyzer, type DocumentSet, selectedPods } from "../document_set.ts";
import { mapAt, textsOf } from "../plain.ts";

/** A Sidecar that selects workloads of the node proxy. */
export const AMBIENT_SIDECARS: DocumentAnalyzer = {
  name: "sidecar.SelectorAnalyzer",
  kinds: ["Sidecar", "Pod", "Namespace"],
  codes: ["MSH0167"],
  *analyze(set) {
    for (const on of set.of("Sidecar")) {
      const selector = textsOf(mapAt(on.value, "spec", "workloadSelector", "labels"));
      const pods = selectedPods(set.pods(), on.namespace, selector);
      const isAmbient = Object.keys(selector).length === 0
        ? modeOf(set, on.namespace) === "ambient"
        : pods.some(({ labels, namespace }) =>
          (labels["mesh.io/dataplane-mode"] ?? modeOf(set, namespace)) === "ambient"
        );
      if (!isAmbient) continue;
      const reason = "the selected workloads are served by the node proxy, which reads no Sidecar";
      yield { on, code: "MSH0167", args: [reason], path: "spec.workloadSelector" };
    }
  },
};

function modeOf(set: DocumentSet, namespace: string): string | undefined {
  return set.of("Namespace", "").find(({ name }) => name === namespace)
    ?.labels["mesh.io/dataplane-mode"];
}
