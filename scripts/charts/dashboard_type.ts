/**
 * The type of a dashboard file, from the types that Grafana publishes: the whole model of dashboards,
 * with the options of the two kinds of panels and the queries that these dashboards have.
 *
 * @module
 */
import type { GraphFieldConfig } from "@grafana/grafana-foundation-sdk/common";
import type {
  Dashboard,
  FieldConfigSource,
  Panel,
  RowPanel,
} from "@grafana/grafana-foundation-sdk/dashboard";
import type { Dataquery } from "@grafana/grafana-foundation-sdk/prometheus";
import type { Options as StatOptions } from "@grafana/grafana-foundation-sdk/stat";
import type { Options as TimeSeriesOptions } from "@grafana/grafana-foundation-sdk/timeseries";

/** A type as JSON has it: texts in the place of enumerations of texts. */
type Json<T> = T extends string ? `${T}`
  : T extends readonly (infer E)[] ? readonly Json<E>[]
  : T extends object ? { readonly [K in keyof T]: Json<T[K]> }
  : T;

type Defaults = FieldConfigSource["defaults"];

/** A panel of one kind, with its options instead of those that may be anything. */
type PanelOf<Type extends string, Options, Custom> =
  & Omit<Panel, "type" | "options" | "targets" | "fieldConfig">
  & {
    readonly type: Type;
    readonly options: Partial<Options>;
    readonly targets: readonly Omit<Dataquery, "_implementsDataqueryVariant">[];
    readonly fieldConfig: Omit<FieldConfigSource, "defaults"> & {
      readonly defaults: Omit<Defaults, "custom"> & { readonly custom?: Custom };
    };
  };

/** The content of a file in `charts/monitoring/dashboards`. */
export type DashboardFile = Json<
  Omit<Dashboard, "panels"> & {
    readonly panels: readonly (
      | (Omit<RowPanel, "type"> & { readonly type: "row" })
      | PanelOf<"stat", StatOptions, Record<string, never>>
      | PanelOf<"timeseries", TimeSeriesOptions, GraphFieldConfig>
    )[];
  }
>;
