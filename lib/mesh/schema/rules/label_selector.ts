/**
 * Rules of the orchestrator's label selectors.
 *
 * @module
 */
import type { LabelSelector } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { labelKeyFault, labelValueFault, type Path } from "../../../kit/text/mod.ts";
import { checkLabels } from "../metadata.ts";
import type { Report } from "../problem.ts";
import { INVALID, REQUIRED } from "./common.ts";

/** Operators; true: they need values. */
const OPERATORS: Readonly<Record<string, boolean>> = {
  In: true,
  NotIn: true,
  Exists: false,
  DoesNotExist: false,
};

/** Checks labels to match, and expressions: their keys, operators and values. */
export function checkLabelSelector(selector: LabelSelector, path: Path, report: Report): void {
  checkLabels(selector.matchLabels, [...path, "matchLabels"], report);
  selector.matchExpressions.forEach(({ key, operator, values }, index) => {
    const at = [...path, "matchExpressions", index];
    const fault = key === "" ? "the expression has no key" : labelKeyFault(key);
    if (fault) report.fail([...at, "key"], INVALID, `label key: ${fault}`, "Name a label.");
    const compares = OPERATORS[operator];
    if (compares === undefined) {
      const message = `${JSON.stringify(operator)} is not an operator`;
      const remedy = `Use one of: ${Object.keys(OPERATORS).join(", ")}.`;
      return report.fail([...at, "operator"], INVALID, message, remedy);
    }
    if (compares && values.length === 0) {
      const message = `operator ${operator} has no values to compare with`;
      report.fail([...at, "values"], REQUIRED, message, "Give values.");
    }
    if (!compares && values.length > 0) {
      const message = `operator ${operator} takes no values`;
      report.fail([...at, "values"], INVALID, message, "Leave values out.");
    }
    values.forEach((value, valueIndex) => {
      const wrong = labelValueFault(value);
      if (!wrong) return;
      const remedy = "Write a label's value.";
      report.fail([...at, "values", valueIndex], INVALID, `label value: ${wrong}`, remedy);
    });
  });
}
