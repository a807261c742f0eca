/**
 * Clients that try to register as a workload, or to evict one, without its identity.
 *
 * @module
 */
import assert from "node:assert/strict";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { encode } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcStream } from "../../lib/kit/rpc/mod.ts";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { startTokenIssuer, writePluggedCa } from "../support/identity.ts";
import { metricOf } from "../support/views.ts";

const PATH = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const HEALTH = "type.googleapis.com/mesh.v1.HealthInformation";
const OWN_IP = "10.9.0.1";

const CONFIG = `apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: vms, namespace: shop}
spec: {metadata: {labels: {app: vm}}, template: {serviceAccount: vm, ports: {http: 8080}}}
---
apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: open, namespace: shop}
spec: {metadata: {labels: {app: vm}}, template: {ports: {http: 8080}}}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: vm, namespace: shop}
spec:
  hosts: [vm.example]
  resolution: STATIC
  location: MESH_INTERNAL
  ports: [{number: 80, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: vm}}
`;

type Target = Omit<Parameters<typeof openStream>[0], "path">;

/** Opens the stream of a proxy that names a group, and reports a fault if it is told to. */
async function register(target: Target, group: string, ip: string, fault = ""): Promise<RpcStream> {
  const stream = openStream({ ...target, path: PATH });
  const send = (request: object) =>
    stream.send(encode(DeltaDiscoveryRequestSchema, { typeUrl: TYPE_URLS.cluster, ...request }));
  send({
    node: {
      id: `sidecar~${ip}~vm.shop~shop.svc.cluster.local`,
      metadata: { NAMESPACE: "shop", AUTO_REGISTER_GROUP: group, LABELS: { forged: "yes" } },
    },
  });
  if (fault !== "") send({ typeUrl: HEALTH, errorDetail: { code: 500, message: fault } });
  await stream.messages[Symbol.asyncIterator]().next();
  return stream;
}

/** Address and health of the endpoints of all services. */
async function endpoints(daemon: Daemon): Promise<string> {
  const services = await daemon.debug<
    { readonly endpoints: readonly { readonly address: string; readonly health: string }[] }[]
  >("registryz");
  return services.flatMap((one) => one.endpoints)
    .map(({ address, health }) => `${address} ${health}`).sort().join();
}

Deno.test("clients without the identity of a group neither register in it nor evict its machines", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", CONFIG);
  await using issuer = await startTokenIssuer();
  const { certificate } = await writePluggedCa(`${config.path}/.ca`);
  const secured = freePort();
  await using daemon = await startDaemon({
    configDir: config.path,
    secured,
    env: {
      JWT_RULE: issuer.rule,
      ROOT_CA_DIR: `${config.path}/.ca`,
      PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms",
    },
  });
  const as = async (account: string) => ({
    target: `localhost:${secured}`,
    tls: { ca: certificate.pem },
    metadata: { authorization: `Bearer ${await issuer.token("shop", account)}` },
  });
  const machine = await register(await as("vm"), "vms", OWN_IP);
  const expected = `${OWN_IP} healthy`;
  await eventually("the machine", async () => await endpoints(daemon) === expected);

  const errors = await metricOf(daemon, "auto_registration_errors_total") ?? 0;
  const strangers: RpcStream[] = [];
  const unproved = [{ target: daemon.xds }, await as("other")];
  for (const target of unproved) {
    for (const ip of [OWN_IP, "10.9.0.2"]) {
      strangers.push(await register(target, "vms", ip, "forged fault"));
    }
  }
  // A group without an account takes any account of its namespace, and nobody without one.
  strangers.push(await register({ target: daemon.xds }, "open", "10.9.0.3"));
  await eventually(
    "all to be refused",
    async () => await metricOf(daemon, "auto_registration_errors_total") === errors + 5,
  );
  assert.equal(await endpoints(daemon), expected);
  for (const stream of strangers) {
    stream.close();
    await stream.ended;
  }
  // The machine's entry is gone only with the machine; an entry of a stranger would be gone before.
  assert.equal(await endpoints(daemon), expected);
  machine.close();
  await eventually("the machine to go", async () => await endpoints(daemon) === "");
});
