/**
 * Reads MeshOperator documents, and finds the place where a value was written.
 *
 * @module
 */
import { type Path, type Position, readYaml, type YamlDocument } from "../../kit/text/mod.ts";
import { API_VERSION, KIND } from "./fields.ts";
import { mergeKeyOf } from "./merge.ts";
import type { Origin, Report } from "./problems.ts";
import type { Setting } from "./set_path.ts";
import { isTree, memberOf, type Tree, valueAt } from "./tree.ts";

/** A document that is merged with others. */
export interface Layer {
  /** The name of its file, or `profile NAME`. */
  readonly name: string;
  readonly root: Tree;
  readonly locate: (path: Path, target: "key" | "value") => Partial<Position>;
}

/** A setting of the command line, with the path at which it was written. */
export interface AppliedSetting {
  readonly setting: Pick<Setting, "text">;
  /** The flag by which it was given, for messages. */
  readonly flag: string;
  readonly path: Path;
}

/** Everything that a merged document is made from, in order. */
export interface Sources {
  readonly layers: readonly Layer[];
  readonly settings: readonly AppliedSetting[];
}

/** Reads a text with one MeshOperator; `undefined` after a fatal problem. */
export function readLayer(
  file: { readonly name: string; readonly text: string },
  fatal: Report["fatal"],
): Layer | undefined {
  const refuse = (
    at: Position | undefined,
    problem: { readonly code: string; readonly message: string; readonly remedy: string },
  ): undefined => fatal({ path: [], ...problem, origin: { file: file.name, ...at } }) as undefined;
  const documents: YamlDocument[] = [];
  for (const { document, problem } of readYaml(file.text)) {
    if (problem !== undefined) return refuse(problem, problem);
    if (document.value !== null) documents.push(document);
  }
  const [document, second] = documents;
  if (document === undefined) {
    return refuse({ line: 1, column: 1 }, {
      code: "no-document",
      message: `there is no ${KIND}`,
      remedy: `Begin the file with apiVersion: ${API_VERSION} and kind: ${KIND}.`,
    });
  }
  if (second !== undefined) {
    return refuse({ line: second.line, column: 1 }, {
      code: "several-documents",
      message: `a second document begins here, but a file has one ${KIND}`,
      remedy:
        "Put each document into a file of its own, and give the files with -f in their order.",
    });
  }
  const { value } = document;
  const wrong = wrongKind(value);
  if (wrong !== undefined) return refuse(document.locate(wrong.path), wrong);
  return {
    name: file.name,
    root: value as Tree,
    locate: (path, target) => document.locate(path, target),
  };
}

/** The reason why a value is no MeshOperator. */
function wrongKind(value: unknown):
  | {
    readonly path: Path;
    readonly code: string;
    readonly message: string;
    readonly remedy: string;
  }
  | undefined {
  const remedy =
    `Write apiVersion: ${API_VERSION} and kind: ${KIND}, with the settings below spec.`;
  const code = "wrong-kind";
  if (!isTree(value)) {
    return { path: [], code, message: `the document is no ${KIND}`, remedy };
  }
  for (const [name, wanted] of [["kind", KIND], ["apiVersion", API_VERSION]] as const) {
    const found = value[name];
    if (found === wanted) continue;
    const is = found === undefined ? "is missing" : `is ${JSON.stringify(found)}`;
    return { path: [name], code, message: `${name} ${is}, and ${wanted} is expected`, remedy };
  }
  if (value.spec !== undefined && value.spec !== null && !isTree(value.spec)) {
    return { path: ["spec"], code, message: "spec is no map", remedy };
  }
  return undefined;
}

/** The place where the value at a path of the merged document was written. */
export function originOf(
  { layers, settings }: Sources,
  merged: Tree,
  path: Path,
  target: "key" | "value" = "value",
): Origin {
  for (const { setting, flag, path: at } of settings.toReversed()) {
    if (startsWith(path, at)) return { file: `${flag} ${setting.text}` };
  }
  for (const layer of layers.toReversed()) {
    const own = ownPath(layer.root, merged, path);
    if (own !== undefined) return { file: layer.name, ...layer.locate(own, target) };
  }
  for (const { setting, flag, path: at } of settings.toReversed()) {
    if (startsWith(at, path)) return { file: `${flag} ${setting.text}` };
  }
  // A missing field: the place of what lacks it.
  if (path.length > 0) return originOf({ layers, settings }, merged, path.slice(0, -1), target);
  return { file: layers.at(-1)?.name ?? "" };
}

/** The number of the layer, from the first, that wrote the value at a path; settings come last. */
export function rankOf({ layers, settings }: Sources, merged: Tree, path: Path): number {
  const last = settings.findLastIndex(({ path: at }) =>
    startsWith(path, at) || startsWith(at, path)
  );
  if (last >= 0) return layers.length + last;
  return layers.findLastIndex(({ root }) => ownPath(root, merged, path) !== undefined);
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step);
}

/** A path of the merged document in one layer, whose lists may have other indexes. */
function ownPath(root: Tree, merged: Tree, path: Path): Path | undefined {
  const own: (string | number)[] = [];
  let [at, all]: [unknown, unknown] = [root, merged];
  for (const [depth, step] of path.entries()) {
    const key = typeof step === "number" ? mergeKeyOf(path.slice(0, depth)) : undefined;
    const element = memberOf(all, step);
    const ownStep: string | number = key !== undefined && Array.isArray(at)
      ? at.findIndex((one) => valueAt(one, [key]) === valueAt(element, [key]))
      : step;
    const next = memberOf(at, ownStep);
    if (next === undefined) return undefined;
    own.push(ownStep);
    [at, all] = [next, element];
  }
  return own;
}
