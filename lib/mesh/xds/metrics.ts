/**
 * Metrics of serving. Names and buckets are those that common dashboards expect.
 *
 * @module
 */
import { type ClientLabels, clientLabels } from "./admission/mod.ts";
import {
  type Counter,
  counter,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
} from "../../kit/metrics/mod.ts";

const SECONDS = [.1, .5, 1, 3, 5, 10, 20, 30];

/** Responses sent. */
export const pushes: Counter = counter({
  name: "pilot_xds_pushes",
  help: "Discovery responses sent, by resource type.",
  labels: ["type"],
});

/** Rejections. */
export const rejects: Counter = counter({
  name: "pilot_total_xds_rejects",
  help: "Discovery responses that a proxy rejected, by resource type.",
  labels: ["type"],
});

/** Answers to responses that are not the latest. */
export const expiredNonces: Counter = counter({
  name: "pilot_xds_expired_nonce",
  help: "Discovery requests with the nonce of an earlier response, by resource type.",
  labels: ["type"],
});

/** Quarantined resources. */
export const quarantined: Gauge = gauge({
  name: "mesh_xds_quarantined",
  help:
    "Resources of proxy classes that connected proxies rejected and that are withheld from them, by type.",
  labels: ["type"],
});

/** Failures of our own. */
export const internalErrors: Counter = counter({
  name: "pilot_total_xds_internal_errors",
  help: "Streams that failed through an error of the server itself.",
});

/** Being sent to. */
export const activePushes: Gauge = gauge({
  name: "mesh_xds_pushes_active",
  help: "Proxies that are being sent to, of PILOT_PUSH_THROTTLE at most.",
});

/** Names that proxies may not ask for on demand, because they asked for too many. */
export const refusedNames: Counter = counter({
  name: "mesh_xds_refused_names_total",
  help: "Names that proxies asked for on demand beyond MESH_ON_DEMAND_NAMES.",
});

/** Clients that did not read. */
export const writeTimeouts: Counter = counter({
  name: "pilot_xds_write_timeout",
  help: "Streams given up because the proxy did not take what it was sent.",
});

const connected: Gauge = gauge({
  name: "pilot_xds",
  help: "Connected proxies, by their version.",
  labels: ["version"],
});

/** Versions of proxies shown at the same time, and their length; the others are shown as `other`. */
const versions: ClientLabels = clientLabels({ most: 100, length: 64 });

/** Counts a connected proxy of a version. Returns the function that ends it. */
export function connectedAs(version: string): () => void {
  const label = versions.take(version);
  connected.inc({ version: label });
  return () => {
    if (versions.release(label)) connected.remove({ version: label });
    else connected.dec({ version: label });
  };
}

/** Largest message taken from a proxy. */
let largest = 0;
gauge({
  name: "pilot_xds_recv_max",
  help: "Bytes of the largest discovery request received since the start.",
  collect: () => largest,
});

/** Records the size of a message. */
export function received(bytes: number): void {
  if (bytes > largest) largest = bytes;
}

/** From the first change of a batch until the transport has taken the last byte. */
export const convergenceTime: Histogram = histogram({
  name: "pilot_proxy_convergence_time",
  help: "Seconds from a change, debouncing included, until a proxy concerned was sent all of it.",
  buckets: SECONDS,
});

/** In the push queue. */
export const queueTime: Histogram = histogram({
  name: "pilot_proxy_queue_time",
  help: "Seconds a proxy waited in the push queue.",
  buckets: SECONDS,
});

/** From the start of a push. */
export const pushTime: Histogram = histogram({
  name: "pilot_xds_push_time",
  help: "Seconds from the start of a push until the responses of a type were written.",
  buckets: [.01, .1, .5, 1, 3, 5, 10, 20, 30],
  labels: ["type"],
});

/** Until the transport took it. */
export const sendTime: Histogram = histogram({
  name: "pilot_xds_send_time",
  help: "Seconds until the transport took all responses of a push.",
  buckets: [.01, .1, 1, 3, 5, 10, 20, 30],
});

/** Size of responses. */
export const configSize: Histogram = histogram({
  name: "pilot_xds_config_size_bytes",
  help: "Bytes of a discovery response, by resource type.",
  buckets: [1, 1e4, 1e6, 4e6, 1e7, 4e7],
  labels: ["type"],
});

const rejected: Readonly<Record<string, Gauge>> = Object.fromEntries(
  ["cds", "eds", "lds", "rds"].map((short) => [
    short,
    gauge({
      name: `pilot_xds_${short}_reject`,
      help: `Proxies whose last answer to ${short.toUpperCase()} was a rejection.`,
      labels: ["node", "err"],
    }),
  ]),
);

/** Nodes shown at the same time, and the length of their ids; the others are shown as `other`. */
const rejectingNodes: ClientLabels = clientLabels({ most: 1000, length: 256 });
/** Marks by series: several streams may have the same node id. */
const marks = new Map<string, number>();

/** Marks a proxy as one that rejects a type. Returns the function that takes the mark away. */
export function markRejected(short: string, node: string, err: string): () => void {
  const metric = rejected[short];
  if (!metric) return () => {};
  const labels = { node: rejectingNodes.take(node), err };
  const series = `${short} ${err} ${labels.node}`;
  marks.set(series, (marks.get(series) ?? 0) + 1);
  metric.set(labels, 1);
  return () => {
    rejectingNodes.release(labels.node);
    const left = marks.get(series)! - 1;
    marks.set(series, left);
    if (left > 0) return;
    marks.delete(series);
    metric.remove(labels);
  };
}
