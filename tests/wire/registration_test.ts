/**
 * Registration of workloads with a real daemon: their endpoints while they are connected, health,
 * and removal.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  type Daemon,
  eventually,
  freePort,
  makeConfigDir,
  portsOf,
  startAgent,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { create, encode } from "../../lib/kit/proto/mod.ts";
import { openStream } from "../../lib/kit/rpc/mod.ts";
import { DeltaDiscoveryRequestSchema } from "#envoy/service/discovery/v3/discovery_pb.ts";
import { metricOf } from "../support/views.ts";
import { NodeSchema } from "#envoy/config/core/v3/base_pb.ts";

const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
const CLUSTERS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
const HEALTH = "type.googleapis.com/mesh.v1.HealthInformation";
const PORT = freePort();
/** The proxy listens on the Service's port: its agent intercepts nothing. */
const SERVICE_PORT = freePort();
const CONFIG = `apiVersion: networking.mesh.io/v1
kind: WorkloadGroup
metadata: {name: vms, namespace: test}
spec: {metadata: {labels: {app: vm}}, template: {serviceAccount: vm, ports: {http: ${PORT}}}}
---
apiVersion: networking.mesh.io/v1
kind: ServiceEntry
metadata: {name: vm, namespace: test}
spec:
  hosts: [vm.example]
  resolution: STATIC
  location: MESH_INTERNAL
  ports: [{number: ${SERVICE_PORT}, name: http, protocol: HTTP}]
  workloadSelector: {labels: {app: vm}}
`;

/**
 * Expected metrics after one workload registered, became unhealthy, recovered and disconnected, and
 * one named no group.
 */
const COUNTED: Readonly<Record<string, number>> = {
  auto_registration_success_total: 1,
  auto_registration_updates_total: 2,
  auto_registration_unregister_total: 1,
  auto_registration_deletes_total: 1,
  auto_registration_errors_total: 1,
};

interface Shown {
  readonly endpoints: readonly { address: string; ports: Record<string, number>; health: string }[];
}

Deno.test("a workload registers by connecting, is marked by its health, and goes with its stream", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", CONFIG);
  await using daemon = await startDaemon({
    configDir: config.path,
    env: {
      PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms",
      MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false",
    },
  });
  const endpoints = async (): Promise<string> => {
    const services = await daemon.debug<Shown[]>("registryz");
    return services.flatMap((one) => one.endpoints)
      .map(({ address, ports, health }) => `${address}:${ports.http} ${health}`).join();
  };
  const comes = (what: string) =>
    eventually(`endpoints: ${what}`, async () => await endpoints() === what);
  assert.equal(await endpoints(), "");
  const stream = openStream({ target: daemon.xds, path: METHOD });
  const send = (request: object): boolean =>
    stream.send(encode(DeltaDiscoveryRequestSchema, create(DeltaDiscoveryRequestSchema, request)));
  send({
    node: create(NodeSchema, {
      id: "sidecar~10.0.0.9~vm-1.test~test.svc.cluster.local",
      metadata: { AUTO_REGISTER_GROUP: "vms" },
    }),
    typeUrl: CLUSTERS,
  });
  await comes(`10.0.0.9:${PORT} healthy`);
  const [entry] = await daemon.debug<{ metadata: { name: string }; origin: object }[]>(
    "configz?resource=WorkloadEntry",
  );
  assert.equal(entry?.metadata.name, "vms-10.0.0.9");
  assert.deepEqual(entry?.origin, { source: "registration" });

  send({ typeUrl: HEALTH, errorDetail: { code: 500, message: "refused" } });
  await comes(`10.0.0.9:${PORT} unhealthy`);
  send({ typeUrl: HEALTH });
  await comes(`10.0.0.9:${PORT} healthy`);
  stream.close();
  await comes("");

  const stranger = openStream({ target: daemon.xds, path: METHOD });
  stranger.send(encode(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      node: create(NodeSchema, {
        id: "sidecar~10.0.0.10~vm-2.test~test.svc.cluster.local",
        metadata: { AUTO_REGISTER_GROUP: "nobody" },
      }),
      typeUrl: CLUSTERS,
    }),
  ));
  for (const [name, count] of Object.entries(COUNTED)) {
    await eventually(`${name} to be ${count}`, async () => await metricOf(daemon, name) === count);
  }
  stranger.close();
});

Deno.test("a real agent registers its workload for as long as it runs", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", CONFIG);
  await using daemon = await startDaemon({
    configDir: config.path,
    env: {
      PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "50ms",
      MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false",
    },
  });
  const addresses = async (): Promise<string> => {
    const services = await daemon.debug<Shown[]>("registryz");
    return services.flatMap((one) => one.endpoints).map(({ address }) => address).join();
  };
  await using folder = await makeConfigDir();
  {
    await using _ = await startAgent({
      role: "sidecar",
      name: "vm-1",
      namespace: "test",
      ip: "127.0.43.1",
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir: folder.path,
      env: { MESH_META_AUTO_REGISTER_GROUP: "vms" },
    });
    await eventually("the workload", async () => await addresses() === "127.0.43.1");
  }
  await eventually("the workload to go", async () => await addresses() === "");
});

Deno.test("an agent reports the health of its application, and a restart of the daemon keeps the workload", async () => {
  await using config = await makeConfigDir();
  await config.write("a.yaml", CONFIG);
  await using folder = await makeConfigDir();
  const env = {
    MESH_REGISTRATION_DIR: `${folder.path}/registered`,
    PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "1h",
    MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false",
  };
  const options = { configDir: config.path, env };
  const shown = async (daemon: Daemon): Promise<string> => {
    const services = await daemon.debug<Shown[]>("registryz");
    return services.flatMap((one) => one.endpoints)
      .map(({ address, health }) => `${address} ${health}`).join();
  };
  let status = 200;
  await using application = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response(null, { status }),
  );
  const ports = await (async () => {
    await using daemon = await startDaemon(options);
    await using _ = await startAgent({
      role: "sidecar",
      name: "vm-1",
      namespace: "test",
      ip: "127.0.43.1",
      xds: daemon.xds,
      envoy: await envoyPath(),
      dir: folder.path,
      env: { MESH_META_AUTO_REGISTER_GROUP: "vms" },
      proxyConfig: {
        readinessProbe: {
          httpGet: { path: "/ready", port: application.addr.port, host: "127.0.0.1" },
          periodSeconds: 1,
          failureThreshold: 1,
        },
      },
    });
    await eventually("the workload", async () => await shown(daemon) === "127.0.43.1 healthy");
    status = 503;
    await eventually("its fault", async () => await shown(daemon) === "127.0.43.1 unhealthy");
    return portsOf(daemon);
  })();
  {
    await using daemon = await startDaemon({ ...options, ports });
    assert.equal(await shown(daemon), "127.0.43.1 unhealthy");
  }
  await Deno.writeTextFile(`${folder.path}/registered/workloads.json`, "{");
  await using daemon = await startDaemon({ ...options, ports });
  assert.equal(await shown(daemon), "");
  assert.ok((await Deno.stat(`${folder.path}/registered/workloads.json.damaged`)).isFile);
});
