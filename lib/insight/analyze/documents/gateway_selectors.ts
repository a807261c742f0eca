/**
 * Policies that select pods of gateways of the Gateway API by labels.
 *
 * @module
 */
import { hasLabels } from "../../../mesh/model/mod.ts";
import type { DocumentAnalyzer } from "../document_set.ts";
import { listAt, mapAt, textsOf, valueAt } from "../plain.ts";

const KINDS = ["AuthorizationPolicy", "RequestAuthentication", "Telemetry", "WasmPlugin"];
/** Label of the pods of a Gateway (Gateway API, GEP-1762). */
const GATEWAY_NAME = "gateway.networking.k8s.io/gateway-name";

/** Selectors that gateways of the Gateway API ignore. */
export const GATEWAY_SELECTORS: DocumentAnalyzer = {
  name: "k8sgateway.SelectorAnalyzer",
  kinds: ["Pod", ...KINDS],
  codes: ["MSH0166"],
  *analyze(set) {
    const pods = set.pods().filter(({ labels }) => labels[GATEWAY_NAME] !== undefined);
    for (const on of KINDS.flatMap((kind) => set.of(kind))) {
      const { value, namespace } = on;
      const hasTarget = valueAt(value, "spec", "targetRef") !== undefined ||
        listAt(value, "spec", "targetRefs").length > 0;
      if (hasTarget || valueAt(value, "spec", "selector") === undefined) continue;
      const selector = textsOf(mapAt(value, "spec", "selector", "matchLabels"));
      const names = pods.filter((pod) =>
        pod.namespace === namespace && hasLabels(pod.labels, selector)
      ).map(({ labels }) => labels[GATEWAY_NAME]);
      for (const name of new Set(names)) {
        yield { on, code: "MSH0166", args: [name ?? ""], path: "spec.selector" };
      }
    }
  },
};
