/**
 * Images of injected proxies: they are those that the injector uses now.
 *
 * @module
 */
import { containersOf, type DocumentAnalyzer, type DocumentSet } from "../document_set.ts";
import { type PlainDocument, textAt } from "../plain.ts";
import { injectedNamespaces, PROXY_CONTAINER } from "./injection.ts";
import { injectorValues } from "./injector_config.ts";

/** Pods whose proxy is of another version than the injector's. */
export const INJECTED_IMAGE: DocumentAnalyzer = {
  name: "injection.ImageAnalyzer",
  kinds: ["Pod", "Namespace", "ConfigMap"],
  codes: ["MSH0158"],
  *analyze(set) {
    for (const namespace of injectedNamespaces(set).values()) {
      const pods = outdated(set, namespace);
      if (pods.length === 0) continue;
      yield { on: namespace, code: "MSH0158", args: [pods.sort().join(", ")], path: "" };
    }
  },
};

function outdated(set: DocumentSet, namespace: PlainDocument): string[] {
  const wanted = imageOf(set, namespace.labels["mesh.io/rev"] ?? "");
  if (wanted === undefined) return [];
  return set.pods().filter((pod) =>
    pod.document.kind === "Pod" && pod.namespace === namespace.name &&
    pod.annotations["sidecar.mesh.io/proxyImage"] === undefined &&
    containersOf(pod).some((one) =>
      textAt(one, "name") === PROXY_CONTAINER && withoutVariant(textAt(one, "image")) !== wanted
    )
  ).map(({ document }) => document.name);
}

/** The image of the injector of a revision, without its variant. */
function imageOf(set: DocumentSet, revision: string): string | undefined {
  const values = injectorValues(set, revision);
  if (values === undefined) return undefined;
  const image = textAt(values, "global", "proxy", "image");
  if (image === "") return undefined;
  const [hub, tag] = ["hub", "tag"].map((name) => textAt(values, "global", name));
  return withoutVariant(image.includes("/") ? image : `${hub}/${image}:${tag}`);
}

/** Variants of one version may be chosen by workloads, namespaces and the mesh. */
function withoutVariant(image: string): string {
  return image.replace(/-(debug|distroless)$/, "");
}
