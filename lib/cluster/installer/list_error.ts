import { MeshError, printable } from "../../kit/base/mod.ts";

/** An error about several things: one of them stands in its message, more stand above its remedy. */
export function listError(
  code: string,
  message: string,
  lines: readonly string[],
  remedy: string,
): MeshError {
  if (lines.length === 1) return new MeshError(code, `${message}: ${lines[0]}`, { remedy });
  const list = lines.map((line) => `  ${printable(line)}\n`).join("");
  return new MeshError(code, `${message} (${lines.length})`, { remedy: `${list}${remedy}` });
}
