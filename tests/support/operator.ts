/**
 * A small set of charts for tests of the room `operator`.
 *
 * @module
 */

import { type ChartSet, embeddedCharts, readChartsFrom } from "../../lib/cluster/charts/mod.ts";
import {
  type InstallPlan,
  type OperatorInput,
  planInstallation,
  problemText,
} from "../../lib/cluster/operator/mod.ts";
import { fromFileUrl } from "../../scripts/paths.ts";

/** A map of plain values. */
export type Tree = Record<string, unknown>;

/** The value at a path; `undefined` where there is none. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, step) => typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined,
    root,
  );
}

const DATA = new URL("../../lib/cluster/operator/testdata/charts/", import.meta.url);

const CHARTS: ChartSet = {
  ...await readChartsFrom(fromFileUrl(DATA)),
  profiles: embeddedCharts().profiles,
};

/** A plan with the charts of tests. */
export function planned(input: Partial<OperatorInput> = {}): InstallPlan {
  return planInstallation({
    charts: CHARTS,
    files: [],
    set: [],
    capabilities: { orchVersion: "1.33.0", apiVersions: [] },
    isForced: false,
    version: "1.2.3",
    ...input,
  });
}

/** A document with a spec. */
export function operatorText(spec: string): string {
  const lines = spec.split("\n").map((line) => line === "" ? "" : `  ${line}`);
  return ["apiVersion: install.mesh.io/v1alpha1", "kind: MeshOperator", "spec:", ...lines, ""].join(
    "\n",
  );
}

/** The object of a kind in a component of a plan. */
export function objectOf(plan: InstallPlan, name: string, kind: string): Tree {
  const component = plan.components.find((one) => one.name === name);
  return { ...component?.objects.find((one) => one.kind === kind) };
}

/** Problems as lines. */
export function problemsOf({ problems }: InstallPlan): string[] {
  return problems.map((one) => `${problemText(one)}. ${one.remedy}`);
}
