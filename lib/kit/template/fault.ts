import { MeshError } from "../base/mod.ts";
import type { TemplatePosition } from "./ast.ts";

/** A mistake in a template. What uses templates says it in its own terms. */
export class TemplateFault extends MeshError {
  /** Name of the template or file. */
  readonly template: string;
  readonly at: TemplatePosition;
  /** The mistake, as a sentence without a stop. */
  readonly what: string;
  /** True if a function is not known. */
  readonly isUnknownFunction: boolean;

  constructor(
    template: string,
    at: TemplatePosition,
    what: string,
    isUnknownFunction: boolean = false,
  ) {
    super("template", `template ${template}, line ${at.line}, column ${at.column}: ${what}`, {
      remedy: "Correct the template.",
    });
    this.template = template;
    this.at = at;
    this.what = what;
    this.isUnknownFunction = isUnknownFunction;
  }
}

/** The error of a template, with its name, line and column. */
export function templateFault(
  template: string,
  at: TemplatePosition,
  what: string,
): TemplateFault {
  return new TemplateFault(template, at, what);
}
