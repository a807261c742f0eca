/**
 * The effective MeshOperator: profile, platform, compatibility version, files, settings.
 *
 * @module
 */
import type { Path } from "../../kit/text/mod.ts";
import type { OperatorInput } from "./api.ts";
import { compatibilityLayers } from "./compatibility.ts";
import { type AppliedSetting, type Layer, originOf, readLayer, type Sources } from "./documents.ts";
import { checkField } from "./field_check.ts";
import { API_VERSION, KIND, OPERATOR, typeAt } from "./fields.ts";
import { mergeOver } from "./merge.ts";
import { isMeshText } from "./mesh_check.ts";
import { formatPath } from "../../mesh/schema/mod.ts";
import type { Finding, Problem, Report } from "./problems.ts";
import { DEFAULT_PROFILE, platformLayers, profileLayers } from "./profiles.ts";
import { applySettings, type ExpectsText, readSettings, settingOf } from "./settings.ts";
import type { Setting } from "./set_path.ts";
import { isEmpty, type Tree, valueAt } from "./tree.ts";
import { knownValues } from "./values_check.ts";

/** The merged document with what was found on the way. */
export interface Effective {
  readonly root: Tree;
  readonly profile: string;
  readonly sources: Sources;
  readonly report: Report;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Merges everything, and checks the fields. */
export function effectiveOperator(input: OperatorInput): Effective {
  const found = new Findings(input.isForced);
  const { report } = found;
  const files = input.files.flatMap((file) => readLayer(file, report.fatal) ?? []);
  const settings = readSettings(input.set, report.fatal);
  const chosen = (path: readonly string[]): string | undefined =>
    settingOf(settings, path) ?? textIn(files, ["spec", ...path]);
  const profile = chosen(["profile"]) || DEFAULT_PROFILE;
  const layers: Layer[] = profileLayers(input.charts, profile, report.fatal);
  const platform = chosen(["values", "global", "platform"]) ??
    textIn(layers, ["spec", "values", "global", "platform"]) ?? "";
  layers.push(...platformLayers(input.charts, platform, report));
  layers.push(...compatibilityLayers(chosen(["compatibilityVersion"]) ?? "", report.problem));
  layers.push(...files);
  const root = layers.reduce<Tree>(
    (at, layer) => mergeOver(at, layer.root),
    { apiVersion: API_VERSION, kind: KIND },
  );
  const copy = structuredClone(root);
  const applied = applySettings(copy, settings, expectedTexts(input, copy), report.fatal);
  applied.push(...revisionSetting(copy, input, settings, report.problem));
  const sources = { layers, settings: applied };
  checkField(copy, OPERATOR, [], report.problem);
  refusePackagePath(copy, report.problem);
  found.place(sources, copy);
  return {
    root: copy,
    profile,
    sources,
    report,
    problems: found.problems,
    warnings: found.warnings,
  };
}

/** The text at a path of the last document that has one. */
function textIn(layers: readonly Layer[], path: Path): string | undefined {
  const found = layers.map(({ root }) => valueAt(root, path)).findLast((one) => !isEmpty(one));
  return found === undefined ? undefined : String(found);
}

/** Places where texts are expected: fields, values of charts, the mesh configuration. */
function expectedTexts(input: OperatorInput, root: Tree): ExpectsText {
  const gateways = ["ingressGateways", "egressGateways"].flatMap((name) => {
    const list = valueAt(root, ["spec", "components", name]);
    return Array.isArray(list) ? list.map((one) => String(valueAt(one, ["name"]))) : [];
  });
  const values = knownValues(input.charts, gateways);
  return (path) => {
    const [, part, ...rest] = path;
    if (part === "meshConfig") return isMeshText(rest);
    if (part !== "values") return typeAt(path)?.kind === "text";
    if (rest[0] === "meshConfig") return isMeshText(rest.slice(1));
    let known: ReturnType<typeof values.child> = values;
    for (const step of rest) known = typeof step === "number" ? known?.item() : known?.child(step);
    return known?.isText === true;
  };
}

/** `--revision`, which wins over files; another one of `--set` is a conflict. */
function revisionSetting(
  root: Tree,
  { revision }: OperatorInput,
  settings: readonly Setting[],
  problem: Report["problem"],
): AppliedSetting[] {
  if (revision === undefined || revision === "") return [];
  const path = ["spec", "revision"];
  const other = settingOf(settings, ["revision"]);
  if (other !== undefined && other !== revision) {
    problem({
      path,
      code: "conflict",
      message: `it is "${other}", and --revision is "${revision}"`,
      remedy: "Give one of them.",
      origin: { file: `--set revision=${other}` },
    });
  }
  const spec = valueAt(root, ["spec"]);
  root.spec = { ...spec as Tree | undefined, revision };
  return [{ setting: { text: revision }, flag: "--revision", path }];
}

function refusePackagePath(root: Tree, problem: Report["problem"]): void {
  const path = ["spec", "installPackagePath"];
  if (isEmpty(valueAt(root, path))) return;
  problem({
    path,
    code: "not-supported",
    message: "the directory of charts cannot be chosen in a document",
    remedy: "Remove it, and give the directory with --manifests.",
    target: "key",
  });
}

/** Collects findings; those of the time before the documents are merged get their places later. */
class Findings {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  #waiting: (() => void)[] | undefined = [];
  #placeOf: (finding: Finding) => Problem["origin"] = () => ({ file: "" });

  constructor(readonly isForced: boolean) {}

  readonly report: Report = {
    problem: (finding) => this.#add(this.isForced ? this.warnings : this.problems, finding),
    warning: (finding) => this.#add(this.warnings, finding),
    fatal: (finding) => this.#add(this.problems, finding),
  };

  /** From now on the documents are known. */
  place(sources: Sources, root: Tree): void {
    this.#placeOf = ({ path, target }) => originOf(sources, root, path, target);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const add of waiting) add();
  }

  #add(list: Problem[], finding: Finding): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(() => this.#add(list, finding));
      return;
    }
    const { path, code, message, remedy, suggestion } = finding;
    const origin = finding.origin ?? this.#placeOf(finding);
    list.push({ path: formatPath(path), code, message, remedy, suggestion, origin });
  }
}
