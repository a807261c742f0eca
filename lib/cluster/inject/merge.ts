/**
 * Strategic merge of pods, as the orchestrator's API merges them: maps by field, some lists by a key of
 * their elements, other values are replaced. `null` deletes a field.
 *
 * @module
 */
import type { Json } from "./objects.ts";

/** Keys of elements, by the name of the list. Lists that are not named here are replaced. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  initContainers: "name",
  ephemeralContainers: "name",
  volumes: "name",
  imagePullSecrets: "name",
  env: "name",
  volumeMounts: "mountPath",
  volumeDevices: "devicePath",
  hostAliases: "ip",
  topologySpreadConstraints: "topologyKey",
  resourceClaims: "name",
};

/** Lists whose elements have one of several sources: with those of two, the API refuses the pod. */
const REPLACED: readonly string[] = ["env", "volumes"];

/** Directives of strategic merge patches, which the orchestrator interprets, and templates do not have. */
const DIRECTIVE = "$patch";

/** Merges `patch` over `base`; neither is changed. Elements of `base` come first. */
export function strategicMerge<T extends Json>(base: T, patch: Json): T {
  return merged(base, patch) as T;
}

function merged(base: Json, patch: Json): Json {
  if (patch[DIRECTIVE] === "replace") {
    return Object.fromEntries(Object.entries(patch).filter(([name]) => name !== DIRECTIVE));
  }
  const result: Json = { ...base };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergedValue(name, result[name], value);
  }
  return result;
}

function mergedValue(name: string, base: unknown, patch: unknown): unknown {
  if (isObject(patch)) {
    const one = isObject(base) ? base : {};
    // A volume has one source: the patch's source replaces the other.
    return merged(one, patch);
  }
  if (!Array.isArray(patch)) return patch;
  const key = name === "ports" ? portKey : MERGE_KEYS[name];
  if (key === undefined) return name === "finalizers" ? united(base, patch) : patch;
  return mergedList(Array.isArray(base) ? base : [], patch, {
    keyOf: typeof key === "function" ? key : (one) => one[key],
    replaces: REPLACED.includes(name),
  });
}

/** Two ports are one if number and protocol are the same. */
function portKey(port: Json): unknown {
  const number = port.containerPort ?? port.port;
  return number === undefined ? undefined : `${number}/${port.protocol ?? "TCP"}`;
}

function mergedList(
  base: readonly unknown[],
  patch: readonly unknown[],
  { keyOf, replaces }: {
    readonly keyOf: (one: Json) => unknown;
    /** True: an element of the patch replaces that of the base. */
    readonly replaces: boolean;
  },
): unknown[] {
  const result = [...base];
  /** Places of elements by their key; of equal keys the first counts. */
  const places = new Map<unknown, number>();
  const keyed = (one: unknown) => isObject(one) ? keyOf(one) : undefined;
  for (const [at, one] of base.entries()) {
    const key = keyed(one);
    if (key !== undefined && !places.has(key)) places.set(key, at);
  }
  for (const one of patch) {
    const key = keyed(one);
    const at = key === undefined ? undefined : places.get(key);
    if (at !== undefined) {
      result[at] = replaces ? one : merged(result[at] as Json, one as Json);
      continue;
    }
    if (key !== undefined) places.set(key, result.length);
    result.push(one);
  }
  return result;
}

function united(base: unknown, patch: readonly unknown[]): unknown[] {
  return [...new Set([...Array.isArray(base) ? base : [], ...patch])];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
