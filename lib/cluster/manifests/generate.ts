/**
 * `manifest generate`: the manifests of an installation.
 *
 * @module
 */
import { EXIT_FAILURE, type Invocation } from "../../kit/cli/mod.ts";
import { toYaml } from "../../kit/text/mod.ts";
import { type ComponentPlan, type InstallPlan, planInstallation } from "../operator/mod.ts";
import { clusterFacts, type OpenCluster } from "./cluster.ts";
import { type InputChange, operatorInput, reportPlan } from "./input.ts";
import { writeFiles } from "./write.ts";

/**
 * Prints the manifests, or writes a file for each component into `--output`.
 *
 * @param open opens the cluster, whose properties templates read, for `--cluster-specific`
 */
export async function generateManifests(call: Invocation, open: OpenCluster): Promise<number> {
  const { flags, io } = call;
  const change = flags.bool("cluster-specific") ? await factsOf(open) : {};
  const plan = planInstallation(await operatorInput(call, change));
  if (reportPlan(plan, call)) return EXIT_FAILURE;
  const components = chosenComponents(plan, flags.list("component"));
  const folder = flags.string("output");
  if (folder === "") {
    io.out(components.map(manifestOf).filter((text) => text !== "").join("---\n"));
    return 0;
  }
  await writeFiles(
    folder,
    components.map((one) => [`${fileName(one, components)}.yaml`, manifestOf(one)]),
    io,
  );
  return 0;
}

async function factsOf(open: OpenCluster): Promise<InputChange> {
  using cluster = await open();
  return await clusterFacts(cluster);
}

/** The components that `--component` names, by component or by name; all without it. */
export function chosenComponents(
  { components }: InstallPlan,
  names: readonly string[],
): readonly ComponentPlan[] {
  if (names.length === 0) return components;
  return components.filter(({ component, name }) =>
    names.some((one) => one === name || one.toLowerCase() === component.toLowerCase())
  );
}

/** The objects of a component as a stream of documents. */
export function manifestOf({ objects }: ComponentPlan): string {
  return objects.map((object) => toYaml(object)).join("---\n");
}

/** The name of a component's file: with the namespace where two components have one name. */
export function fileName(
  { name, namespace }: ComponentPlan,
  all: readonly ComponentPlan[],
): string {
  const isUnique = all.filter((other) => other.name === name).length === 1;
  return isUnique ? name : `${name}.${namespace}`;
}
