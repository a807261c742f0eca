/**
 * Cases of routes whose parents are Services, seen by sidecars.
 *
 * @module
 */
import assert from "node:assert/strict";
import { spread } from "../../../scripts/harness/mod.ts";
import { documents, NAMESPACE } from "../../support/manifest.ts";
import { api, by, type GatewayCase, hostOf, to, urlOf } from "./bench.ts";

const SERVICE = { group: "", kind: "Service" };

/** In an order that matters: each leaves its routes behind unless it removes them. */
export const MESH_CASES: readonly GatewayCase[] = [
  {
    name: "a route of a Service is for the sidecars of all namespaces",
    run: async (bench) => {
      const { world, meets, meshPort: port } = bench;
      await world.config.write(
        "producer.yaml",
        api("HTTPRoute", "producer", {
          parentRefs: [{ ...SERVICE, name: "inside-a" }],
          rules: [
            {
              matches: [{ path: { value: "/b" } }],
              filters: [{
                type: "RequestHeaderModifier",
                requestHeaderModifier: { set: [{ name: "x-a", value: "1" }] },
              }],
              backendRefs: [to("inside-b", { port })],
            },
            {
              backendRefs: [
                to("inside-a", { port, weight: 1 }),
                to("inside-b", { port, weight: 0 }),
              ],
            },
          ],
        }),
      );
      const asked = { kind: "sidecar" as const, host: hostOf("inside-a") };
      await meets(
        { ...asked, path: "/b" },
        (answer) => by("b")(answer) && answer.echo?.headers["x-a"] === "1",
      );
      await meets(asked, by("a"));
      await meets({ ...asked, path: "/bc" }, by("a"));
      await meets({ ...asked, host: hostOf("inside-b") }, by("b"));
      await bench.each("sidecar", async (proxy) => {
        const options = { host: hostOf("inside-a") };
        assert.deepEqual(await spread(20, urlOf(bench, proxy), options), { a: 20 });
      });
      await world.config.remove("producer.yaml");
      await meets({ ...asked, path: "/b" }, by("a"));
    },
  },
  {
    name: "a route in another namespace than its Service is for clients there alone",
    run: async ({ world, meets, meshPort: port }) => {
      const consumer = (namespace: string, header: string) =>
        api("HTTPRoute", "consumer", {
          parentRefs: [{ ...SERVICE, name: "far", namespace: "far" }],
          rules: [{
            filters: [{
              type: "ResponseHeaderModifier",
              responseHeaderModifier: { set: [{ name: header, value: "1" }] },
            }],
            backendRefs: [to("far", { namespace: "far", port })],
          }],
        }, namespace);
      await world.config.write(
        "consumer.yaml",
        documents(consumer(NAMESPACE, "x-own"), consumer("elsewhere", "x-elsewhere")),
      );
      const host = "far.far.svc.cluster.local";
      await meets(
        { kind: "sidecar", host },
        ({ echo, headers }) =>
          echo?.backend === "a" && headers["x-own"] === "1" && headers["x-elsewhere"] === undefined,
      );
    },
  },
];
