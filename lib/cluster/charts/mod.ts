/**
 * Charts of the installation: reading, and rendering to objects with the semantics of Helm. Pure but
 * for `readChartsFrom`.
 *
 * @module
 */
export type {
  Chart,
  ChartCapabilities,
  ChartObject,
  ChartSet,
  JsonObject,
  RenderInput,
} from "./types.ts";
export { chartFrom, chartSetFrom } from "./chart.ts";
export { embeddedCharts } from "./embedded.ts";
export { readChartsFrom } from "./read.ts";
export { renderChart, renderNotes } from "./render.ts";
export { mergedValues } from "./values.ts";
