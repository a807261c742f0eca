/**
 * Sidecar resources for workloads without sidecar.
 *
 * @module
 */
import { type DocumentAnalyzer, selectedPods } from "../document_set.ts";
import { mapAt, textsOf } from "../plain.ts";
import { isAmbient, isCaptured } from "./mesh_objects.ts";

/** A Sidecar that selects workloads of the node proxy. */
export const AMBIENT_SIDECARS: DocumentAnalyzer = {
  name: "sidecar.SelectorAnalyzer",
  kinds: ["Sidecar", "Pod", "Namespace"],
  codes: ["MSH0167"],
  *analyze(set) {
    for (const on of set.of("Sidecar")) {
      const selector = textsOf(mapAt(on.value, "spec", "workloadSelector", "labels"));
      const isServed = Object.keys(selector).length === 0
        ? isAmbient(set, on.namespace)
        : selectedPods(set.pods(), on.namespace, selector).some(isCaptured);
      if (!isServed) continue;
      const reason = "the selected workloads are served by the node proxy, which reads no Sidecar";
      yield { on, code: "MSH0167", args: [reason], path: "spec.workloadSelector" };
    }
  },
};
