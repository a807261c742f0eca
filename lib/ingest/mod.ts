/**
 * The path of configuration from the sources into the input tables: collect, debounce, order, cut
 * into pieces, write, publish. Pure: clock, timers and metrics are passed in.
 *
 * @module
 */
export {
  type Batch,
  createDebouncer,
  type DebounceOptions,
  type Debouncer,
  type DebounceSettings,
  type Trigger,
} from "./debounce.ts";
