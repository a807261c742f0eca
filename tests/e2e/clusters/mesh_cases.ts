/**
 * Cases with proxies on both sides: protocols and visibility.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import { documents, endpoint, manifest, serviceEntry } from "../../support/manifest.ts";
import { addressOf } from "../../support/world.ts";
import {
  type ClusterCase,
  clusterOf,
  hostOf,
  httpService,
  type Parts,
  statPrefix,
} from "./case.ts";

const PEERS = "peers";
const HTTP2 = "http2";
const HIDDEN = "hidden-elsewhere";
const SEEN = "seen-elsewhere";

/** A service of another namespace, which exports it to everybody or to itself. */
function elsewhere(parts: Parts, file: string, exportTo: readonly string[]): string {
  return manifest("ServiceEntry", file, {
    hosts: [hostOf(file)],
    location: "MESH_INTERNAL",
    resolution: "STATIC",
    ports: [{ number: parts.ports.http, protocol: "HTTP", name: "main" }],
    endpoints: [endpoint(parts.backends.a.port)],
    exportTo,
  }, "other");
}

export const MESH_CASES: readonly ClusterCase[] = [
  {
    name: "a service whose endpoints are proxies is reached through them",
    file: PEERS,
    // The workload listens on loopback, its proxy at the workload's address, both at one port.
    documents: (parts) =>
      httpService(
        PEERS,
        parts,
        (["delta", "sotw"] as const).map((transport) => ({
          address: addressOf("sidecar", transport),
          ports: { main: parts.backends.b.port },
        })),
      ),
    run: ({ each, world, ...parts }) =>
      each(async (p) => {
        await p.answeredBy("b");
        for (const { address, agent } of world.testProxies) {
          const port = parts.backends.b.port;
          const direct = await call(`http://${address}:${port}/direct`, { host: "any.test" });
          assert.equal(direct.echo?.backend, "b");
          assert.equal(direct.echo?.path, "/direct");
          const held = await agent.held("cluster");
          assert.ok(held.includes(`inbound|${port}||`), `${held}`);
        }
      }),
  },
  {
    name: "HTTP/2 is spoken to services that declare it",
    file: HTTP2,
    documents: (parts) =>
      serviceEntry(
        HTTP2,
        [hostOf(HTTP2)],
        { number: parts.ports.http, protocol: "HTTP2" },
        [endpoint(parts.backends.c.port)],
      ),
    run: ({ each, ...parts }) =>
      each(async (p) => {
        await p.answeredBy("c");
        const stats = await p.agent.stats(
          statPrefix(clusterOf(HTTP2, parts)) + ".*upstream_cx_http[12]_total$",
        );
        const byVersion = Object.entries(stats).map(([name, n]) => [name.slice(-13), n > 0]);
        assert.deepEqual(Object.fromEntries(byVersion), {
          "x_http1_total": false,
          "x_http2_total": true,
        });
      }),
  },
  {
    name: "services of other namespaces are reached when they are exported",
    file: SEEN,
    documents: (parts) => documents(elsewhere(parts, SEEN, ["*"]), elsewhere(parts, HIDDEN, ["."])),
    run: ({ each, ...parts }) =>
      each(async (p) => {
        await p.answeredBy("a");
        const held = await eventually("the exported service", async () => {
          const names = await p.agent.held("cluster");
          return names.includes(clusterOf(SEEN, parts)) && names;
        });
        assert.ok(!held.includes(clusterOf(HIDDEN, parts)), `${held}`);
        assert.notEqual((await p.call({ host: hostOf(HIDDEN) })).echo?.backend, "a");
      }),
  },
];
