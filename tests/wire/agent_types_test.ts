/**
 * Resources of agents from a real daemon through the agent's relay: the name table and the mesh's
 * authorities, in both xDS variants.
 *
 * @module
 */
import assert from "node:assert/strict";
import { eventually, makeConfigDir, startDaemon } from "../../scripts/harness/mod.ts";
import { startRelay } from "../../lib/node/agent/mod.ts";
import { create, encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import {
  DeltaDiscoveryRequestSchema,
  DeltaDiscoveryResponseSchema,
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
} from "#envoy/service/discovery/v3/discovery_pb.ts";
import { NodeSchema } from "#envoy/config/core/v3/base_pb.ts";
import { NameTableSchema } from "#mesh/networking/nds/v1/nds_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { AGENT_TYPE_URLS } from "../../lib/mesh/model/mod.ts";

const { nameTable: NAME_TABLE_TYPE, proxyConfig: PROXY_CONFIG_TYPE } = AGENT_TYPE_URLS;
const ADS = "/envoy.service.discovery.v3.AggregatedDiscoveryService";
const NODE = create(NodeSchema, {
  id: "sidecar~127.0.0.1~app.test~test.svc.cluster.local",
  metadata: { DNS_AUTO_ALLOCATE: "true" },
});
const PEM = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

function service(host: string): string {
  return `apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: ${host.replaceAll(".", "-")}, namespace: test}
spec: {hosts: [${host}], resolution: STATIC, ports: [{number: 90, name: tcp, protocol: TCP}]}
`;
}

interface Answer {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly bytes: readonly Uint8Array[];
}

/** A stream of one variant: how it asks, and how it reads answers. */
interface Variant {
  readonly method: string;
  ask(typeUrl: string, nonce: string): Uint8Array;
  read(message: Uint8Array): Answer;
}

const VARIANTS: readonly Variant[] = [{
  method: "DeltaAggregatedResources",
  ask: (typeUrl, responseNonce) =>
    encode(DeltaDiscoveryRequestSchema, { node: NODE, typeUrl, responseNonce }),
  read: (message) => {
    const { typeUrl, nonce, resources } = fromBinary(DeltaDiscoveryResponseSchema, message);
    return { typeUrl, nonce, bytes: resources.map((r) => r.resource!.value) };
  },
}, {
  method: "StreamAggregatedResources",
  ask: (typeUrl, responseNonce) =>
    encode(DiscoveryRequestSchema, { node: NODE, typeUrl, responseNonce }),
  read: (message) => {
    const { typeUrl, nonce, resources } = fromBinary(DiscoveryResponseSchema, message);
    return { typeUrl, nonce, bytes: resources.map((r) => r.value) };
  },
}];

Deno.test("an agent is served names and authorities through the relay, and what changes of them", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", service("a.example"));
  const mesh = `${config.path}/mesh`;
  await Deno.writeTextFile(mesh, `caCertificates: [{pem: ${JSON.stringify(PEM)}}]\n`);
  await using daemon = await startDaemon({
    configDir: config.path,
    args: [`--meshConfig=${mesh}`],
    env: { MESH_MULTIROOT_MESH: "true" },
  });
  const socket = `${config.path}/XDS`;
  const relay = await startRelay({
    socket,
    target: daemon.xds,
    maxRequest: 1 << 20,
    maxStreams: 10,
    keepalive: { interval: 30_000, timeout: 10_000 },
  });
  try {
    for (const [turn, { method, ask, read }] of VARIANTS.entries()) {
      const stream = openStream({ target: `unix:${socket}`, path: `${ADS}/${method}` });
      const answers = stream.messages[Symbol.asyncIterator]();
      const next = async (type: string): Promise<Uint8Array> => {
        const answer = read((await answers.next()).value!);
        assert.deepEqual([answer.typeUrl, answer.bytes.length], [type, 1]);
        stream.send(ask(type, answer.nonce));
        return answer.bytes[0]!;
      };
      const names = async () =>
        Object.keys(fromBinary(NameTableSchema, await next(NAME_TABLE_TYPE)).table).sort();
      const before = ["a.example", ...(turn === 0 ? [] : ["b0.example"])];
      stream.send(ask(NAME_TABLE_TYPE, ""));
      assert.deepEqual(await names(), before);
      stream.send(ask(PROXY_CONFIG_TYPE, ""));
      const trust = fromBinary(ProxyConfigSchema, await next(PROXY_CONFIG_TYPE));
      assert.deepEqual(trust.caCertificatesPem, [PEM]);
      await config.write(`b${turn}.yaml`, service(`b${turn}.example`));
      assert.deepEqual(await names(), [...before, `b${turn}.example`]);
      const [table] = await daemon.debug<{ table: Record<string, { ips: string[] }> }[]>(
        "ndsz?proxyID=app.test",
      );
      assert.match(table!.table["a.example"]!.ips[0]!, /^240\.240\./);
      stream.close();
      await eventually("the daemon to let the stream go", async () => {
        const { totalClients } = await daemon.debug<{ totalClients: number }>("connections");
        return totalClients === 0;
      });
    }
  } finally {
    await relay.stop();
  }
});
