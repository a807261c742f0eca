/**
 * Charts, as this room reads them.
 *
 * @module
 */

/** A map of JSON values. */
export type JsonObject = { readonly [name: string]: unknown };

/** Any object of the orchestrator. */
export interface OrchObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Templates with values. */
export interface Chart {
  readonly name: string;
  readonly version: string;
  /** The content of `values.yaml`. */
  readonly values: JsonObject;
  /** Texts by path below the chart's folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Charts and profiles by name. */
export interface ChartSet {
  readonly charts: ReadonlyMap<string, Chart>;
  readonly profiles: ReadonlyMap<string, string>;
}

/** The cluster, as templates read it. */
export interface Capabilities {
  readonly orchVersion: string;
  readonly apiVersions: readonly string[];
}

/** Input of the templates of a chart. */
export interface RenderInput {
  readonly release: {
    readonly name: string;
    readonly namespace: string;
    readonly isUpgrade?: boolean;
  };
  readonly values: JsonObject;
  readonly capabilities: Capabilities;
  readonly lookup?: (
    apiVersion: string,
    kind: string,
    namespace: string,
    name: string,
  ) => JsonObject | undefined;
}

/** One document that a chart makes. */
export interface ChartObject {
  /** For example `meshd/templates/deployment.yaml`. */
  readonly source: string;
  readonly object: OrchObject;
}

/** Renders the objects of a chart in the order of installation. */
export type Renderer = (chart: Chart, input: RenderInput) => readonly ChartObject[];
