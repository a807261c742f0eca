/**
 * The settings of injection that an installation would have.
 *
 * @module
 */
import type { InstallPlan } from "./api.ts";
import { withPlugin } from "./plugin_values.ts";
import { type Tree, treeAt, valueAt, withValue } from "./tree.ts";

/** Texts of the ConfigMaps from which injectors read. */
export interface InjectionSettings {
  readonly values: string;
  readonly mesh: string;
  /** Templates and rules; absent if the plan has no control plane. */
  readonly config?: string;
}

/** Names of the ConfigMaps, without the suffix of the revision. */
const INJECTOR = "mesh-sidecar-injector";
const MESH = "mesh";

/** The texts of a plan; those of the document itself where the plan has no such ConfigMap. */
export function injectionSettings(
  { components, operator, revision }: InstallPlan,
): InjectionSettings {
  const suffix = revision === "default" ? "" : `-${revision}`;
  const maps = components.flatMap(({ objects }) => objects).filter(({ kind }) =>
    kind === "ConfigMap"
  );
  const textOf = (name: string, key: string): string | undefined => {
    const map = maps.find(({ metadata }) => metadata.name === name + suffix);
    const text = valueAt(map, ["data", key]);
    return typeof text === "string" ? text : undefined;
  };
  return {
    values: textOf(INJECTOR, "values") ?? JSON.stringify(ownValues(operator)),
    mesh: textOf(MESH, "mesh") ?? JSON.stringify(treeAt(operator, ["spec", "meshConfig"])),
    config: textOf(INJECTOR, "config"),
  };
}

function ownValues(operator: Tree): Tree {
  const spec = treeAt(operator, ["spec"]);
  let values = treeAt(spec, ["values"]);
  for (const name of ["hub", "tag"]) {
    const path = ["global", name];
    values = withValue(values, path, valueAt(values, path) ?? spec[name]);
  }
  values = withPlugin(values, operator);
  // It concerns the daemon alone.
  const place = ["pilot", "cni", "namespace"];
  if (valueAt(values, place) !== undefined) values = withValue(values, place, undefined);
  return withValue(values, ["revision"], values.revision ?? spec.revision);
}
