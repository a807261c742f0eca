/**
 * Images of injected proxies: they are those that the injector uses now.
 *
 * @module
 */
import { hasLabels } from "../../../mesh/model/mod.ts";
import { DEFAULT_YAML_LIMITS, readYaml } from "../../../kit/text/mod.ts";
import {
  containersOf,
  type DocumentAnalyzer,
  type DocumentSet,
  type PodShape,
} from "../document_set.ts";
import type { Labels } from "../workload_indexes.ts";
import { mapAt, type PlainDocument, textAt, textsOf } from "../plain.ts";
import { injectedNamespaces } from "./injection.ts";
import { injectorValues } from "./injector_config.ts";
import { PROXY_CONTAINER } from "./mesh_objects.ts";

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

/** Names of the pods of a namespace whose proxy has another image than injection gives today. */
function outdated(set: DocumentSet, namespace: PlainDocument): string[] {
  const wanted = imageOf(set, namespace.labels["mesh.io/rev"] ?? "");
  if (wanted === undefined) return [];
  return set.pods().filter((pod) => {
    if (pod.document.kind !== "Pod" || pod.namespace !== namespace.name) return false;
    if (pod.annotations["sidecar.mesh.io/proxyImage"] !== undefined) return false;
    const type = imageTypeOf(set, pod);
    const allowed = [wanted, ...(type === "" ? [] : [`${withoutVariant(wanted)}-${type}`])];
    return containersOf(pod).some((one) =>
      textAt(one, "name") === PROXY_CONTAINER && !allowed.includes(textAt(one, "image"))
    );
  }).map(({ document }) => document.name);
}

/** The image that injection gives; `undefined` if it is not known. */
function imageOf(set: DocumentSet, revision: string): string | undefined {
  const values = injectorValues(set, revision);
  if (values === undefined) return undefined;
  const image = textAt(values, "global", "proxy", "image");
  if (image === "") return undefined;
  const [hub, tag] = ["hub", "tag"].map((name) => textAt(values, "global", name));
  return image.includes("/") ? image : `${hub}/${image}:${tag}`;
}

/** The image type of a pod: its annotation, a ProxyConfig from the narrowest on, the mesh. */
function imageTypeOf(set: DocumentSet, { namespace, labels, annotations }: PodShape): string {
  const own = annotations["sidecar.mesh.io/proxyImageType"] ??
    writtenType(annotations["proxy.mesh.io/config"] ?? "");
  if (own !== undefined) return own;
  const typeIn = (where: string, isFit: (selector: Labels) => boolean) => {
    for (const one of set.of("ProxyConfig")) {
      const type = textAt(one.value, "spec", "image", "imageType");
      const selector = textsOf(mapAt(one.value, "spec", "selector", "matchLabels"));
      if (one.namespace === where && type !== "" && isFit(selector)) return type;
    }
    return undefined;
  };
  const selects = (selector: Labels) =>
    Object.keys(selector).length > 0 && hasLabels(labels, selector);
  const isBare = (selector: Labels) => Object.keys(selector).length === 0;
  return typeIn(namespace, selects) ?? typeIn(namespace, isBare) ??
    typeIn(set.settings.meshNamespace, isBare) ?? set.settings.imageType;
}

/** The image type in the proxy configuration of a pod; `undefined` without one. */
function writtenType(config: string): string | undefined {
  for (const { document } of readYaml(config, DEFAULT_YAML_LIMITS)) {
    const type = textAt(document?.value, "image", "imageType");
    if (type !== "") return type;
  }
  return undefined;
}

function withoutVariant(image: string): string {
  return image.replace(/-(debug|distroless)$/, "");
}
