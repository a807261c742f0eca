/**
 * `manifest translate`: the values of charts, ready for Helm.
 *
 * @module
 */
import { printable } from "../../kit/base/mod.ts";
import { EXIT_FAILURE, type Invocation } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { type ComponentPlan, planInstallation } from "../operator/mod.ts";
import { chosenComponents, fileName } from "./generate.ts";
import { operatorInput, reportPlan } from "./input.ts";
import { writeFiles } from "./write.ts";

/** Prints the values of each component, or writes a file for each into `--output`. */
export async function translateManifests(call: Invocation): Promise<number> {
  const { flags, io } = call;
  const plan = planInstallation(await operatorInput(call));
  if (reportPlan(plan, call)) return EXIT_FAILURE;
  const components = chosenComponents(plan, flags.list("component"));
  for (const path of components.flatMap(({ unrendered }) => unrendered)) {
    io.err(
      printable(
        `Warning: ${path}: no value of the chart expresses it, so that Helm does not apply it. `,
      ) +
        "Use `meshctl install` or `manifest generate`, or set it by a post-renderer.\n",
    );
  }
  const folder = flags.string("output");
  if (folder === "") {
    io.out(components.map((one) => headOf(one, "-") + valuesOf(one)).join("---\n"));
    return 0;
  }
  const files = components.map((one): [string, string] => {
    const name = `${fileName(one, components)}-values.yaml`;
    return [name, headOf(one, name) + valuesOf(one)];
  });
  await writeFiles(folder, files, io);
  return 0;
}

function headOf({ component, name, namespace, chart }: ComponentPlan, file: string): string {
  return `# ${component}: helm upgrade --install ${name} charts/${chart} --namespace ${namespace} --values ${file}\n`;
}

function valuesOf({ values }: ComponentPlan): string {
  return toYaml(values);
}
