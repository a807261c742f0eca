/**
 * Containers with `image: auto`: a webhook sets their image.
 *
 * @module
 */
import { type DocumentAnalyzer, type DocumentSet, type PodShape } from "../document_set.ts";
import { selectorMatches } from "../label_selector.ts";
import { listAt, textAt, valueAt } from "../plain.ts";
import { PROXY_CONTAINER } from "./mesh_objects.ts";

/** `image: auto` in pods that no injection webhook selects. */
export const IMAGE_AUTO: DocumentAnalyzer = {
  name: "injection.ImageAutoAnalyzer",
  kinds: ["Pod", "Deployment", "DaemonSet", "Namespace", "MutatingWebhookConfiguration"],
  codes: ["MSH0146", "MSH0147"],
  *analyze(set) {
    for (const pod of set.pods()) {
      const { document } = pod;
      if (!["DaemonSet", "Deployment", "Pod"].includes(document.kind)) continue;
      const at = listAt(pod.spec, "containers").findIndex((container) =>
        textAt(container, "name") === PROXY_CONTAINER && textAt(container, "image") === "auto"
      );
      // A pod that exists keeps its image: no webhook changes it any more.
      const isPod = document.kind === "Pod";
      if (at < 0 || !isPod && isSelected(set, pod)) continue;
      yield {
        on: document,
        code: isPod ? "MSH0147" : "MSH0146",
        args: [document.kind, document.name],
        path: `${isPod ? "spec" : "spec.template.spec"}.containers[${at}].image`,
      };
    }
  },
};

function isSelected(set: DocumentSet, { namespace, labels }: PodShape): boolean {
  const found = set.of("Namespace", "").find(({ name }) => name === namespace);
  const own = { "kubernetes.io/metadata.name": namespace, ...found?.labels };
  return set.of("MutatingWebhookConfiguration").flatMap(({ value }) => listAt(value, "webhooks"))
    .filter((webhook) => textAt(webhook, "name").endsWith("mesh.io"))
    .some((webhook) =>
      selectorMatches(valueAt(webhook, "namespaceSelector"), own) &&
      selectorMatches(valueAt(webhook, "objectSelector"), labels)
    );
}
