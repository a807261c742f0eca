/**
 * The place of a scalar: in which kind of document, and below which fields.
 *
 * @module
 */
import type { Path, YamlScalar } from "../../kit/text/mod.ts";

/**
 * The content of a text: objects, the mesh configuration, a proxy configuration, networks, values of charts.
 */
export type Content = "objects" | "mesh" | "proxy" | "networks" | "values";

/** A scalar in its object. */
export interface Place {
  readonly scalar: YamlScalar;
  readonly content: Content;
  /** The object, or the whole document; its names before the change. */
  readonly object: unknown;
  /** Path from the object. */
  readonly path: Path;
}

/** Maps whose keys are labels or annotations. */
const LABEL_MAPS: ReadonlySet<string> = new Set([
  ...["labels", "annotations", "matchLabels", "sourceLabels", "selector", "nodeSelector"],
  ...["podLabels", "podAnnotations", "serviceAnnotations", "neverInjectSelector"],
  ...["injectedAnnotations", "serviceAccountAnnotations", "deploymentAnnotations"],
]);

/** True for a key of a map of labels or annotations, or a value of one. */
export function isInLabels({ path }: Place): boolean {
  const above = path.at(-2);
  return typeof above === "string" && LABEL_MAPS.has(above);
}

/** Maps from variable to value. */
const VARIABLE_MAPS: ReadonlySet<string> = new Set(["proxyMetadata", "environmentVariables"]);

/** True for the key of a variable in a map. */
export function isVariableKey(place: Place): boolean {
  const above = place.path.at(-2);
  if (typeof above !== "string") return false;
  return VARIABLE_MAPS.has(above) || (isSettings(place) && above === "env");
}

/** True inside of settings: mesh configuration, proxy configuration, values. */
export function isSettings({ content, object, path }: Place): boolean {
  if (content !== "objects") return true;
  return isForeignObject(object) && textAt(object, "kind") === "IstioOperator" &&
    path[0] === "spec";
}

/** Containers of the mesh's programs. */
const OWN_CONTAINERS: ReadonlySet<string> = new Set(["istio-proxy", "istio-init", "discovery"]);

/** True for the name of a variable in a list `env`, unless it is one of an application. */
export function isVariableName({ path, object }: Place): boolean {
  if (path.at(-1) !== "name" || typeof path.at(-2) !== "number" || path.at(-3) !== "env") {
    return false;
  }
  const container = path.slice(0, -3);
  return !/containers$/i.test(String(container.at(-2))) ||
    OWN_CONTAINERS.has(textAt(object, ...container, "name"));
}

/** The value at a path; `undefined` where there is none. */
export function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, step) =>
      typeof found === "object" && found !== null && Object.hasOwn(found, step)
        ? (found as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/** A text of the object; empty where there is none. */
export function textAt(value: unknown, ...path: Path): string {
  const found = at(value, path);
  return typeof found === "string" ? found : "";
}

/** The group of an object; empty for the core group, and without an object. */
export function groupOf(object: unknown): string {
  const version = textAt(object, "apiVersion");
  return version.includes("/") ? version.slice(0, version.indexOf("/")) : "";
}

/** True for an object of one of Istio's groups. */
export function isForeignObject(object: unknown): boolean {
  return /(?:^|\.)istio\.io$/.test(groupOf(object));
}
