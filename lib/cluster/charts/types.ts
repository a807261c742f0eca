import type { OrchObject } from "../../kit/orch/mod.ts";

/** A map of JSON values. */
export type JsonObject = { readonly [name: string]: unknown };

/** A chart: templates with values. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly values: JsonObject;
  /** Path within the chart, such as `templates/deployment.yaml` → text. */
  readonly files: ReadonlyMap<string, string>;
}

/** Charts with the profiles beside them. */
export interface ChartSet {
  readonly charts: ReadonlyMap<string, Chart>;
  /** Name → YAML text. */
  readonly profiles: ReadonlyMap<string, string>;
}

/** The cluster in which a chart is installed. */
export interface ChartCapabilities {
  /** Version of the orchestrator, such as `1.33.2`. */
  readonly orchVersion: string;
  /** API versions such as `apps/v1`, and kinds such as `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[];
}

/** Release, values and cluster of a rendering. */
export interface RenderInput {
  readonly release: {
    readonly name: string;
    readonly namespace: string;
    readonly isUpgrade?: boolean;
  };
  /** Values of the user, over those of the chart. `null` removes a value of the chart. */
  readonly values: JsonObject;
  readonly capabilities: ChartCapabilities;
  /** The values are not checked against the chart's schema. */
  readonly isUnchecked?: boolean;
  /** An object of the cluster, for the function `lookup`; an empty name: a list. Default: there are none. */
  readonly lookup?: (
    apiVersion: string,
    kind: string,
    namespace: string,
    name: string,
  ) => JsonObject | undefined;
}

/** One document that a chart makes. */
export interface ChartObject {
  /** The template that it comes from, such as `meshd/templates/deployment.yaml`. */
  readonly source: string;
  readonly object: OrchObject;
}
