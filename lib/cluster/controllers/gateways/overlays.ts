/**
 * Changes that users make to the objects of Gateways: ConfigMaps with a part of an object for each kind.
 *
 * @module
 */
import { GATEWAY_NAME_LABEL } from "../../../mesh/model/mod.ts";
import { MANAGED_LABEL } from "./managed.ts";
import { parametersIn } from "../../../mesh/gateway_api/mod.ts";
import { type Json, strategicMerge } from "../../inject/mod.ts";
import type { ConfigMapItem, ParametersReference } from "./types.ts";

/** The label of ConfigMaps in the root namespace whose overlays count for all Gateways of a class. */
export const DEFAULTS_LABEL = "gateway.mesh.io/defaults-for-class";

/** Kinds that a Gateway has only with an overlay for them. */
const OPTIONAL: readonly string[] = ["HorizontalPodAutoscaler", "PodDisruptionBudget"];

/** Parts of objects by kind. */
export type Overlay = ReadonlyMap<string, Json>;

/** True for a reference that names parameters which the controller knows. */
export function isConfigMapReference({ group = "", kind }: ParametersReference): boolean {
  return group === "" && kind === "ConfigMap";
}

/**
 * The overlay of a ConfigMap.
 *
 * @throws MeshError `gateway-parameters` with the key that is wrong
 */
export function overlayOf({ metadata, data = {} }: ConfigMapItem): Overlay {
  const { name, namespace = "" } = metadata;
  return parametersIn({ namespace, name }, data);
}

/**
 * The objects with overlays, the least specific overlay first. Kinds, names and owners stay: they are
 * what the controller finds the objects by.
 */
export function overlaid(objects: readonly Json[], overlays: readonly Overlay[]): Json[] {
  return objects.flatMap((object) => {
    const kind = String(object.kind);
    const parts: Json[] = overlays.flatMap((overlay) => {
      const part = overlay.get(kind);
      return part === undefined ? [] : [part];
    });
    if (parts.length === 0) return OPTIONAL.includes(kind) ? [] : [object];
    const merged = parts.reduce((base: Json, part) => strategicMerge(base, part), object);
    const fixed = object.metadata as Json;
    const metadata = merged.metadata as Json;
    return [{
      ...merged,
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: {
        ...metadata,
        name: fixed.name,
        namespace: fixed.namespace,
        ownerReferences: fixed.ownerReferences,
        labels: { ...metadata.labels as Json, ...identity(fixed.labels as Json) },
      },
    }];
  });
}

/** The labels by which objects are found. */
function identity(labels: Json): Json {
  const own = Object.entries(labels).filter(([name]) =>
    name === GATEWAY_NAME_LABEL || name === MANAGED_LABEL
  );
  return Object.fromEntries(own);
}
