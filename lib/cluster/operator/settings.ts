/**
 * Settings of the command line, written over the merged documents.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import type { AppliedSetting } from "./documents.ts";
import { SPEC_NAMES } from "./fields.ts";
import { type Report, unknownName } from "./problems.ts";
import { parseSetting, PathFault, type Setting, type SetValue, type Step } from "./set_path.ts";
import type { Tree } from "./tree.ts";
import { writeAt } from "./write.ts";

/** Tells where texts are expected, so that `tag=1.10` stays what was written. */
export type ExpectsText = (path: Path) => boolean;

/** Reads the texts of `--set`. A text that cannot be read is a fatal problem. */
export function readSettings(texts: readonly string[], fatal: Report["fatal"]): Setting[] {
  return texts.flatMap((text) => {
    try {
      return [parseSetting(text)];
    } catch (error) {
      if (!(error instanceof PathFault)) throw error;
      fatal(settingFinding(text, error));
      return [];
    }
  });
}

function settingFinding(
  text: string,
  { message, remedy }: PathFault,
): Parameters<Report["fatal"]>[0] {
  return { path: [], code: "wrong-setting", message, remedy, origin: { file: `--set ${text}` } };
}

/** The value of the last setting of a path such as `profile`, as text. */
export function settingOf(
  settings: readonly Setting[],
  path: readonly string[],
): string | undefined {
  const last = settings.findLast(({ steps }) => {
    const keys = documentSteps(steps).slice(1);
    return keys.length === path.length &&
      keys.every((step, at) => step.kind === "key" && step.key === path[at]);
  });
  return last?.value.kind === "list" ? undefined : last?.value.text;
}

/** Writes settings into a document, in their order, and returns where. */
export function applySettings(
  root: Tree,
  settings: readonly Setting[],
  expectsText: ExpectsText,
  fatal: Report["fatal"],
): AppliedSetting[] {
  return settings.flatMap((setting) => {
    const steps = documentSteps(setting.steps);
    const [, first] = steps;
    if (first?.kind !== "key" || !SPEC_NAMES.includes(first.key)) {
      fatal(unknownStart(setting, first));
      return [];
    }
    try {
      const value = plainValue(setting.value, pathGuess(steps), expectsText);
      const path = writeAt(root, steps, {
        value,
        addsElements: true,
        keepsNull: isOfValues(steps),
      });
      return [{ setting, flag: "--set", path }];
    } catch (error) {
      if (!(error instanceof PathFault)) throw error;
      fatal(settingFinding(setting.text, error));
      return [];
    }
  });
}

/** Values keep null: it takes a value of the chart away. */
function isOfValues([, part]: readonly Step[]): boolean {
  return part?.kind === "key" && part.key === "values";
}

/** Steps from the root of the document; the prefix `spec.` may be left out. */
function documentSteps(steps: readonly Step[]): readonly Step[] {
  const [first] = steps;
  return first?.kind === "key" && first.key === "spec"
    ? steps
    : [{ kind: "key", key: "spec" }, ...steps];
}

/** Values that users know from charts, which are below `values` here. */
const OF_CHARTS: ReadonlySet<string> = new Set([
  "base",
  "cni",
  "gateways",
  "global",
  "pilot",
  "sidecarInjectorWebhook",
  "telemetry",
  "ztunnel",
]);

function unknownStart({ text }: Setting, first: Step | undefined): Parameters<Report["fatal"]>[0] {
  const origin = { file: `--set ${text}` };
  const name = first?.kind === "key" ? first.key : "";
  const finding = unknownName(["spec", name], SPEC_NAMES, { noun: "field", code: "unknown-field" });
  if (!OF_CHARTS.has(name)) return { ...finding, origin };
  const suggestion = `values.${name}`;
  return { ...finding, origin, suggestion, remedy: `Did you mean "${suggestion}"?` };
}

/** A path whose elements of lists are all the first: they have one type. */
function pathGuess(steps: readonly Step[]): (string | number)[] {
  return steps.map((step) => step.kind === "key" ? step.key : 0);
}

function plainValue(value: SetValue, path: Path, expectsText: ExpectsText): unknown {
  if (value.kind === "list") {
    return value.items.map((one) => plainValue(one, [...path, 0], expectsText));
  }
  if (value.kind === "quoted") return value.text;
  return value.value !== null && expectsText(path) ? value.text : value.value;
}
