/**
 * The judgement of the reader of configuration about a changed text.
 *
 * @module
 */
import { readYaml } from "../../kit/text/mod.ts";
import {
  parseConfigDocuments,
  parseMeshConfig,
  type SchemaProblem,
} from "../../mesh/schema/mod.ts";
import { isMeshConfigMap } from "./embedded.ts";
import { textAt } from "./place.ts";
import type { Remark } from "./remark.ts";

/** Kinds of the mesh that only installations read. */
const WITHOUT_READER: ReadonlySet<string> = new Set(["MeshOperator"]);

/** Rejections and warnings, as remarks. */
export function readerRemarks(text: string, file: string): Remark[] {
  const seen: { readonly line: number; readonly value: unknown }[] = [];
  const { problems, warnings } = parseConfigDocuments(text, file, undefined, {
    settings: true,
    foreign: () => {},
    seen: (document) => void seen.push(document),
  });
  const isNews = ({ line, code }: SchemaProblem): boolean => {
    // The changes themselves have said this.
    if (code === "renamed" || code.startsWith("yaml-")) return false;
    const document = seen.findLast((one) => one.line <= line)?.value;
    const kind = textAt(document, "kind");
    return kind !== "" && !WITHOUT_READER.has(kind);
  };
  return [
    ...problems.filter(isNews).map((one) => ofProblem(one, "lost")),
    ...warnings.filter(isNews).map((one) => ofProblem(one, "check")),
    ...meshRemarks(text, file),
  ];
}

/** Faults of the mesh configurations inside of ConfigMaps. */
function meshRemarks(text: string, file: string): Remark[] {
  const remarks: Remark[] = [];
  for (const { document } of readYaml(text)) {
    if (document === undefined || !isMeshConfigMap(document.value)) continue;
    const mesh = textAt(document.value, "data", "mesh");
    if (mesh === "") continue;
    const { line } = document.locate(["data", "mesh"], "key");
    const { problems, warnings } = parseMeshConfig(mesh, file);
    const inside = (one: SchemaProblem): SchemaProblem => ({
      ...one,
      line: line + (mesh.includes("\n") ? one.line : 0),
      path: `data.mesh: ${one.path}`,
    });
    remarks.push(...problems.map((one) => ofProblem(inside(one), "lost")));
    remarks.push(...warnings.map((one) => ofProblem(inside(one), "check")));
  }
  return remarks;
}

function ofProblem(
  { line, path, message, remedy }: SchemaProblem,
  level: Remark["level"],
): Remark {
  return { line, field: path, level, message, remedy };
}
