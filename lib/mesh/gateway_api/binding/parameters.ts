/**
 * References of Gateways and GatewayClasses to parameters.
 *
 * @module
 */
import type { RefFault } from "./certificates.ts";
import type { ParametersLookup } from "./lookups.ts";
import { type GatewayClassSpec, type GatewaySpec, type ObjectReference } from "./objects.ts";

/** Why the parameters of a Gateway, or those of its class, cannot be used. */
export function parametersFault(
  { infrastructure }: GatewaySpec,
  namespace: string,
  of: Pick<GatewayClassSpec, "parametersRef"> | undefined,
  look: ParametersLookup,
): RefFault | undefined {
  const reference = infrastructure?.parametersRef;
  return (reference && faultOf({ ...reference, namespace }, look)) ??
    classParametersFault(of, look);
}

/** Why the parameters of a class cannot be used. */
export function classParametersFault(
  of: Pick<GatewayClassSpec, "parametersRef"> | undefined,
  look: ParametersLookup,
): RefFault | undefined {
  return of?.parametersRef && faultOf(of.parametersRef, look);
}

function faultOf(
  { group = "", kind = "", namespace = "", name }: ObjectReference,
  look: ParametersLookup,
): RefFault | undefined {
  const no = (message: string) => ({ reason: "InvalidParameters", message });
  if (group !== "" || kind !== "ConfigMap") {
    const named = group === "" ? kind : `${kind} of group "${group}"`;
    return no(`parametersRef: ${named} has no parameters; refer to a ConfigMap of the core group`);
  }
  if (namespace === "") return no(`parametersRef: ConfigMap "${name}" needs a namespace`);
  const state = look.parameters({ namespace, name });
  if (state === "valid") return undefined;
  return state === "missing"
    ? no(`parametersRef: ConfigMap "${namespace}/${name}" does not exist`)
    : no(`parametersRef: ${state.invalid}`);
}
