/**
 * Environment variables of debouncing.
 *
 * @module
 */
import { declareEnv } from "../../kit/env/mod.ts";
import type { DebounceSettings } from "../ingest/mod.ts";

const readers = ["pilot-discovery"];

const PILOT_DEBOUNCE_AFTER = declareEnv({
  name: "PILOT_DEBOUNCE_AFTER",
  type: "duration",
  default: "100ms",
  range: { least: 0 },
  doc:
    "How long to wait for further changes before publishing, each of which starts the wait again, " +
    "up to PILOT_DEBOUNCE_MAX; least time between publications of changes that stand alone.",
  readers,
});

const PILOT_DEBOUNCE_MAX = declareEnv({
  name: "PILOT_DEBOUNCE_MAX",
  type: "duration",
  default: "10s",
  range: { least: 0 },
  doc: "Longest time a change waits to be published while others keep arriving.",
  readers,
});

const PILOT_ENABLE_EDS_DEBOUNCE = declareEnv({
  name: "PILOT_ENABLE_EDS_DEBOUNCE",
  type: "bool",
  default: true,
  doc: "Debounce changes of endpoints; when false they are published at once.",
  readers,
});

/** Reads the settings of debouncing; throws `MeshError` for a value that cannot be read. */
export function readDebounceSettings(): DebounceSettings {
  return {
    after: PILOT_DEBOUNCE_AFTER.get(),
    max: PILOT_DEBOUNCE_MAX.get(),
    endpointsWait: PILOT_ENABLE_EDS_DEBOUNCE.get(),
  };
}
