import type { MeshError } from "../base/mod.ts";
import type { Operand } from "./ast.ts";
import { ValueFault } from "./value_fault.ts";
import { fieldOf, isMap, Methods, Structure } from "./values.ts";

/** The value of an operand's fields. */
export function throughFields(value: unknown, operand: Operand, isStrict: boolean): unknown {
  let reached = value;
  for (const [at, name] of operand.fields.entries()) {
    if (typeof reached === "function") reached = reached();
    if (isStrict && at > 0 && (reached === undefined || reached === null)) {
      const path = pathOf(operand, at);
      throw new ValueFault(`${path} is not set, so that ${path}.${name} cannot be read`);
    }
    reached = fieldOf(reached, name);
  }
  return reached;
}

/** The text of an operand with its first fields. */
function pathOf(operand: Operand, count: number): string {
  const start = operand.kind === "variable"
    ? operand.name
    : operand.kind === "dot"
    ? ""
    : operand.kind === "function"
    ? operand.name
    : "(...)";
  return [start, ...operand.fields.slice(0, count)].join(".");
}

/** The keys and elements that `range` visits; keys of maps are sorted. */
export function entriesOf(value: unknown, fault: () => MeshError): [unknown, unknown][] {
  if (value === undefined || value === null || value === "") return [];
  if (Array.isArray(value)) return value.map((one, i) => [i, one]);
  if (typeof value === "number") return Array.from({ length: value }, (_, i) => [i, i]);
  const map = value instanceof Structure
    ? value.value
    : value instanceof Methods
    ? value.entries
    : value;
  if (!isMap(map)) throw fault();
  return Object.keys(map).sort().map((key) => [key, map[key]]);
}
