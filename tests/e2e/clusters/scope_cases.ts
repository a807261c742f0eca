/**
 * Cases of Sidecar resources: reachable hosts, and inbound ports.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import { addressOf, eachTransport, sidecars } from "../../support/world.ts";
import { documents, endpoint, manifest, type Spec } from "../../support/manifest.ts";
import { type ClusterCase, clusterOf, hostOf, httpService, type Parts } from "./case.ts";

/** The file with the proxies' Sidecars, which these cases change. */
export const SIDECARS_FILE = "sidecars.yaml";

/** The Sidecars of all cases, or with other hosts or more settings. */
export function allSidecars({ ports }: Parts, hosts: readonly string[], more: Spec = {}): string {
  return sidecars([
    { number: ports.http, protocol: "HTTP", hosts },
    { number: ports.tcp, protocol: "TCP", hosts: ["./plain-tcp.test"] },
    { number: ports.tcpSplit, protocol: "TCP", hosts: ["./split-tcp.test"] },
  ], more);
}

export const EVERYTHING: readonly string[] = ["./*", "other/*"];
const UNKNOWN = { host: "nobody-knows.example" };

const NARROW = "narrow";
const MESH_WIDE = "mesh-wide";
const POLICY = "policy";
const INGRESS = "ingress";

export const SCOPE_CASES: readonly ClusterCase[] = [
  {
    name: "an egress listener imports the hosts it names alone",
    file: NARROW,
    documents: (parts) =>
      documents(
        httpService(NARROW, parts, [endpoint(parts.backends.a.port)]),
        httpService("hidden", parts, [endpoint(parts.backends.b.port)]),
      ),
    run: async ({ each, world, ...parts }) => {
      await each((p) => p.answeredBy("a"));
      await world.config.write(SIDECARS_FILE, allSidecars(parts, [`./${hostOf(NARROW)}`]));
      await each(async ({ agent, answeredBy, call }) => {
        const http = `outbound|${parts.ports.http}|`;
        await eventually("one HTTP cluster", async () => {
          const held = await agent.held("cluster");
          const own = held.filter((name) => name.startsWith(http));
          return own.join() === clusterOf(NARROW, parts);
        });
        await answeredBy("a");
        assert.notEqual((await call({ host: hostOf("hidden") })).echo?.backend, "b");
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(async ({ call }) => {
        await eventually(
          "the hidden host again",
          async () => (await call({ host: hostOf("hidden") })).echo?.backend === "b",
        );
      });
    },
  },
  {
    name: "the root namespace's Sidecar applies to proxies that no other one selects",
    file: MESH_WIDE,
    documents: (parts) => httpService(MESH_WIDE, parts, [endpoint(parts.backends.a.port)]),
    run: async ({ each, world, ...parts }) => {
      await each((p) => p.answeredBy("a"));
      // It has a listener at the address of each proxy, which both open and share.
      const shared = manifest("Sidecar", "default", {
        egress: eachTransport((transport) => ({
          port: { number: parts.ports.http, protocol: "HTTP", name: "http" },
          bind: addressOf("sidecar", transport),
          captureMode: "NONE",
          hosts: [`./${hostOf(MESH_WIDE)}`],
        })),
      }, "mesh-system");
      await world.config.write(SIDECARS_FILE, shared);
      await each(async ({ agent }) => {
        await eventually("one HTTP cluster", async () => {
          const held = await agent.held("cluster");
          const own = held.filter((name) => name.startsWith(`outbound|${parts.ports.http}|`));
          return own.join() === clusterOf(MESH_WIDE, parts);
        });
      });
      await each(async ({ answeredBy, call }) => {
        await answeredBy("a");
        assert.notEqual((await call({ host: hostOf("hidden") })).echo?.backend, "b");
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(async ({ call }) => {
        await eventually(
          "the hidden host again",
          async () => (await call({ host: hostOf("hidden") })).echo?.backend === "b",
        );
      });
    },
  },
  {
    name: "unknown hosts are passed through or blocked, as the policy says",
    file: POLICY,
    documents: (parts) => httpService(POLICY, parts, [endpoint(parts.backends.a.port)]),
    run: async ({ each, world, ...parts }) => {
      // Nothing redirects traffic here, so there is no original destination to pass through to.
      await each(async ({ agent }) => {
        const dump = JSON.stringify(await agent.configDump());
        assert.match(dump, /"allow_any"/);
        assert.match(dump, /"PassthroughCluster"/);
      });
      const block = { outboundTrafficPolicy: { mode: "REGISTRY_ONLY" } };
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING, block));
      await each(async ({ call, answeredBy }) => {
        await eventually(
          "unknown hosts to be blocked",
          async () => (await call(UNKNOWN)).status === 502,
        );
        await answeredBy("a");
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(async ({ call }) => {
        await eventually(
          "unknown hosts not to be blocked",
          async () => (await call(UNKNOWN)).status !== 502,
        );
      });
    },
  },
  {
    name: "an ingress listener hands on to the workload",
    file: INGRESS,
    documents: () => manifest("ServiceEntry", INGRESS, { hosts: [hostOf(INGRESS)], ports: [] }),
    run: async ({ each, world, ...parts }) => {
      const { ports, backends } = parts;
      const listeners = eachTransport((transport) =>
        manifest("Sidecar", `proxy-${transport}`, {
          workloadSelector: { labels: { transport, kind: "sidecar" } },
          ingress: [{
            port: { number: ports.ingress, protocol: "HTTP", name: "http" },
            bind: addressOf("sidecar", transport),
            captureMode: "NONE",
            defaultEndpoint: `127.0.0.1:${backends.c.port}`,
          }],
          egress: [{ hosts: EVERYTHING }],
        })
      );
      await world.config.write(SIDECARS_FILE, documents(...listeners));
      await each(async ({ address }) => {
        const answer = await eventually("an inbound answer", async () => {
          const found = await call(`http://${address}:${ports.ingress}/in?x=1`, { host: "me" });
          return found.status === 200 && found;
        });
        assert.equal(answer.echo?.backend, "c");
        assert.equal(answer.echo?.path, "/in?x=1");
        assert.equal(answer.echo?.host, "me");
      });
      await world.config.write(SIDECARS_FILE, allSidecars(parts, EVERYTHING));
      await each(async ({ agent }) => {
        await eventually(
          "the inbound listener to be gone",
          async () =>
            !(await agent.held("listener")).some((name) => name.endsWith(`_${ports.ingress}`)),
        );
      });
    },
  },
];
