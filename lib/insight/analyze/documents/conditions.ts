/**
 * Conditions in the status of objects.
 *
 * @module
 */
import type { DocumentAnalyzer } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";
import { GATEWAY_API } from "./groups.ts";

const ROUTE_CONDITIONS = ["Accepted", "Programmed", "ResolvedRefs"];
const BOUND = ["mesh.io/WaypointBound"];

/** Conditions that say if an object is used, by kind. */
const CONDITIONS_OF: Readonly<Record<string, readonly string[]>> = {
  AuthorizationPolicy: ["ZtunnelAccepted", "WaypointAccepted"],
  GRPCRoute: ROUTE_CONDITIONS,
  Gateway: ROUTE_CONDITIONS,
  HTTPRoute: ROUTE_CONDITIONS,
  Service: BOUND,
  ServiceEntry: BOUND,
  WorkloadEntry: BOUND,
};
/** Kinds that are meant only in the Gateway API. */
const OF_GATEWAY_API: ReadonlySet<string> = new Set(["GRPCRoute", "Gateway", "HTTPRoute"]);

/** Objects whose status says that a controller cannot use them. */
export const CONDITIONS: DocumentAnalyzer = {
  name: "conditions.ConditionAnalyzer",
  kinds: Object.keys(CONDITIONS_OF),
  codes: ["MSH0171"],
  *analyze(set) {
    for (const on of set.all) {
      const types = CONDITIONS_OF[on.kind] ?? [];
      if (OF_GATEWAY_API.has(on.kind) !== (on.group === GATEWAY_API)) continue;
      for (const { condition, path } of conditionsOf(on)) {
        const type = textAt(condition, "type");
        if (!types.includes(type) || !isNegative(condition)) continue;
        const args = [type, textAt(condition, "reason"), textAt(condition, "message")];
        yield { on, code: "MSH0171", args, path };
      }
    }
  },
};

/** True for a condition that is false, or true with a part that is invalid. */
function isNegative(condition: unknown): boolean {
  const status = textAt(condition, "status");
  return status === "False" ||
    status === "True" && textAt(condition, "reason") === "PartiallyInvalid";
}

interface FoundCondition {
  readonly condition: unknown;
  readonly path: string;
}

function* conditionsOf({ value }: PlainDocument): Iterable<FoundCondition> {
  for (const [at, condition] of listAt(value, "status", "conditions").entries()) {
    yield { condition, path: `status.conditions[${at}]` };
  }
  for (const [index, part] of listAt(value, "status", "parents").entries()) {
    for (const [at, condition] of listAt(part, "conditions").entries()) {
      yield { condition, path: `status.parents[${index}].conditions[${at}]` };
    }
  }
}
