import { MeshError } from "../../kit/base/mod.ts";
import { TemplateFault } from "../../kit/template/mod.ts";

/**
 * Runs something with templates of injection.
 *
 * @throws MeshError `inject-template` with the line of a mistake, and where to correct it
 */
export function asInjection<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw new MeshError("inject-template", error.message, {
      remedy: error.isUnknownFunction
        ? "docs/injection.md lists the functions of templates."
        : "Correct the template in the key config of the injection ConfigMap.",
    });
  }
}
