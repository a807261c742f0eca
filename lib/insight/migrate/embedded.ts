/**
 * Texts inside of objects that are YAML themselves.
 *
 * @module
 */
import { type Content, type Place, textAt } from "./place.ts";

/** Contents by the key in the ConfigMap of a mesh. */
const CONFIG_KEYS: Readonly<Record<string, Content>> = {
  mesh: "mesh",
  meshNetworks: "networks",
};

/** The content of a value that is a text of YAML; `undefined` for any other value. */
export function embeddedContent({ object, path, scalar, content }: Place): Content | undefined {
  if (scalar.role !== "value") return undefined;
  const [parent, key] = path.slice(-2);
  if (parent === "annotations" && /^proxy\.(istio|mesh)\.io\/config$/.test(String(key))) {
    return "proxy";
  }
  if (content !== "objects" || textAt(object, "kind") !== "ConfigMap") return undefined;
  if (path.length !== 2 || parent !== "data" || !Object.hasOwn(CONFIG_KEYS, key!)) return undefined;
  return isMeshConfigMap(object) ? CONFIG_KEYS[key!] : undefined;
}

/** True for the ConfigMap with the configuration of a mesh, of any revision: `istio`, `istio-canary`. */
export function isMeshConfigMap(object: unknown): boolean {
  return textAt(object, "kind") === "ConfigMap" &&
    /^(istio|mesh)(-(?!ca-root-cert|sidecar-injector|ca-secret).+)?$/
      .test(textAt(object, "metadata", "name")) &&
    (textAt(object, "data", "mesh") !== "" || textAt(object, "data", "meshNetworks") !== "");
}
