/**
 * Policies that select pods of gateways of the Gateway API by labels.
 *
 * @module
 */
import { GATEWAY_NAME_LABEL, hasLabels } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer } from "../document_set.ts";
import { listAt, mapAt, textsOf, valueAt } from "../plain.ts";

const KINDS = ["AuthorizationPolicy", "RequestAuthentication", "Telemetry", "WasmPlugin"];

/** Selectors that gateways of the Gateway API ignore. */
export const GATEWAY_SELECTORS: DocumentAnalyzer = {
  name: "k8sgateway.SelectorAnalyzer",
  kinds: ["Pod", ...KINDS],
  codes: ["MSH0166"],
  *analyze(set) {
    const pods = set.pods().filter(({ labels }) => labels[GATEWAY_NAME_LABEL] !== undefined);
    for (const on of KINDS.flatMap((kind) => set.of(kind))) {
      const { value, namespace } = on;
      const hasTarget = valueAt(value, "spec", "targetRef") !== undefined ||
        listAt(value, "spec", "targetRefs").length > 0;
      if (hasTarget || valueAt(value, "spec", "selector") === undefined) continue;
      const selector = textsOf(mapAt(value, "spec", "selector", "matchLabels"));
      const names = pods.filter((pod) =>
        pod.namespace === namespace && hasLabels(pod.labels, selector)
      ).map(({ labels }) => labels[GATEWAY_NAME_LABEL]);
      for (const name of new Set(names)) {
        yield { on, code: "MSH0166", args: [name ?? ""], path: "spec.selector" };
      }
    }
  },
};
