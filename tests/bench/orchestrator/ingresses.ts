/**
 * CPU of the daemon for single events of Ingress objects and of the Services that they name, beside few
 * and beside many of them.
 *
 * @module
 */
import { mergePatch, type OrchClient, types } from "../../../lib/kit/orch/mod.ts";
import { INGRESS } from "../../../lib/mesh/sources/mod.ts";
import { type Daemon, eventually } from "../../../scripts/harness/mod.ts";
import { make } from "../../support/cluster_objects.ts";
import type { Figure } from "./events.ts";
import { createMeter } from "./meter.ts";
import { inParallel } from "./parallel.ts";

const FEW = 10;
const EVENTS = 200;
const WRITERS = 20;

/** Measures events beside a few Ingress objects, and beside `many`. */
export async function measureIngresses(
  client: OrchClient,
  daemon: Daemon,
  many: number,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  let made = 0;
  for (const count of [FEW, many]) {
    const missing = Array.from({ length: count - made }, (_, i) => made + i);
    await inParallel(missing, WRITERS, (i) => makeIngress(client, i));
    made = count;
    await eventually("all VirtualServices", async () => {
      const found = await daemon.debug<unknown[]>("configz?resource=VirtualService");
      return found.length >= count;
    }, 120_000);
    // Also of a daemon at rest that has so many.
    const meter = await createMeter(daemon);
    const name = { namespace: "default", name: "entry-0" };
    const changed = (i: number) =>
      mergePatch(client, INGRESS, name, { spec: { rules: [rule(0, `/path-${i}`)] } });
    const status = (i: number) =>
      mergePatch(client, INGRESS, { ...name, subresource: "status" }, {
        status: { loadBalancer: { ingress: [{ ip: `192.0.2.${i % 250}` }] } },
      });
    const service = (of: string) => (i: number) =>
      mergePatch(client, types.SERVICE, { namespace: "default", name: of }, {
        spec: { ports: [{ name: "http", port: 80 + i }] },
      });
    for (
      const [what, event] of [
        ["a changed Ingress", changed],
        ["a status of an Ingress", status],
        ["a changed port of a Service that an Ingress names", service("entry-0")],
        ["a changed port of another Service", service("beside")],
      ] as const
    ) {
      const cpu = await meter.perEvent(EVENTS, event);
      figures.push([`CPU of ${what} beside ${count} Ingresses, ms`, cpu]);
    }
  }
  return figures;
}

/** An Ingress with a host of its own, at the named port of a Service of its own. */
async function makeIngress(client: OrchClient, i: number): Promise<void> {
  if (i === 0) await makeService(client, "beside");
  await makeService(client, `entry-${i}`);
  await make(client, INGRESS, {
    name: `entry-${i}`,
    annotations: { "kubernetes.io/ingress.class": "mesh" },
  }, { spec: { rules: [rule(i, "/")] } });
}

function makeService(client: OrchClient, name: string): Promise<unknown> {
  return make(client, types.SERVICE, { name }, { spec: { ports: [{ name: "http", port: 80 }] } });
}

function rule(i: number, path: string): unknown {
  const backend = { service: { name: `entry-${i}`, port: { name: "http" } } };
  return { host: `entry-${i}.test`, http: { paths: [{ path, pathType: "Prefix", backend }] } };
}
