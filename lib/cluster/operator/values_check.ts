/**
 * Checks `spec.values` against the values that the charts know.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import type { ChartSet } from "../charts/mod.ts";
import { COMPONENTS } from "./components.ts";
import { GATEWAY_VALUES } from "./gateway_values.ts";
import { type Known, knownByAny, knownMap, knownOf } from "./known_values.ts";
import { type Report, unknownName } from "./problems.ts";
import { isTree, typeName } from "./tree.ts";

/** All values that the charts know, as `spec.values` has them. */
export function knownValues({ charts }: ChartSet, gateways: readonly string[]): Known {
  const roots = new Map<string, Known[]>();
  const add = (name: string, known: Known): void =>
    void roots.set(name, [...roots.get(name) ?? [], known]);
  const apart = new Set(COMPONENTS.flatMap((one) => one.isApart ? one.valuesRoot : []));
  for (const { component, chart: name, isList, valuesRoot, isApart } of COMPONENTS) {
    const chart = charts.get(name);
    if (chart === undefined) continue;
    const known = knownOf(chart, { component });
    if (isList) {
      const names = [valuesRoot.at(-1)!, ...gateways];
      const gateway = gatewayKnown(known);
      add(valuesRoot[0]!, knownMap(new Map(names.map((one) => [one, gateway]))));
      continue;
    }
    const top = isApart ? ["global"] : known.names.filter((one) => !apart.has(one));
    for (const one of top) add(one, known.child(one)!);
    const root = valuesRoot[0]!;
    if (!known.names.includes(root)) add(root, known);
  }
  return knownMap(new Map([...roots].map(([name, all]) => [name, knownByAny(all)])));
}

/** The values of the gateway chart, and the older names for them. */
function gatewayKnown(chart: Known): Known {
  const older = Object.entries(GATEWAY_VALUES).flatMap(([path, target]) => {
    const known = target.reduce<Known | undefined>((at, name) => at?.child(name), chart);
    return known === undefined ? [] : [[path.split("."), known] as const];
  });
  return knownByAny([chart, olderKnown(older)]);
}

function olderKnown(rows: readonly (readonly [readonly string[], Known])[]): Known {
  const names = [...new Set(rows.map(([[first]]) => first!))];
  return knownMap(
    new Map(names.map((name) => {
      const below = rows.filter(([[first]]) => first === name)
        .map(([path, known]) => [path.slice(1), known] as const);
      const leaf = below.find(([path]) => path.length === 0);
      return [name, leaf?.[1] ?? olderKnown(below)];
    })),
  );
}

/** Reports values that no chart knows, and values of a wrong type. */
export function checkValues(
  value: unknown,
  known: Known,
  path: Path,
  report: Report["problem"],
): void {
  if (value === null) return;
  const wanted = known.refusal(value);
  if (wanted !== undefined) {
    return report({
      path,
      code: "wrong-type",
      message: `it is ${typeName(value)}, and ${wanted} is expected`,
      remedy: `Give ${wanted}.`,
    });
  }
  if (Array.isArray(value)) {
    const item = known.item();
    if (item !== undefined) {
      value.forEach((one, at) => checkValues(one, item, [...path, at], report));
    }
  }
  if (!isTree(value)) return;
  for (const [name, one] of Object.entries(value)) {
    const at = [...path, name];
    const child = known.child(name);
    if (child !== undefined) checkValues(one, child, at, report);
    else if (!known.isFree) report(unknownValue(at, known));
  }
}

function unknownValue(path: Path, known: Known): ReturnType<typeof unknownName> {
  const finding = unknownName(path, known.names, { noun: "value", code: "unknown-value" });
  const remedy = finding.suggestion === undefined
    ? `${finding.remedy} Values of templates of one's own belong into unvalidatedValues.`
    : finding.remedy;
  return { ...finding, remedy };
}
