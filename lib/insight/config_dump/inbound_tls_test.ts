import assert from "node:assert/strict";
import { parseDump } from "./dump.ts";
import { inboundTls } from "./inbound_tls.ts";

const MUTUAL = { typed_config: { require_client_certificate: true } };

function chain(port: number | undefined, socket?: unknown, cluster = "inbound|80||"): unknown {
  return {
    filter_chain_match: port === undefined ? {} : { destination_port: port },
    ...(socket === undefined ? {} : { transport_socket: socket }),
    filters: [{ name: "tcp", typed_config: { cluster } }],
  };
}

Deno.test("inbound mutual TLS is read from the filter chains of each port", () => {
  const listener = {
    name: "virtualInbound",
    filter_chains: [
      chain(15006, undefined, "BlackHoleCluster"),
      chain(8080, MUTUAL),
      chain(80, MUTUAL),
      chain(80),
      chain(undefined),
    ],
    default_filter_chain: chain(undefined, MUTUAL),
  };
  const dumpOf = (...listeners: unknown[]) =>
    parseDump(
      JSON.stringify({
        configs: [{
          "@type": "type.googleapis.com/envoy.admin.v3.ListenersConfigDump",
          dynamic_listeners: listeners.map((one) => ({ active_state: { listener: one } })),
        }],
      }),
      "test",
    );
  assert.deepEqual(inboundTls(dumpOf({ ...listener, name: "0.0.0.0_80" }, listener)), [
    { port: "80", mode: "PERMISSIVE" },
    { port: "8080", mode: "STRICT" },
    { port: "", mode: "PERMISSIVE" },
  ]);
  const plain = { name: "virtualInbound", filter_chains: [chain(undefined)] };
  assert.deepEqual(inboundTls(dumpOf(plain)), [{ port: "", mode: "DISABLE" }]);
  assert.deepEqual(inboundTls(dumpOf()), []);
});
