/**
 * Rules of routes that ask for what Mesh does not have. Their requests are answered with an error.
 *
 * @module
 */
import type { RefFault } from "../binding/certificates.ts";
import type { Route } from "../binding/objects.ts";
import { incompatibleFilters, unsupportedFilter } from "./http_filters.ts";
import { backendFault, type FilteredRule } from "./backend_filters.ts";
import type { AnyFilter } from "./http_headers.ts";

/** The faults of rules that the status of a route says. */
export interface RouteFaults {
  /** No rule can be served. */
  readonly rejected?: RefFault;
  /** Some rules cannot be served. */
  readonly partly?: RefFault;
}

/** Most rules that a message names. */
const NAMED = 5;

/**
 * The rules that cannot be served, with their fields.
 *
 * @param experimental true: filters of the standard's experimental channel act
 */
export function routeFaults({ spec: { rules = [] } }: Route, experimental: boolean): RouteFaults {
  const faults = rules.map((rule, index) => faultOf(rule, `rules[${index}]`, experimental))
    .filter((one) => one !== undefined);
  const [first] = faults;
  if (first === undefined) return {};
  const more = faults.length > NAMED ? `; and ${faults.length - NAMED} more rules` : "";
  const message = `${faults.slice(0, NAMED).map((one) => one.message).join("; ")}${more}`;
  const { reason } = first;
  if (faults.length === rules.length) return { rejected: { reason, message } };
  // The standard has these words first.
  const dropped = `Dropped Rule: ${message}; their requests are answered with 500`;
  return { partly: { reason, message: dropped } };
}

function faultOf(
  { filters = [], backendRefs = [], sessionPersistence }: NonNullable<
    Route["spec"]["rules"]
  >[number],
  path: string,
  experimental: boolean,
): RefFault | undefined {
  const unsupported = (message: string) => ({ reason: "UnsupportedValue", message });
  const wrong = unsupportedFilter(filters as readonly AnyFilter[], experimental);
  if (wrong === "ExternalAuth") {
    return unsupported(`${path}: filters of type ExternalAuth need PILOT_ENABLE_ALPHA_GATEWAY_API`);
  }
  if (wrong !== undefined) {
    return unsupported(`${path}: filters of type ${wrong} are not supported`);
  }
  const pair = incompatibleFilters(filters as readonly AnyFilter[]);
  if (pair !== undefined) {
    const message = `${path}: filters of types ${pair.join(" and ")} exclude each other`;
    return { reason: "IncompatibleFilters", message };
  }
  const rule = { filters, backendRefs, sessionPersistence } as FilteredRule;
  for (const [i, ref] of rule.backendRefs.entries()) {
    const fault = backendFault(rule, ref);
    if (fault !== undefined) {
      return { ...fault, message: `${path}.backendRefs[${i}]: ${fault.message}` };
    }
  }
  return undefined;
}
