/**
 * Cases of endpoints and their weights.
 *
 * @module
 */
import assert from "node:assert/strict";
import { documents, endpoint, manifest } from "../../support/manifest.ts";
import {
  assertShares,
  type ClusterCase,
  clusterOf,
  hostOf,
  httpService,
  type Parts,
} from "./case.ts";

const CHANGING = "changing";

function changing(parts: Parts, names: readonly ("a" | "b" | "c")[]): string {
  return httpService(CHANGING, parts, names.map((name) => endpoint(parts.backends[name].port)));
}

function workload({ backends }: Parts, name: "a" | "b", app: string): string {
  return manifest("WorkloadEntry", name, {
    address: "127.0.0.1",
    ports: { main: backends[name].port },
    labels: { app },
  });
}

const SELECTED = "selected";

function selected(parts: Parts, ...workloads: readonly string[]): string {
  const more = { workloadSelector: { labels: { app: SELECTED } }, endpoints: undefined };
  return documents(httpService(SELECTED, parts, [], more), ...workloads);
}

const MERGED = "merged";
const LOCALITIES = "localities";

export const ENDPOINT_CASES: readonly ClusterCase[] = [
  {
    name: "endpoints come and go",
    file: CHANGING,
    documents: (parts) => changing(parts, ["a"]),
    run: async ({ each, rewrite, ...parts }) => {
      await each((p) => p.answeredBy("a"));
      await rewrite(changing(parts, ["a", "b"]));
      await each((p) => p.answeredBy("a", "b"));
      await rewrite(changing(parts, ["b", "c"]));
      await each((p) => p.answeredBy("b", "c"));
      await rewrite(changing(parts, []));
      await each((p) => p.answeredBy("503"));
      await rewrite(changing(parts, ["c"]));
      await each((p) => p.answeredBy("c"));
    },
  },
  {
    name: "workloads are selected by their labels",
    file: SELECTED,
    documents: (parts) =>
      selected(parts, workload(parts, "a", SELECTED), workload(parts, "b", "other")),
    run: async ({ each, rewrite, ...parts }) => {
      await each((p) => p.answeredBy("a"));
      await rewrite(
        selected(parts, workload(parts, "a", SELECTED), workload(parts, "b", SELECTED)),
      );
      await each((p) => p.answeredBy("a", "b"));
      await rewrite(selected(parts, workload(parts, "b", SELECTED)));
      await each((p) => p.answeredBy("b"));
    },
  },
  {
    name: "entries of one host have the ports of both, each with its own endpoints",
    file: MERGED,
    documents: ({ ports, backends: { a, b, c } }) => {
      const entry = (name: string, number: number, port: string, target: number): string =>
        manifest("ServiceEntry", name, {
          hosts: [hostOf(MERGED)],
          location: "MESH_INTERNAL",
          resolution: "STATIC",
          ports: [{ number, protocol: "HTTP", name: port }],
          endpoints: [{ address: "127.0.0.1", ports: { [port]: target } }],
        });
      return documents(
        entry("merged-1", ports.merged, "main", a.port),
        entry("merged-2", ports.http, "main", b.port),
        entry("merged-3", ports.http, "other", c.port),
      );
    },
    run: ({ each }) => each((p) => p.answeredBy("b", "c")),
  },
  {
    name: "endpoints get shares by their weight",
    file: "weighted",
    documents: (parts) =>
      documents(
        httpService("weighted", parts, [
          endpoint(parts.backends.a.port, {}, { weight: 80 }),
          endpoint(parts.backends.b.port, {}, { weight: 20 }),
        ]),
        manifest("DestinationRule", "weighted", {
          host: "weighted.test",
          trafficPolicy: { loadBalancer: { simple: "ROUND_ROBIN" } },
        }),
      ),
    run: ({ each }) =>
      each(async (p) => {
        await p.answeredBy("a", "b");
        assertShares(await p.spread(300), { a: [68, 92], b: [8, 32] });
      }),
  },
  {
    name: "endpoints have a locality, and localities a weight",
    file: LOCALITIES,
    documents: (parts) =>
      httpService(LOCALITIES, parts, [
        endpoint(parts.backends.a.port, {}, { locality: "here/one/x", weight: 3 }),
        endpoint(parts.backends.b.port, {}, { locality: "there/two" }),
      ]),
    run: ({ each, ...parts }) =>
      each(async (p) => {
        await p.answeredBy("a", "b");
        const dump = await p.agent.configDump();
        const assignment = endpointsOf(dump, clusterOf(LOCALITIES, parts));
        const found = assignment.map(({ locality, load_balancing_weight, lb_endpoints }) => ({
          locality: [locality?.region, locality?.zone, locality?.sub_zone].join("/"),
          weight: load_balancing_weight,
          port: lb_endpoints[0]?.endpoint.address.socket_address.port_value,
        }));
        assert.deepEqual(found.sort((x, y) => x.locality < y.locality ? -1 : 1), [
          { locality: "here/one/x", weight: 3, port: parts.backends.a.port },
          { locality: "there/two/", weight: 1, port: parts.backends.b.port },
        ]);
        assertShares(await p.spread(300), { a: [60, 90], b: [10, 40] });
      }),
  },
  {
    name: "a name is resolved by the proxy",
    file: "resolved",
    documents: (parts) =>
      httpService("resolved", parts, [
        { address: "localhost", ports: { main: parts.backends.a.port } },
        { address: "127.0.0.1", ports: { main: parts.backends.b.port } },
      ], { resolution: "DNS" }),
    run: ({ each }) => each((p) => p.answeredBy("a", "b")),
  },
  {
    name: "a name is resolved anew for each connection",
    file: "resolved-once",
    documents: (parts) =>
      httpService("resolved-once", parts, [
        { address: "localhost", ports: { main: parts.backends.a.port } },
      ], { resolution: "DNS_ROUND_ROBIN" }),
    run: ({ each }) => each((p) => p.answeredBy("a")),
  },
];

interface LocalityEndpoints {
  readonly locality?: { readonly region?: string; readonly zone?: string; sub_zone?: string };
  readonly load_balancing_weight?: number;
  readonly lb_endpoints: readonly {
    readonly endpoint: { address: { socket_address: { port_value: number } } };
  }[];
}

/** The endpoints that Envoy holds of a cluster. */
function endpointsOf(
  dump: { readonly configs: readonly Readonly<Record<string, unknown>>[] },
  cluster: string,
): LocalityEndpoints[] {
  const all = dump.configs.flatMap((c) =>
    (c.dynamic_endpoint_configs ?? []) as {
      endpoint_config: { cluster_name: string; endpoints: LocalityEndpoints[] };
    }[]
  );
  return all.find((e) => e.endpoint_config.cluster_name === cluster)?.endpoint_config.endpoints ??
    [];
}
