/** Servers of Gateways whose port carries a protocol that Envoy parses or translates. */
import assert from "node:assert/strict";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { documents, manifest } from "../../../../tests/support/manifest.ts";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { fromBinary } from "../../../kit/proto/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const DOCUMENTS = "envoy.filters.network.mongo_proxy";
const FORWARD = "envoy.filters.network.tcp_proxy";

const CASES = [
  ["MONGO", {}, [DOCUMENTS, FORWARD]],
  ["MONGO", { PILOT_ENABLE_DOCDB_FILTER: "false" }, [FORWARD]],
  ["TCP", {}, [FORWARD]],
  ["REDIS", {}, [FORWARD]],
  ["REDIS", { PILOT_ENABLE_KVSTORE_FILTER: "true" }, ["envoy.filters.network.redis_proxy"]],
] as const;

for (const [protocol, env, filters] of CASES) {
  Deno.test(`filters of a gateway's ${protocol} port with ${JSON.stringify(env)}`, () => {
    const bench = startTranslation(undefined, featuresWith(env));
    bench.set(documents(
      manifest("Gateway", "edge", {
        selector: { app: "edge" },
        servers: [{ port: { number: 27017, name: "main", protocol }, hosts: ["*"] }],
      }),
      manifest("VirtualService", "db", {
        hosts: ["*"],
        gateways: ["edge"],
        tcp: [{ route: [{ destination: { host: "db.test", port: { number: 27017 } } }] }],
      }),
    ));
    const node = proxyNode("test", { role: "router", labels: { app: "edge" } });
    const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.listener)!;
    const { filterChains } = fromBinary(ListenerSchema, view.get("0.0.0.0_27017")!.bytes);
    assert.deepEqual(filterChains.flatMap((c) => c.filters.map(({ name }) => name)), filters);
  });
}

for (const protocols of [["HTTP"], ["GRPC-WEB"], ["HTTP", "GRPC-WEB"]]) {
  Deno.test(`gateways translate gRPC-Web where a server declares it: ${protocols}`, () => {
    const bench = startTranslation();
    bench.set(manifest("Gateway", "edge", {
      selector: { app: "edge" },
      servers: protocols.map((protocol, i) => ({
        port: { number: 80, name: `p${i}`, protocol },
        hosts: [`${i}.test`],
      })),
    }));
    const node = proxyNode("test", { role: "router", labels: { app: "edge" } });
    const view = bench.translation.source.bind(node, () => {}).view(TYPE_URLS.listener)!;
    const text = new TextDecoder().decode(view.get("0.0.0.0_80")!.bytes);
    assert.equal(text.includes("envoy.filters.http.grpc_web"), protocols.includes("GRPC-WEB"));
  });
}
