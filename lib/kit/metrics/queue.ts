/**
 * Metrics of queues of work.
 *
 * @module
 */
import { type Gauge, gauge, type Histogram, histogram } from "./instruments.ts";

const BUCKETS = [.01, .1, .2, .5, 1, 3, 5];

interface QueueMetrics {
  readonly depth: Gauge;
  readonly latency: Histogram;
  readonly duration: Histogram;
}

let declared: QueueMetrics | undefined;

/** Declares the metrics, so that they are exported before the first item. */
export function declareQueueMetrics(): void {
  metrics();
}

function metrics(): QueueMetrics {
  return declared ??= {
    depth: gauge({
      name: "pilot_worker_queue_depth",
      help: "Items that wait in a queue of work or are processed, by queue.",
      labels: ["queueID"],
    }),
    latency: histogram({
      name: "pilot_worker_queue_latency",
      help: "Seconds that an item waited before it was processed, by queue.",
      buckets: BUCKETS,
      labels: ["queueID"],
    }),
    duration: histogram({
      name: "pilot_worker_queue_duration",
      help: "Seconds that the processing of an item took, by queue.",
      buckets: BUCKETS,
      labels: ["queueID"],
    }),
  };
}

export interface QueueItem {
  /** The processing begins. */
  begin(): void;
  /** The processing ended, or the item is left out. */
  end(): void;
}

/** Counts an item of a queue from now on. */
export function queueItem(queue: string): QueueItem {
  const { depth, latency, duration } = metrics();
  depth.inc({ queueID: queue });
  let since = performance.now();
  let hasBegun = false;
  const seconds = () => {
    const before = since;
    since = performance.now();
    return (since - before) / 1000;
  };
  return {
    begin() {
      hasBegun = true;
      latency.observe({ queueID: queue }, seconds());
    },
    end() {
      depth.dec({ queueID: queue });
      if (hasBegun) duration.observe({ queueID: queue }, seconds());
    },
  };
}
