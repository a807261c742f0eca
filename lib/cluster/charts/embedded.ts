import { lazily } from "../../kit/base/mod.ts";
import { chartSetFrom } from "./chart.ts";
import { EMBEDDED_FILES } from "./embedded_files.ts";
import type { ChartSet } from "./types.ts";

const embedded = lazily(() => chartSetFrom(new Map(Object.entries(EMBEDDED_FILES))));

/** The charts that are part of the program. */
export function embeddedCharts(): ChartSet {
  return embedded();
}
