/**
 * The daemon with an API server as its source of configuration, and without a config directory.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  mergePatch,
  type OrchClient,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";
import { TABLED_KINDS } from "../../lib/mesh/schema/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  type Cluster,
  type Daemon,
  type DaemonOptions,
  eventually,
  freePorts,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";

const ENTRIES: ResourceType = {
  group: "networking.mesh.io",
  version: "v1",
  kind: "ServiceEntry",
  plural: TABLED_KINDS.ServiceEntry.plural,
  namespaced: true,
};

function entry(name: string, namespace = "default", spec: Record<string, unknown> = {}) {
  return {
    apiVersion: "networking.mesh.io/v1",
    kind: "ServiceEntry",
    metadata: { name, namespace },
    spec: {
      hosts: [`${name}.test`],
      ports: [{ number: 80, name: "http", protocol: "HTTP" }],
      resolution: "STATIC",
      endpoints: [{ address: "10.1.1.1" }],
      ...spec,
    },
  };
}

function startOn(cluster: Cluster, options: Partial<DaemonOptions> = {}): Promise<Daemon> {
  const args = [`--orchconfig=${cluster.files.daemonKubeconfig}`];
  return startDaemon({ ...options, configDir: "", args: [...args, ...options.args ?? []] });
}

interface View {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

async function entriesOf(daemon: Daemon): Promise<string[]> {
  const all = await daemon.debug<View[]>("configz?resource=ServiceEntry");
  return all.map(({ metadata }) => metadata.name).sort();
}

interface ClusterView {
  readonly fault?: string;
  readonly resources: readonly { readonly resource: string; readonly absent: boolean }[];
}

async function clusterOf(daemon: Daemon): Promise<ClusterView> {
  return (await daemon.debug<ClusterView[]>("clusterz"))[0]!;
}

async function holds(daemon: Daemon, names: readonly string[]): Promise<void> {
  await eventually(`the entries ${names}`, async () => `${await entriesOf(daemon)}` === `${names}`);
}

async function healthOf(daemon: Daemon): Promise<string | undefined> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return /^mesh_source_healthy\{source="cluster\/Orchestrator"\} (\d)$/m.exec(text)?.[1];
}

clusterTest(
  "custom resources of an API server steer a daemon without a config directory",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    await createObject(client, ENTRIES, entry("first"));
    await using daemon = await startOn(cluster);

    await t.step("a ready daemon has what was there", async () => {
      assert.deepEqual(await entriesOf(daemon), ["first"]);
      assert.equal((await clusterOf(daemon)).fault, undefined);
      assert.equal(await healthOf(daemon), "1");
    });

    await t.step("changes arrive", async () => {
      await createObject(client, ENTRIES, entry("second"));
      await holds(daemon, ["first", "second"]);
      await deleteObject(client, ENTRIES, { namespace: "default", name: "first" });
      await holds(daemon, ["second"]);
    });

    await t.step("an invalid object is a problem, and its last good version stays", async () => {
      const name = { namespace: "default", name: "second" };
      await mergePatch(client, ENTRIES, name, { spec: { hosts: ["*"] } });
      await daemon.program.printed(/rejected: cluster\/Orchestrator.*second.*take all traffic/);
      await holds(daemon, ["second"]);
      await mergePatch(client, ENTRIES, name, { spec: { hosts: ["second.test"] } });
      await daemon.program.printed(/repaired/);
    });

    await t.step("objects of other revisions are not read, as the label and its tags say", () => {
      return selectsRevision(client, daemon);
    });

    await t.step("a lost server: the daemon serves on and says so, then catches up", async () => {
      await cluster.apiServer.stop("SIGKILL");
      await eventually("a fault", async () => (await clusterOf(daemon)).fault !== undefined);
      assert.equal(await healthOf(daemon), "0");
      assert.deepEqual(await entriesOf(daemon), ["second"]);
      const ready = await fetch(`${daemon.http}/ready`);
      assert.match(
        await ready.text(),
        /^serviceentries\.networking\.mesh\.io: cannot be followed since \S+, the last objects/m,
      );
      assert.equal(ready.status, 200);
      const overview = await (await fetch(`${daemon.http}/debug`)).text();
      assert.match(overview, /orchestrator cannot be followed/);
      cluster.apiServer.start();
      await cluster.ready();
      await createObject(client, ENTRIES, entry("third"));
      await holds(daemon, ["second", "third"]);
      await eventually("no fault", async () => (await clusterOf(daemon)).fault === undefined);
      assert.equal(await healthOf(daemon), "1");
      await eventually("a ready daemon without reasons", async () => {
        return await (await fetch(`${daemon.http}/ready`)).text() === "";
      });
    });
  },
);

async function selectsRevision(client: OrchClient, daemon: Daemon): Promise<void> {
  const ofRevision = (name: string, revision: string, spec: Record<string, unknown> = {}) => {
    const { metadata, ...rest } = entry(name, "default", spec);
    return { ...rest, metadata: { ...metadata, labels: { "mesh.io/rev": revision } } };
  };
  const relabel = (type: ResourceType, name: string, namespace: string, revision: string) =>
    mergePatch(client, type, { namespace, name }, {
      metadata: { labels: { "mesh.io/rev": revision } },
    });
  const tag = "meshd-revision-tag-prod";
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: tag,
      namespace: "mesh-system",
      labels: { "mesh.io/tag": "prod", "mesh.io/rev": "canary" },
    },
    spec: { ports: [{ port: 15012 }] },
  };
  await createObject(client, types.SERVICE, service);
  await createObject(client, ENTRIES, ofRevision("own", "default"));
  await createObject(client, ENTRIES, ofRevision("other", "canary"));
  // Invalid for this daemon, which does not read it.
  await createObject(client, ENTRIES, ofRevision("wrong", "canary", { hosts: ["*"] }));
  await createObject(client, ENTRIES, ofRevision("tagged", "prod"));
  await holds(daemon, ["own", "second"]);
  await relabel(types.SERVICE, tag, "mesh-system", "default");
  await holds(daemon, ["own", "second", "tagged"]);
  await relabel(types.SERVICE, tag, "mesh-system", "canary");
  await holds(daemon, ["own", "second"]);
  await relabel(ENTRIES, "other", "default", "default");
  await holds(daemon, ["other", "own", "second"]);
  assert.doesNotMatch(daemon.program.output(), /rejected: .*wrong/);
  for (const name of ["own", "other", "wrong", "tagged"]) {
    await deleteObject(client, ENTRIES, { namespace: "default", name });
  }
  await holds(daemon, ["second"]);
}

clusterTest("definitions that come later, and MESH_WATCH_NAMESPACE", async (cluster, t) => {
  using client = await adminClient(cluster);
  for (const name of ["shop", "bank"]) await createNamespace(client, name);
  await using daemon = await startOn(cluster, { env: { MESH_WATCH_NAMESPACE: "shop" } });

  await t.step(
    "a server without definitions: the daemon is ready, and names what is absent",
    async () => {
      assert.deepEqual(await entriesOf(daemon), []);
      const { resources } = await clusterOf(daemon);
      const absent = resources.filter((one) => one.absent).map(({ resource }) => resource);
      assert.ok(absent.includes("serviceentries.networking.mesh.io"), `${absent}`);
      assert.ok(!absent.includes("namespaces"));
      await daemon.program.printed(/install their definitions/);
    },
  );

  await t.step("objects of the watched namespace arrive once they are defined", async () => {
    await applyDefinitions(client);
    for (const namespace of ["shop", "bank"]) {
      await createObject(client, ENTRIES, entry(`of-${namespace}`, namespace));
    }
    await holds(daemon, ["of-shop"]);
  });
});

async function createNamespace(client: OrchClient, name: string): Promise<void> {
  const object = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await createObject(client, types.NAMESPACE, object);
}

clusterTest(
  "a daemon that starts before its API server waits, and is ready afterwards",
  async (cluster) => {
    using client = await adminClient(cluster);
    await applyDefinitions(client);
    await createObject(client, ENTRIES, entry("first"));
    await cluster.apiServer.stop("SIGKILL");
    const dir = await Deno.makeTempDir({ prefix: "mesh-log-" });
    const [xds = 0, http = 0, monitoring = 0, introspection = 0] = freePorts(4);
    const starting = startOn(cluster, {
      args: [`--log_target=${dir}/log`],
      ports: [xds, http, monitoring, introspection],
    });
    let ready = false;
    starting.then(() => ready = true, () => {});
    const says = async () => /cannot be followed/.test(await Deno.readTextFile(`${dir}/log`));
    await eventually("a warning", says);
    assert.equal(ready, false, "it does not serve an empty mesh");
    const answer = await fetch(`http://127.0.0.1:${http}/ready`);
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /^configmaps: the objects were not received yet; the API/m);
    cluster.apiServer.start();
    await using daemon = await starting;
    assert.deepEqual(await entriesOf(daemon), ["first"]);
    await Deno.remove(dir, { recursive: true });
  },
);
