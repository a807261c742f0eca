import { MeshError } from "../../../kit/base/mod.ts";
import type { TemplatePosition } from "./ast.ts";

/**
 * The error of a template: `inject-template`, with its name, line and column.
 *
 * @param what the mistake, as a sentence without a stop
 */
export function templateFault(
  template: string,
  at: TemplatePosition,
  what: string,
  remedy?: string,
): MeshError {
  const where = `template ${template}, line ${at.line}, column ${at.column}`;
  return new MeshError("inject-template", `${where}: ${what}`, {
    remedy: remedy ?? "Correct the template in the key config of the injection ConfigMap.",
  });
}
