/**
 * CPU of the daemon for single events of the orchestrator: heartbeats of nodes, status and labels of a pod
 * of a small and of a large Service, and a large Service that appears.
 *
 * @module
 */
import { createObject, mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make, makeService, objectOf } from "../../support/cluster_objects.ts";
import { watchEndpoints } from "../../support/endpoint_watcher.ts";
import { createMeter } from "./meter.ts";
import { inParallel } from "./parallel.ts";

/** Endpoints of an EndpointSlice, as the orchestrator's controller makes them. */
const SLICE = 100;
const EVENTS = 400;
/** Changed labels are changed endpoints, which clients are sent. */
const CHANGES = 40;
const WRITERS = 20;

/** A figure of the benchmark's table. */
export type Figure = readonly [name: string, value: string];

/** Measures events at a daemon that follows the cluster. */
export async function measureEvents(
  client: OrchClient,
  daemon: Daemon,
  options: {
    readonly nodes: number;
    /** Endpoints of the large Service. */
    readonly endpoints: number;
  },
): Promise<Figure[]> {
  const { nodes, endpoints } = options;
  const meter = await createMeter(daemon);
  const figures: Figure[] = [];
  const add = (name: string, value: string) => void figures.push([name, value]);
  const beat = (i: number) => heartbeat(client, `node-${i % nodes}`, i);
  add(`CPU of a heartbeat of ${nodes} nodes, ms`, await meter.perEvent(EVENTS, beat));
  for (const [service, count] of [["small", 20], ["large", endpoints]] as const) {
    await makePods(client, service, count, nodes);
    await lag(daemon);
    using watcher = watchEndpoints(daemon.xds, [
      `outbound|80||${service}.default.svc.cluster.local`,
    ]);
    await makeLarge(client, service, count, nodes);
    const name = `outbound|80||${service}.default.svc.cluster.local`;
    await eventually("all endpoints", () => watcher.addresses(name)?.length === count);
    const size = `a Service of ${count} endpoints`;
    add(`longest stall while ${size} appears, ms`, await lag(daemon));
    const pod = { namespace: "default", name: `${service}-0` };
    const status = (i: number) =>
      mergePatch(client, types.POD, { ...pod, subresource: "status" }, {
        status: { message: `${i}` },
      });
    add(`CPU of a status event of a pod of ${size}, ms`, await meter.perEvent(EVENTS, status));
    const ready = (i: number) =>
      mergePatch(client, types.POD, { ...pod, subresource: "status" }, {
        status: { conditions: [{ type: "Ready", status: i % 2 === 0 ? "True" : "False" }] },
      });
    add(`the same, if its readiness changes, ms`, await meter.perEvent(CHANGES, ready));
    const label = (i: number) =>
      mergePatch(client, types.POD, pod, { metadata: { labels: { version: `v${i}` } } });
    add(`the same, if its labels change, ms`, await meter.perEvent(CHANGES, label));
    add(`longest stall by these events, ms`, await lag(daemon));
  }
  return figures;
}

/** The longest delay of the event loop of the daemon since the last call, in milliseconds. */
async function lag({ monitoring }: Daemon): Promise<string> {
  const text = await (await fetch(`${monitoring}/metrics`)).text();
  const seconds = /^process_event_loop_lag_seconds (\S+)$/m.exec(text)?.[1];
  return (Number(seconds) * 1000).toFixed(0);
}

function heartbeat(client: OrchClient, name: string, i: number): Promise<unknown> {
  const at = new Date(Date.UTC(2030, 0, 1) + i * 1000).toISOString();
  const conditions = [{ type: "Ready", status: "True", lastHeartbeatTime: at }];
  return mergePatch(client, types.NODE, { name, subresource: "status" }, {
    status: { conditions },
  });
}

async function makePods(
  client: OrchClient,
  service: string,
  count: number,
  nodes: number,
): Promise<void> {
  await inParallel(Array.from({ length: count }, (_, i) => i), WRITERS, async (i) => {
    await make(client, types.POD, { name: `${service}-${i}`, labels: { app: service } }, {
      spec: {
        nodeName: `node-${i % nodes}`,
        containers: [{ name: "main", image: "example/main" }],
      },
    });
  });
}

/** Makes a Service with its EndpointSlices. */
async function makeLarge(
  client: OrchClient,
  service: string,
  count: number,
  nodes: number,
): Promise<void> {
  await makeService(client, service);
  const slices = Array.from({ length: Math.ceil(count / SLICE) }, (_, i) => i);
  await inParallel(slices, WRITERS, async (slice) => {
    const labels = { "kubernetes.io/service-name": service };
    const first = slice * SLICE;
    const endpoints = Array.from({ length: Math.min(SLICE, count - first) }, (_, n) => {
      const i = first + n;
      const name = `${service}-${i}`;
      return {
        addresses: [`10.20${service === "small" ? 0 : 1}.${i >> 8}.${i & 255}`],
        conditions: { ready: true },
        nodeName: `node-${i % nodes}`,
        targetRef: { kind: "Pod", name, namespace: "default" },
      };
    });
    const fields = { addressType: "IPv4", ports: [{ name: "http", port: 8080 }], endpoints };
    const metadata = { name: `${service}-${slice}`, labels };
    await createObject(
      client,
      types.ENDPOINT_SLICE,
      objectOf(types.ENDPOINT_SLICE, metadata, fields),
    );
  });
}
