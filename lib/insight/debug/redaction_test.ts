import assert from "node:assert/strict";
import { debugInputs, debugSession } from "../../../tests/support/debug_inputs.ts";
import { proxyNode } from "../../../tests/support/translation_fixture.ts";
import { encode, packAny, typeUrl } from "../../kit/proto/mod.ts";
import { startWeb } from "../../kit/web/mod.ts";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { UpstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { createGraph, text } from "../../mesh/graph/mod.ts";
import { configDumpRoutes } from "./config_dump.ts";

const CLUSTER = typeUrl(ClusterSchema);

/** A view of one cluster with an embedded key. */
function viewOfSecret() {
  const bytes = encode(ClusterSchema, {
    name: "a",
    transportSocket: {
      name: "tls",
      configType: {
        case: "typedConfig",
        value: packAny(UpstreamTlsContextSchema, {
          commonTlsContext: {
            tlsCertificates: [{
              privateKey: { specifier: { case: "inlineString", value: "verysecret" } },
            }],
          },
        }),
      },
    },
  });
  const graph = createGraph();
  const made = graph.derive("made", text, () => [{ name: "a", version: "1", bytes }]);
  return graph.view([
    graph.collection("all", () => ({ members: { list: ["a"] }, resources: made })),
  ]);
}

Deno.test("a dump of a proxy's configuration has no keys", async () => {
  const view = viewOfSecret();
  const session = debugSession({ node: proxyNode("n", { name: "p" }), view: () => view });
  const inputs = debugInputs({ sessions: () => [session] });
  const web = await startWeb({
    name: "test",
    address: "127.0.0.1:0",
    routes: configDumpRoutes(inputs),
  });
  try {
    const url =
      `http://127.0.0.1:${web.address.port}/debug/config_dump?proxyID=p.n&types=${CLUSTER}`;
    const body = await (await fetch(url)).text();
    assert.ok(body.includes('"inlineString": "[redacted]"'), body);
    assert.ok(!body.includes("verysecret"), body);
  } finally {
    await web.stop(0);
  }
});
