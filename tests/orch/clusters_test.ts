/**
 * A daemon with two real clusters: secrets in its own cluster name the other one.
 */
import assert from "node:assert/strict";
import { deleteObject, mergePatch, type OrchClient, types } from "../../lib/kit/orch/mod.ts";
import {
  type Daemon,
  eventually,
  freePort,
  startCluster,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { readerRoles } from "../../lib/cluster/roles/mod.ts";
import { adminClient, clusterTest, grantRoles } from "../support/cluster.ts";
import { make, makeService, makeSlice } from "../support/cluster_objects.ts";
import { analyzedClusters } from "./cases/analyzed_clusters.ts";
import {
  controlledClusters,
  makeControlled,
  secretsOfPodCluster,
  startControlling,
} from "./cases/controlled_clusters.ts";
import { clusterNetwork } from "./cases/cluster_network.ts";
import { makeRemoteCredentials, remoteCredentials } from "./cases/remote_credentials.ts";
import { remoteEntries } from "./cases/remote_entries.ts";
import { endingConfig, execConfig } from "./cases/remote_kubeconfigs.ts";
import { GROUP, sharedServices } from "./cases/shared_services.ts";
import { writePluggedCa } from "../support/identity.ts";
import { type EndpointWatcher, watchEndpoints } from "../support/endpoint_watcher.ts";

const SYSTEM = "mesh-system";
const WEB = "outbound|80||web.default.svc.cluster.local";
const LOCAL = "outbound|80||local.default.svc.cluster.local";
const REMOTE = "outbound|80||remote.default.svc.cluster.local";
const FAR = "outbound|80||far.default.svc.cluster.local";

async function makeSecret(
  client: OrchClient,
  name: string,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  const labels = { "mesh/multiCluster": "true" };
  await make(client, types.SECRET, { name, namespace: SYSTEM, labels }, { stringData: data });
}

async function changeSecret(client: OrchClient, name: string, key: string, value: string) {
  const secret = { namespace: SYSTEM, name };
  await mergePatch(client, types.SECRET, secret, { data: { [key]: btoa(value) } });
}

interface ClusterView {
  readonly id: string;
  readonly secretName: string;
  readonly syncStatus: string;
  readonly fault?: string;
  readonly server?: string;
  readonly replacing?: boolean;
  readonly credentialsEnd?: string;
}

async function viewOf(daemon: Daemon, id: string): Promise<ClusterView | undefined> {
  return (await daemon.debug<ClusterView[]>("clusterz")).find((one) => one.id === id);
}

function has(watcher: EndpointWatcher, cluster: string, addresses: readonly string[]) {
  return eventually(
    `${cluster} at ${addresses}`,
    () => `${watcher.addresses(cluster) ?? []}` === `${addresses}`,
  );
}

async function metrics(daemon: Daemon): Promise<string> {
  return await (await fetch(`${daemon.monitoring}/metrics`)).text();
}

clusterTest("services of two clusters are one mesh", async (cluster, t) => {
  await using other = await startCluster();
  using client = await adminClient(cluster);
  using far = await adminClient(other);
  await makeService(client, "web");
  await makeSlice(client, "web", ["10.1.0.1"]);
  const labels = { "topology.kubernetes.io/region": "r2", "topology.kubernetes.io/zone": "z2" };
  await make(far, types.NODE, { name: "n2", labels });
  for (const name of ["web", "far"]) await makeService(far, name);
  await makeSlice(far, "web", ["10.2.0.1"], { nodeName: "n2" });
  await makeSlice(far, "far", ["10.2.0.9"]);
  for (const one of [client, far]) {
    await makeService(one, "local");
    await makeSlice(one, "local", [one === client ? "10.1.0.5" : "10.2.0.5"]);
  }
  await grantRoles(other, { sharingGroup: GROUP }, readerRoles);
  const kubeconfig = await Deno.readTextFile(other.files.daemonKubeconfig);
  await makeSecret(client, "remote-b", { b: kubeconfig });
  const meshConfig = `${cluster.files.kubeconfig}.mesh.yaml`;
  await Deno.writeTextFile(
    meshConfig,
    "serviceSettings: [{settings: {clusterLocal: true}, hosts: ['local.default.svc.cluster.local']}]",
  );
  await using daemon = await startDaemon({
    configDir: "",
    args: [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      ...["--clusterID=a", "--clusterAliases=bee=b", `--meshConfig=${meshConfig}`],
    ],
    env: { PILOT_REMOTE_CLUSTER_TIMEOUT: "60s" },
  });
  using watcher = watchEndpoints(daemon.xds, [WEB, FAR]);

  await t.step("a ready daemon has the endpoints of both, with their localities", async () => {
    await has(watcher, WEB, ["10.1.0.1:8080", "10.2.0.1:8080"]);
    await has(watcher, FAR, ["10.2.0.9:8080"]);
    assert.ok(watcher.received.every(({ addresses }) => addresses.length > 0));
    assert.deepEqual(watcher.received.find((one) => one.cluster === WEB)?.addresses.length, 2);
    assert.deepEqual(watcher.localities(WEB), ["/", "r2/z2"]);
    const view = await viewOf(daemon, "b");
    assert.equal(view?.syncStatus, "synced");
    assert.equal(view?.secretName, `${SYSTEM}/remote-b`);
    assert.equal(view?.server, other.server);
    assert.match(view?.credentialsEnd ?? "", /^20/);
    const text = await metrics(daemon);
    assert.match(text, /^meshd_managed_clusters\{cluster_type="remote"\} 1$/m);
    assert.match(
      text,
      /^meshd_remote_cluster_sync_status\{cluster="b",state="synced"\} 1$/m,
    );
    assert.match(text, /^mesh_remote_cluster_credential_expiry_timestamp\{cluster="b"\} 1\d{9}/m);
  });

  await t.step(
    "hosts that are local to clusters have the endpoints of the proxy's own",
    async () => {
      for (const [id, address] of [["b", "10.2"], ["bee", "10.2"], ["a", "10.1"], ["x", "10.1"]]) {
        using local = watchEndpoints(daemon.xds, [LOCAL, WEB], { metadata: { CLUSTER_ID: id } });
        await has(local, LOCAL, [`${address}.0.5:8080`]);
        await has(local, WEB, ["10.1.0.1:8080", "10.2.0.1:8080"]);
      }
    },
  );

  await t.step("WorkloadEntries of the other cluster are endpoints", async () => {
    const roles = { sharingGroup: GROUP };
    await remoteEntries({ cluster, other, near: client, far, daemon, roles });
  });

  await t.step("clusters share the services that they export", async () => {
    await sharedServices({ cluster, near: client, far, meshConfig });
  });

  await t.step("meshctl analyze compares the Services of both", async () => {
    await analyzedClusters({ near: cluster, far: other, nearClient: client, farClient: far });
  });

  await t.step("EXTERNAL_MESHD: the daemon controls clusters that name its own", async (t) => {
    const roots = `${cluster.files.kubeconfig}.roots`;
    const { certificate: { pem: ca } } = await writePluggedCa(roots);
    const secured = freePort();
    await makeControlled(far);
    await grantRoles(other, { sharingGroup: GROUP });
    await makeRemoteCredentials({ near: client, far });
    await using daemon = await startControlling(cluster, { secured, roots });
    await controlledClusters({ far, daemon });
    await t.step("credentials of gateways are those of their own cluster", async () => {
      await remoteCredentials({ near: client, far, ca, target: `localhost:${secured}` });
    });
  });

  await t.step("LOCAL_CLUSTER_SECRET_WATCHER: secrets of the pod's cluster", async () => {
    await secretsOfPodCluster(client, other);
  });

  await t.step(
    "a Service with the label of a network is the gateway to its endpoints",
    async () => {
      // Endpoints in other networks are reached by mutual TLS alone, which these have.
      const labels = { "topology.mesh.io/network": "n2", "security.mesh.io/tlsMode": "mesh" };
      await make(far, types.POD, { name: "remote-1", labels }, {
        spec: { serviceAccountName: "default", containers: [{ name: "c", image: "i" }] },
      });
      await makeService(far, "remote");
      const targetRef = { kind: "Pod", name: "remote-1", namespace: "default" };
      await makeSlice(far, "remote", ["10.2.0.7"], { targetRef });
      await makeService(far, "eastwest", { externalIPs: ["192.0.2.7"] }, {
        labels: { "topology.mesh.io/network": "n2" },
      });
      const [near, same] = ["n1", "n2"].map((NETWORK) =>
        watchEndpoints(daemon.xds, [REMOTE], { metadata: { NETWORK } })
      );
      using _near = near!;
      using _same = same!;
      await has(near!, REMOTE, ["192.0.2.7:15443"]);
      await has(same!, REMOTE, ["10.2.0.7:8080"]);
    },
  );

  await t.step("the label of the system namespace is the network of its cluster", async () => {
    await clusterNetwork({ far, daemon });
  });

  await t.step("changed credentials take over without a gap", async () => {
    const before = watcher.received.length;
    await changeSecret(
      client,
      "remote-b",
      "b",
      await Deno.readTextFile(other.files.tokenKubeconfig),
    );
    await daemon.program.printed(/credentials were replaced/);
    await mergePatch(far, types.ENDPOINT_SLICE, { namespace: "default", name: "far-1" }, {
      endpoints: [{ addresses: ["10.2.0.10"] }],
    });
    await has(watcher, FAR, ["10.2.0.10:8080"]);
    const since = watcher.received.slice(before);
    assert.deepEqual(since.map((one) => one.addresses), [["10.2.0.10:8080"]]);
    assert.equal((await viewOf(daemon, "b"))?.credentialsEnd, undefined);
  });

  await t.step("wrong credentials name key and remedy, and the last ones serve on", async () => {
    const before = watcher.received.length;
    const exec = JSON.parse(kubeconfig);
    exec.users[0].user = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "id" } };
    await changeSecret(client, "remote-b", "b", JSON.stringify(exec));
    await daemon.program.printed(
      /rejected: secret\/mesh-system\/remote-b.*data\["b"\]: .*exec.*not allowed.*Use token/,
    );
    await changeSecret(client, "remote-b", "c", "clusters: [");
    await daemon.program.printed(/rejected: secret\/mesh-system\/remote-b.*data\["c"\]/);
    assert.equal((await viewOf(daemon, "c"))?.syncStatus, "syncing");
    // The alarm does not wait until the credentials are accepted.
    await changeSecret(client, "remote-b", "d", endingConfig(kubeconfig));
    await daemon.program.printed(/credentials of a remote cluster end soon.*cluster.{1,3}d\b/);
    assert.match(
      await metrics(daemon),
      /^mesh_remote_cluster_credential_expiry_timestamp\{cluster="d"\} 1\d{9}/m,
    );
    const problems = await (await fetch(`${daemon.http}/debug`)).text();
    assert.match(problems, /remote cluster b cannot be followed/);
    await changeSecret(client, "remote-b", "a", kubeconfig);
    await daemon.program.printed(/a is the id of the daemon.s own cluster/);
    await mergePatch(client, types.SECRET, { namespace: SYSTEM, name: "remote-b" }, {
      data: {
        a: null,
        c: null,
        d: null,
        b: btoa(await Deno.readTextFile(other.files.tokenKubeconfig)),
      },
    });
    await eventually("no fault", async () => {
      return (await viewOf(daemon, "b"))?.fault === undefined &&
        await viewOf(daemon, "c") === undefined;
    });
    assert.equal(watcher.received.length, before);
  });

  await t.step("a lost cluster keeps its endpoints, and is followed again", async () => {
    const before = watcher.received.length;
    await other.apiServer.stop("SIGKILL");
    await eventually("a fault", async () => (await viewOf(daemon, "b"))?.fault !== undefined);
    assert.equal((await viewOf(daemon, "b"))?.syncStatus, "synced");
    assert.match(await metrics(daemon), /^mesh_source_healthy\{source="cluster\/b"\} 0$/m);
    await makeService(client, "near");
    other.apiServer.start();
    await other.ready();
    await eventually("no fault", async () => (await viewOf(daemon, "b"))?.fault === undefined);
    assert.equal(watcher.received.length, before);
  });

  await t.step("a deleted secret removes the cluster's endpoints, and only those", async () => {
    await deleteObject(client, types.SECRET, { namespace: SYSTEM, name: "remote-b" });
    await has(watcher, WEB, ["10.1.0.1:8080"]);
    await eventually("no endpoints", () => (watcher.addresses(FAR) ?? []).length === 0);
    assert.equal(await viewOf(daemon, "b"), undefined);
    assert.match(
      await metrics(daemon),
      /^remote_cluster_secret_events_total\{event="delete"\} 3$/m,
    );
    await makeSecret(client, "again", { b: kubeconfig });
    await has(watcher, WEB, ["10.1.0.1:8080", "10.2.0.1:8080"]);
  });

  await t.step("a daemon starts without a cluster that does not answer in time", async () => {
    await other.apiServer.stop("SIGKILL");
    await changeSecret(client, "again", "b", execConfig(kubeconfig, other.files.adminToken));
    await using second = await startDaemon({
      configDir: "",
      args: [`--orchconfig=${cluster.files.daemonKubeconfig}`, "--clusterID=a"],
      env: {
        PILOT_REMOTE_CLUSTER_TIMEOUT: "1s",
        PILOT_INSECURE_MULTICLUSTER_ORCHCONFIG_OPTIONS: "exec, tokenFile",
      },
    });
    assert.equal((await viewOf(second, "b"))?.syncStatus, "timeout");
    assert.match(await metrics(second), /^remote_cluster_sync_timeouts_total\{cluster="b"\} 1$/m);
    using late = watchEndpoints(second.xds, [WEB]);
    await has(late, WEB, ["10.1.0.1:8080"]);
    other.apiServer.start();
    await other.ready();
    await has(late, WEB, ["10.1.0.1:8080", "10.2.0.1:8080"]);
    assert.equal((await viewOf(second, "b"))?.syncStatus, "synced");
  });
}, { roles: { sharingGroup: GROUP, autoExport: true } });
