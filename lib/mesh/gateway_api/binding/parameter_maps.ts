/**
 * ConfigMaps with parameters of Gateways: a part of an object for each kind.
 *
 * @module
 */
import { MeshError } from "../../../kit/base/mod.ts";
import { parseYaml } from "../../../kit/text/mod.ts";
import { type ObjectKey, objectKey } from "../../model/mod.ts";

/** Kinds by the key of a ConfigMap. */
const KINDS: Readonly<Record<string, string>> = {
  deployment: "Deployment",
  service: "Service",
  serviceAccount: "ServiceAccount",
  horizontalPodAutoscaler: "HorizontalPodAutoscaler",
  podDisruptionBudget: "PodDisruptionBudget",
};

/** Parts of objects by kind. */
export type ParameterParts = ReadonlyMap<string, Record<string, unknown>>;

/**
 * The parts that a ConfigMap has.
 *
 * @throws MeshError `gateway-parameters` with the key that is wrong
 */
export function parametersIn(
  name: ObjectKey,
  data: Readonly<Record<string, string>> = {},
): ParameterParts {
  const where = `ConfigMap ${objectKey(name)}`;
  return new Map(
    Object.entries(data).map(([key, text]) => {
      const kind = Object.hasOwn(KINDS, key) ? KINDS[key] : undefined;
      if (kind === undefined) {
        throw new MeshError("gateway-parameters", `${where}: the key ${key} names no object`, {
          remedy: `Use one of the keys ${Object.keys(KINDS).join(", ")}.`,
        });
      }
      return [kind, partIn(text, `${where}: ${key}`)];
    }),
  );
}

/** The reason why a ConfigMap cannot be used for parameters; undefined: it can. */
export function parametersFaultIn(
  name: ObjectKey,
  data: Readonly<Record<string, string>> | undefined,
): string | undefined {
  try {
    parametersIn(name, data);
    return undefined;
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return error.remedy === undefined ? error.message : `${error.message}. ${error.remedy}`;
  }
}

function partIn(text: string, where: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseYaml(text) ?? {};
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    throw new MeshError("gateway-parameters", `${where} is not YAML: ${error.message}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new MeshError("gateway-parameters", `${where} is not a map with parts of the object`);
}
