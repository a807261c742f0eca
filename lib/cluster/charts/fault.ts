import { MeshError } from "../../kit/base/mod.ts";
import { TemplateFault } from "../../kit/template/mod.ts";

/** The error of a chart. */
export function chartFault(what: string, remedy: string): MeshError {
  return new MeshError("chart", what, { remedy });
}

/** Runs something with templates, and says mistakes with the file and the line. */
export function inChart<T>(chart: string, rendered: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    const { template, at, what, isUnknownFunction } = error;
    const used = template.startsWith(rendered) ? "" : `, which ${rendered} uses`;
    throw chartFault(
      `chart ${chart}: ${template}, line ${at.line}, column ${at.column}${used}: ${what}`,
      isUnknownFunction
        ? "Functions of time, randomness, certificates and the network are not supported; docs/charts.md names the others."
        : "Correct the value that the message names, or the template.",
    );
  }
}
