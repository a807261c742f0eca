/**
 * Conditions in the status of objects.
 *
 * @module
 */
import type { DocumentAnalyzer } from "../document_set.ts";
import { listAt, type PlainDocument, textAt } from "../plain.ts";
import { GATEWAY_API } from "./groups.ts";

/** Conditions of which `True` is bad. */
const BAD_WHEN_TRUE: ReadonlySet<string> = new Set(["Conflicted", "Detached", "PartiallyInvalid"]);

/** Objects of the mesh or the Gateway API whose status has a negative condition. */
export const CONDITIONS: DocumentAnalyzer = {
  name: "conditions.ConditionAnalyzer",
  kinds: ["Gateway", "HTTPRoute", "GRPCRoute", "Service", "AuthorizationPolicy", "VirtualService"],
  codes: ["MSH0171"],
  *analyze(set) {
    for (const on of set.all) {
      if (on.group !== GATEWAY_API && !on.group.endsWith(".mesh.io")) continue;
      for (const { condition, path } of conditionsOf(on)) {
        const [type, status] = [textAt(condition, "type"), textAt(condition, "status")];
        if (status !== (BAD_WHEN_TRUE.has(type) ? "True" : "False")) continue;
        const args = [type, textAt(condition, "reason"), textAt(condition, "message")];
        yield { on, code: "MSH0171", args, path };
      }
    }
  },
};

interface FoundCondition {
  readonly condition: unknown;
  readonly path: string;
}

function* conditionsOf({ value }: PlainDocument): Iterable<FoundCondition> {
  for (const [at, condition] of listAt(value, "status", "conditions").entries()) {
    yield { condition, path: `status.conditions[${at}]` };
  }
  for (const list of ["parents", "ancestors", "listeners"]) {
    for (const [index, part] of listAt(value, "status", list).entries()) {
      for (const [at, condition] of listAt(part, "conditions").entries()) {
        yield { condition, path: `status.${list}[${index}].conditions[${at}]` };
      }
    }
  }
}
