/**
 * Faults of the API server under a daemon with a connected client: afterwards the daemon's endpoints
 * equal the server's contents, and the client was never sent an empty set of a Service that has
 * endpoints. Faults that need shorter times than a daemon has are in `follow_test.ts`.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  listAll,
  type ListItem,
  mergePatch,
  type OrchClient,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";
import { TABLED_KINDS } from "../../lib/mesh/schema/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import { type Cluster, type Daemon, eventually, startDaemon } from "../../scripts/harness/mod.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { make, makeService, makeSlice, objectOf } from "../support/cluster_objects.ts";
import { type EndpointWatcher, watchEndpoints } from "../support/endpoint_watcher.ts";
import { type Relay, startRelay } from "../support/relay.ts";
import { createAccounts, tokenOf } from "../support/service_accounts.ts";

const ACCOUNT = "mesh-system/meshd";
const STABLE = ["s0", "s1", "s2"];
const CHURNED = ["c0", "c1", "c2", "c3"];

function clusterOf(service: string): string {
  return `outbound|80||${service}.default.svc.cluster.local`;
}

/** Everything that the steps share. */
interface Faults {
  readonly cluster: Cluster;
  readonly client: OrchClient;
  readonly daemon: Daemon;
  readonly relay: Relay;
  readonly watcher: EndpointWatcher;
  readonly tokenFile: string;
}

/** Host → addresses, from the Services and slices of the API server. */
async function contentsOf(client: OrchClient): Promise<Record<string, string>> {
  const slices = await listAll<ListItem & { endpoints?: { addresses: string[] }[] }>(
    client,
    types.ENDPOINT_SLICE,
  );
  const services = await listAll<ListItem>(client, types.SERVICE);
  return Object.fromEntries(
    services.map(({ metadata: { name, namespace } }) => {
      const own = slices.filter(({ metadata }) =>
        metadata.namespace === namespace &&
        metadata.labels?.["kubernetes.io/service-name"] === name
      );
      const addresses = own.flatMap(({ endpoints }) => endpoints ?? [])
        .flatMap((one) => one.addresses);
      return [`${name}.${namespace}.svc.cluster.local`, addresses.sort().join()];
    }).sort(),
  );
}

/** The same, as the daemon has it. */
async function tablesOf(daemon: Daemon): Promise<Record<string, string>> {
  type Shards = Record<string, { Shards: Record<string, { address: string }[]> }>;
  const all = await daemon.debug<Record<string, Shards>>("endpointShardz");
  return Object.fromEntries(
    Object.entries(all).filter(([host]) => host.endsWith(".svc.cluster.local"))
      .map(([host, shards]) => {
        const endpoints = Object.values(shards).flatMap(({ Shards }) =>
          Object.values(Shards).flat()
        );
        return [host, endpoints.map(({ address }) => address).sort().join()] as const;
      }).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

/** Waits until daemon, client and API server agree, and checks everything that the client was sent. */
async function agree({ client, daemon, watcher }: Faults): Promise<void> {
  let contents: Record<string, string> = {};
  let tables: Record<string, string> = {};
  await eventually("tables that equal the API server's contents", async () => {
    [contents, tables] = [await contentsOf(client), await tablesOf(daemon)];
    return JSON.stringify(contents) === JSON.stringify(tables);
  }).catch(() => assert.deepEqual(tables, contents));
  for (const service of [...STABLE, ...CHURNED]) {
    const wanted = contents[`${service}.default.svc.cluster.local`];
    await eventually(`the client's endpoints of ${service}`, () => {
      const sent = watcher.addresses(clusterOf(service))?.map((one) => one.replace(/:8080$/, ""));
      return (sent ?? []).join() === (wanted ?? "");
    });
  }
  for (const { cluster, addresses } of watcher.received) {
    const isStable = STABLE.some((service) => cluster === clusterOf(service));
    if (isStable) assert.equal(addresses.length, 3, `${cluster} was sent with ${addresses}`);
  }
  assert.equal(watcher.ended, false);
}

function addressesOf(index: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `10.${20 + index}.${i >> 8}.${1 + i % 250}`);
}

async function faultOf(daemon: Daemon): Promise<string | undefined> {
  return (await daemon.debug<{ fault?: string }[]>("clusterz"))[0]?.fault;
}

/** Changes and replaces slices until it is stopped; failed writes are left. */
function churn(client: OrchClient): () => Promise<void> {
  let stopped = false;
  const run = async (): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const service = CHURNED[i % CHURNED.length]!;
      const slice = { namespace: "default", name: `${service}-1` };
      const endpoints = addressesOf(i % 7, 1 + i % 3).map((address) => ({ addresses: [address] }));
      const write = i % 5 === 4
        ? deleteObject(client, types.ENDPOINT_SLICE, slice)
        : mergePatch(client, types.ENDPOINT_SLICE, slice, { endpoints })
          .catch(() => makeSlice(client, service, addressesOf(i % 7, 2)));
      await write.then(() => pause(5), () => pause(50));
    }
  };
  const done = run();
  return () => {
    stopped = true;
    return done;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}

/** Waits for a condition. Connections are dropped now and then; requests have time between. */
function whileDropping(
  relay: Relay,
  what: string,
  condition: () => Promise<boolean>,
): Promise<unknown> {
  let droppedAt = -Infinity;
  return eventually(what, async () => {
    if (performance.now() - droppedAt > 5_000) {
      relay.drop();
      droppedAt = performance.now();
    }
    return await condition();
  }, 120_000);
}

async function restart(cluster: Cluster): Promise<void> {
  await cluster.apiServer.stop("SIGKILL");
  cluster.apiServer.start();
  await cluster.ready();
}

async function copyDir(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
  assert.ok(success, `copy of ${from}`);
}

/** A configuration file with the token of a service account in a separate file. */
async function accountFiles(cluster: Cluster, client: OrchClient, port: number) {
  await createAccounts(client, [ACCOUNT]);
  const config = JSON.parse(await Deno.readTextFile(cluster.files.kubeconfig));
  const tokenFile = `${cluster.files.kubeconfig}.token`;
  await writeToken(client, tokenFile);
  config.clusters[0].cluster.server = `https://127.0.0.1:${port}`;
  config.users[0].user = { tokenFile };
  const kubeconfig = `${cluster.files.kubeconfig}.account`;
  await Deno.writeTextFile(kubeconfig, JSON.stringify(config));
  return { kubeconfig, tokenFile };
}

async function writeToken(client: OrchClient, path: string): Promise<void> {
  const token = await tokenOf(client, ACCOUNT, { audiences: [] });
  await Deno.writeTextFile(path, token);
}

const FLOW = { group: "flowcontrol.apiserver.k8s.io", version: "v1", namespaced: false };
const LEVEL: ResourceType = {
  ...FLOW,
  kind: "PriorityLevelConfiguration",
  plural: "prioritylevelconfigurations",
};
const SCHEMA: ResourceType = { ...FLOW, kind: "FlowSchema", plural: "flowschemas" };

/** Lets the server refuse every request of the daemon with 429. */
async function throttle(client: OrchClient): Promise<void> {
  const [namespace, name] = ACCOUNT.split("/");
  await make(client, LEVEL, { name: "none" }, {
    spec: {
      type: "Limited",
      limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } },
    },
  });
  await make(client, SCHEMA, { name: "none" }, {
    spec: {
      priorityLevelConfiguration: { name: "none" },
      matchingPrecedence: 2,
      rules: [{
        subjects: [{ kind: "ServiceAccount", serviceAccount: { namespace, name } }],
        resourceRules: [{
          verbs: ["*"],
          apiGroups: ["*"],
          resources: ["*"],
          clusterScope: true,
          namespaces: ["*"],
        }],
      }],
    },
  });
}

const ENTRIES: ResourceType = {
  group: "networking.mesh.io",
  version: "v1",
  kind: "ServiceEntry",
  plural: TABLED_KINDS.ServiceEntry.plural,
  namespaced: true,
};

function entrySpec(host: string, endpoints: number) {
  return {
    hosts: [host],
    ports: [{ number: 80, name: "http", protocol: "HTTP" }],
    resolution: "STATIC",
    endpoints: addressesOf(1, endpoints).map((address) => ({
      address,
      labels: { app: "a-workload-with-a-name-of-some-length" },
    })),
  };
}

async function entriesOf(daemon: Daemon): Promise<string[]> {
  type View = { metadata: { name: string } };
  const all = await daemon.debug<View[]>("configz?resource=ServiceEntry");
  return all.map(({ metadata }) => metadata.name).filter((name) => !name.includes(":")).sort();
}

async function setVersions(client: OrchClient, served: readonly string[]): Promise<void> {
  const name = `${ENTRIES.plural}.${ENTRIES.group}`;
  const schema = {
    openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  await mergePatch(client, types.CUSTOM_RESOURCE_DEFINITION, { name }, {
    spec: {
      versions: ["v1", "v9"].map((version) => ({
        name: version,
        served: served.includes(version),
        storage: version === "v1",
        schema,
      })),
    },
  });
}

/** Ends the deletion of an empty namespace, as the controller manager does. */
async function finalize(client: OrchClient, name: string): Promise<void> {
  const namespace = await client.json<{ spec: Record<string, unknown> }>({
    path: `/api/v1/namespaces/${name}`,
  });
  const body = { ...namespace, spec: { ...namespace.spec, finalizers: [] } };
  await client.json({ method: "PUT", path: `/api/v1/namespaces/${name}/finalize`, body });
}

async function withBackup(faults: Faults, dir: string): Promise<void> {
  const { cluster } = faults;
  await cluster.apiServer.stop("SIGKILL");
  await cluster.etcd.stop("SIGKILL");
  await Deno.remove(cluster.dataDir, { recursive: true });
  await copyDir(dir, cluster.dataDir);
  cluster.etcd.start();
  cluster.apiServer.start();
  await cluster.ready();
}

async function start(cluster: Cluster, client: OrchClient, stack: AsyncDisposableStack) {
  const relay = stack.use(startRelay(Number(new URL(cluster.server).port)));
  await createObject(client, types.NAMESPACE, objectOf(types.NAMESPACE, { name: "closing" }));
  await applyDefinitions(client);
  const files = await accountFiles(cluster, client, relay.port);
  for (const [i, name] of [...STABLE, ...CHURNED].entries()) {
    await makeService(client, name);
    await makeSlice(client, name, addressesOf(i, 3));
  }
  await makeService(client, "gone", {}, { namespace: "closing" });
  const backup = `${cluster.dataDir}.backup`;
  await cluster.etcd.suspend();
  await Deno.mkdir(backup);
  await copyDir(cluster.dataDir, backup);
  cluster.etcd.resume();
  const daemon = stack.use(
    await startDaemon({
      configDir: "",
      args: [`--orchconfig=${files.kubeconfig}`],
      // During churn, changes are published at the end of this time.
      env: { PILOT_DEBOUNCE_MAX: "1s" },
    }),
  );
  const watcher = stack.use(watchEndpoints(daemon.xds, [...STABLE, ...CHURNED].map(clusterOf)));
  return { faults: { cluster, client, daemon, relay, watcher, ...files }, backup };
}

clusterTest(
  "a daemon has the API server's contents after every fault",
  async (cluster, t) => {
    using client = await adminClient(cluster);
    await using stack = new AsyncDisposableStack();
    const { faults, backup } = await start(cluster, client, stack);
    const { daemon, relay } = faults;
    await agree(faults);

    await t.step("kill -9 twice during churn", async () => {
      const stop = churn(client);
      for (let i = 0; i < 2; i++) {
        const { length } = faults.watcher.received;
        await eventually("changes that arrive", () => faults.watcher.received.length > length + 5);
        await restart(cluster);
      }
      await stop();
      await agree(faults);
    });

    await t.step("a server that stays connected and says nothing", async () => {
      await cluster.apiServer.suspend();
      try {
        const path = "/api/v1/namespaces";
        await assert.rejects(client.json({ path, timeoutMs: 500 }), { code: "orch-timeout" });
        // The daemon serves on: a new client gets all endpoints from it.
        using late = watchEndpoints(daemon.xds, STABLE.map(clusterOf));
        await eventually(
          "endpoints at a new client",
          () => STABLE.every((service) => late.addresses(clusterOf(service))?.length === 3),
        );
      } finally {
        cluster.apiServer.resume();
      }
      const endpoints = addressesOf(30, 3).map((address) => ({ addresses: [address] }));
      const slice = { namespace: "default", name: "s0-1" };
      await mergePatch(client, types.ENDPOINT_SLICE, slice, { endpoints });
      await agree(faults);
    });

    await t.step("etcd restored to an older revision", async () => {
      await makeService(client, "later");
      await agree(faults);
      await withBackup(faults, backup);
      await agree(faults);
      assert.equal((await tablesOf(daemon))["later.default.svc.cluster.local"], undefined);
    });

    await t.step("429 for every request", async () => {
      await throttle(client);
      await whileDropping(relay, "refused requests", async () => {
        const text = await client.text({ path: "/metrics" });
        return /^apiserver_flowcontrol_rejected_requests_total\{[^}]*flow_schema="none"/m.test(
          text,
        );
      });
      await mergePatch(client, types.ENDPOINT_SLICE, { namespace: "default", name: "c0-1" }, {
        endpoints: [{ addresses: ["10.77.0.1"] }],
      });
      await deleteObject(client, SCHEMA, { name: "none" });
      await agree(faults);
    });

    await t.step("an expired token", async () => {
      const [namespace = "", name = ""] = ACCOUNT.split("/");
      await deleteObject(client, types.SERVICE_ACCOUNT, { namespace, name });
      await whileDropping(relay, "a refusal", async () => {
        return /401/.test(await faultOf(daemon) ?? "");
      });
      await mergePatch(client, types.ENDPOINT_SLICE, { namespace: "default", name: "c0-1" }, {
        endpoints: [{ addresses: ["10.77.0.2"] }],
      });
      await createAccounts(client, [ACCOUNT]);
      await writeToken(client, faults.tokenFile);
      await agree(faults);
    });

    await t.step("an object of 1 MB", async () => {
      await make(client, ENTRIES, { name: "large" }, { spec: entrySpec("large.test", 11_000) });
      await eventually("the entry", async () => `${await entriesOf(daemon)}` === "large");
    });

    await t.step("a version of a kind that the daemon does not know", async () => {
      await setVersions(client, ["v9"]);
      await eventually("a fault", async () => /v9/.test(await faultOf(daemon) ?? ""));
      assert.deepEqual(await entriesOf(daemon), ["large"]);
      await setVersions(client, ["v1", "v9"]);
      await eventually("no fault", async () => await faultOf(daemon) === undefined);
      await deleteObject(client, ENTRIES, { namespace: "default", name: "large" });
      await eventually("no entry", async () => `${await entriesOf(daemon)}` === "");
    });

    await t.step("a deleted namespace", async () => {
      await deleteObject(client, types.NAMESPACE, { name: "closing" });
      await deleteObject(client, types.SERVICE, { namespace: "closing", name: "gone" });
      await finalize(client, "closing");
      await eventually("a server without it", async () => {
        return (await contentsOf(client))["gone.closing.svc.cluster.local"] === undefined;
      });
      await agree(faults);
    });
  },
);
