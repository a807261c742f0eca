/**
 * The count of sidecars whose pod no Service selects.
 *
 * @module
 */
import assert from "node:assert/strict";
import { mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make, makeService, makeSlice } from "../../support/cluster_objects.ts";
import { watchEndpoints } from "../../support/endpoint_watcher.ts";

const BUSY = "outbound|80||busy.default.svc.cluster.local";

async function makePod(client: OrchClient, name: string, podIP: string): Promise<void> {
  await make(client, types.POD, { name, labels: { app: name } }, {
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  const status = { namespace: "default", name, subresource: "status" };
  await mergePatch(client, types.POD, status, { status: { podIP, podIPs: [{ ip: podIP }] } });
}

async function counted(daemon: Daemon): Promise<number> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return Number(/^pilot_k8s_proxies_with_no_service_targets (\d+)$/m.exec(text)?.[1]);
}

/** Connects as a pod, and waits for a response. */
async function connect(daemon: Daemon, name: string, ip: string): Promise<void> {
  using watcher = watchEndpoints(daemon.xds, [BUSY], { name, ip });
  await eventually("endpoints", () => watcher.addresses(BUSY) !== undefined, 60_000);
}

/** A pod without a Service, one with a Service, and a workload that is no pod. */
export async function unselectedPods(client: OrchClient, daemon: Daemon): Promise<void> {
  const [busy, idle] = ["10.1.0.31", "10.1.0.32"] as const;
  await makePod(client, "busy", busy);
  await makePod(client, "idle", idle);
  await makeService(client, "busy");
  await makeSlice(client, "busy", [busy], {
    targetRef: { kind: "Pod", name: "busy", namespace: "default" },
  });
  using ready = watchEndpoints(daemon.xds, [BUSY]);
  await eventually("the Service", () => `${ready.addresses(BUSY)}` === `${busy}:8080`, 60_000);
  const before = await counted(daemon);
  await connect(daemon, "busy", busy);
  await connect(daemon, "no-pod", "10.1.0.33");
  assert.equal(await counted(daemon), before);
  await connect(daemon, "idle", idle);
  assert.equal(await counted(daemon), before + 1);
}
