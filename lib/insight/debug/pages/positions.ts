/**
 * Positions in files. The name of the file, the line and the column are never broken; a long path is
 * broken between its folders.
 *
 * @module
 */
import type { ConfigObject } from "../../../mesh/model/mod.ts";
import { type ComponentChildren, h } from "../../../kit/web/mod.ts";

/**
 * Shows `folder/file.yaml:line:column`; without a file nothing. The file may already end with its
 * line.
 */
export function position(
  { file, line, column }: {
    readonly file: string;
    readonly line?: number;
    readonly column?: number;
  },
): ComponentChildren {
  if (file === "") return "";
  const folders = file.split("/");
  const name = [folders.pop(), line, column].filter((part) => part !== undefined).join(":");
  return h("code", null, [
    folders.flatMap((folder) => [`${folder}/`, h("wbr", null)]),
    h("span", { class: "at" }, name),
  ]);
}

/** Shows the position of an object, or the source that it comes from. */
export function origin(
  { file, line, uid, source }: ConfigObject["meta"]["origin"],
): ComponentChildren {
  return file === undefined ? uid ?? source : position({ file, line });
}
