/**
 * The types of the room.
 *
 * @module
 */
import type { ChartCapabilities, ChartSet, JsonObject, RenderInput } from "../charts/mod.ts";
import type { OrchObject } from "../../kit/orch/mod.ts";
import type { ComponentName } from "./components.ts";
import type { Problem } from "./problems.ts";

/** Input of a plan. */
export interface OperatorInput {
  readonly charts: ChartSet;
  /** Later ones win. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** Texts of `--set`; they win over the files. */
  readonly set: readonly string[];
  /** The value of `--revision`; absent: the documents decide. */
  readonly revision?: string;
  readonly capabilities: ChartCapabilities;
  readonly lookup?: RenderInput["lookup"];
  /** True: problems of validation are warnings. */
  readonly isForced: boolean;
  /** The version of the program, which labels name. */
  readonly version: string;
}

/** One component that is installed. */
export interface ComponentPlan {
  readonly component: ComponentName;
  /** For example `mesh-ingressgateway`. */
  readonly name: string;
  readonly namespace: string;
  readonly chart: string;
  /** The values of the chart, ready for Helm, except what {@link unrendered} names. */
  readonly values: JsonObject;
  /** With labels and the settings of `k8s`. */
  readonly objects: readonly OrchObject[];
  /** Paths of settings that are applied to objects and that `values` cannot express. */
  readonly unrendered: readonly string[];
}

/** An installation. */
export interface InstallPlan {
  /** The effective MeshOperator. */
  readonly operator: JsonObject;
  readonly profile: string;
  readonly revision: string;
  readonly namespace: string;
  /** In the order of installation; empty while there are problems. */
  readonly components: readonly ComponentPlan[];
  /** They forbid the installation. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}
