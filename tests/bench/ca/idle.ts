/**
 * A worker whose event loop has nothing to do: its drift is that of the machine. Each message begins
 * a measurement, or ends it and is answered with the drift.
 *
 * @module
 */
/// <reference lib="deno.worker" />
import { type Drift, startDrift } from "./drift.ts";

let end: (() => Drift) | undefined;
self.onmessage = () => {
  if (end) {
    self.postMessage(end());
    end = undefined;
  } else end = startDrift();
};
self.postMessage("ready");
