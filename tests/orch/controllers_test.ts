/**
 * Controllers of daemons on a real API server: leader election, and what each controller writes.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  getObject,
  isNotFound,
  listAll,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/kit/orch/mod.ts";
import { joinElection } from "../../lib/cluster/controllers/mod.ts";
import { TABLED_KINDS, type TableKind } from "../../lib/mesh/schema/mod.ts";
import { INGRESS, INGRESS_CLASS, resourceTypeOf } from "../../lib/mesh/sources/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  type Cluster,
  type Daemon,
  type DaemonOptions,
  eventually,
  freePorts,
  startCommand,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { PAUSED_AFTER, PAUSED_ELECTION, WRITTEN } from "./cases/paused_election.ts";
import { connectWorkload } from "../support/registering_workload.ts";
import { makeIngressWorld } from "./cases/ingress_traffic.ts";
import { adminClient, clusterTest, grantRoles } from "../support/cluster.ts";

const SYSTEM = "mesh-system";
const ROOTS = "mesh-ca-root-cert";

function make(
  client: OrchClient,
  type: ResourceType,
  metadata: Record<string, unknown> & { name: string },
  fields: Record<string, unknown> = {},
): Promise<OrchObject> {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const namespace = type.namespaced ? { namespace: "default" } : {};
  const object = { apiVersion, kind: type.kind, metadata: { ...namespace, ...metadata } };
  return createObject(client, type, { ...object, ...fields } as OrchObject);
}

interface Observed extends OrchObject {
  readonly data?: Readonly<Record<string, string>>;
  /** The fields of Leases, WorkloadEntries and Nodes that are read. */
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly address?: string;
    readonly taints?: readonly { readonly key: string }[];
  };
  readonly status?: {
    readonly addresses?: readonly { readonly value: string }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly validationMessages?: readonly { readonly type: { readonly code: string } }[];
    readonly observedGeneration?: number;
    readonly loadBalancer?: unknown;
  };
}

interface View {
  readonly metadata: { readonly name: string };
}

/** An object; `undefined` if there is none. */
async function read(
  client: OrchClient,
  type: ResourceType,
  name: string,
  namespace = "default",
): Promise<Observed | undefined> {
  try {
    const scoped = type.namespaced ? { namespace, name } : { name };
    return await getObject<Observed>(client, type, scoped);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function startOn(cluster: Cluster, options: Partial<DaemonOptions> = {}): Promise<Daemon> {
  const [secured] = freePorts(1);
  return startDaemon({
    secured: secured!,
    ...options,
    // Workloads register here without certificates.
    env: { MESH_WORKLOAD_ENTRY_VALIDATE_IDENTITY: "false", ...options.env },
    configDir: "",
    // Replicas on one machine cannot share the port of the webhooks.
    args: [`--orchconfig=${cluster.files.daemonKubeconfig}`, "--httpsAddr=", ...options.args ?? []],
  });
}

/** A file that the cases change. */
async function meshFile(text: string): Promise<string> {
  const file = await Deno.makeTempFile({ prefix: "mesh-config-", suffix: ".yaml" });
  await Deno.writeTextFile(file, text);
  return file;
}

/** The holder of an election's lease. */
async function holderOf(client: OrchClient, name: string): Promise<string> {
  const lease = await read(client, types.LEASE, name, SYSTEM);
  return lease?.spec?.holderIdentity ?? "";
}

const NAMESPACES = "mesh-namespace-controller-election";
/** The self-signed root is due at every check. */
const ROOT_IS_DUE = {
  MESHCA_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE: "100",
  MESHCA_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL: "100ms",
  MESHCA_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR: "false",
};

/** The debug page of the change of roots. */
interface RootChange {
  readonly phase: string;
  readonly next?: string;
}

async function leads(daemon: Daemon, election: string): Promise<boolean> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return text.includes(`mesh_leader{election="${election}"} 1`);
}

/** Runs the elections of two processes by hand: times are short, and revisions differ. */
async function electionCases(
  cluster: Cluster,
  client: OrchClient,
  t: Deno.TestContext,
): Promise<void> {
  const running = new Set<string>();
  let most = 0;
  const join = (identity: string, revision: string) =>
    joinElection({
      client,
      namespace: SYSTEM,
      name: "test-election",
      identity,
      revision,
      defaultRevision: () => "blue",
      enabled: true,
      timing: { leaseMs: 3_000, deadlineMs: 2_000, fenceMs: 1_000, retryMs: 100 },
      run: async ({ signal }) => {
        running.add(identity);
        most = Math.max(most, running.size);
        await new Promise((end) => signal.addEventListener("abort", end, { once: true }));
        running.delete(identity);
      },
    });
  await t.step("one of two replicas leads; the default revision takes over alone", async () => {
    await using _first = join("green-1", "green");
    await eventually("green leads", () => running.has("green-1"));
    await using _other = join("green-2", "green");
    await using _third = join("blue-1", "blue");
    await eventually("blue leads", () => running.has("blue-1") && !running.has("green-1"));
    assert.deepEqual([...running], ["blue-1"]);
    assert.equal(most, 1, "never two at the same time");
    assert.equal(await holderOf(client, "test-election"), "blue-1");
  });
  await t.step("an orderly stop gives the lease back", async () => {
    assert.equal(await holderOf(client, "test-election"), "");
    assert.equal(running.size, 0);
  });
  await t.step("a paused leader that was replaced writes nothing when it goes on", async () => {
    const name = { namespace: SYSTEM, name: WRITTEN };
    await make(client, types.CONFIG_MAP, name);
    const script = new URL("./cases/writing_leader.ts", import.meta.url).pathname;
    await using other = startCommand(
      Deno.execPath(),
      ["run", "-q", "-A", script, cluster.files.kubeconfig],
    );
    const written = async () => (await read(client, types.CONFIG_MAP, WRITTEN, SYSTEM))!;
    const hasStopped = async () => (await written()).data?.count === `${PAUSED_AFTER}`;
    await eventually("the last write before the pause", hasStopped, 60_000);
    await using _own = joinElection({
      ...PAUSED_ELECTION,
      client,
      identity: "own",
      run: async ({ client, signal }) => {
        await mergePatch(client, types.CONFIG_MAP, name, { data: { writer: "own" } });
        await new Promise((end) => signal.addEventListener("abort", end, { once: true }));
      },
    });
    const isOwn = async () => (await written()).data?.writer === "own";
    await eventually("the other leader", isOwn, 60_000);
    const before = await written();
    other.kill("SIGCONT");
    await other.printed("the term is over", 60_000);
    assert.deepEqual(await written(), before);
  });
}

clusterTest("controllers: elections and root certificates", async (cluster, t) => {
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  await make(client, types.NAMESPACE, { name: "shop", labels: { mesh: "yes-it-is" } });
  await electionCases(cluster, client, t);

  const config = await meshFile("{}");
  const env = { REVISION: "blue", POD_NAME: "first", PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "1s" };
  const args = [`--meshConfig=${config}`];
  await using first = await startOn(cluster, { args, env });
  const rootsOf = async (namespace: string) =>
    (await read(client, types.CONFIG_MAP, ROOTS, namespace))?.data?.["root-cert.pem"];

  await t.step("every namespace gets the roots; those of the orchestrator do not", async () => {
    await eventually("roots", async () => /BEGIN CERTIFICATE/.test(await rootsOf("shop") ?? ""));
    await eventually("roots", async () => await rootsOf("default") === await rootsOf("shop"));
    assert.equal(await rootsOf("kube-system"), undefined);
    const { text } = await cluster.run(["get", "cm", "-A", "-l", "mesh.io/config=true"]);
    assert.match(text, /^shop +mesh-ca-root-cert +1/m);
  });

  await t.step("deleted and changed ConfigMaps are repaired; new namespaces get one", async () => {
    await deleteObject(client, types.CONFIG_MAP, { namespace: "shop", name: ROOTS });
    const name = { namespace: "default", name: ROOTS };
    await mergePatch(client, types.CONFIG_MAP, name, { data: { "root-cert.pem": "x" } });
    await make(client, types.NAMESPACE, { name: "late" });
    for (const namespace of ["shop", "default", "late"]) {
      await eventually(`roots in ${namespace}`, async () => {
        return /BEGIN CERTIFICATE/.test(await rootsOf(namespace) ?? "");
      });
    }
  });

  await t.step("discoverySelectors exclude namespaces", async () => {
    await Deno.writeTextFile(
      config,
      "discoverySelectors: [{ matchLabels: { mesh: yes-it-is } }]\n",
    );
    await eventually("the selectors in force", async () => {
      return JSON.stringify(await first.debug("mesh")).includes("yes-it-is");
    });
    await make(client, types.NAMESPACE, { name: "outside" });
    await make(client, types.NAMESPACE, { name: "inside", labels: { mesh: "yes-it-is" } });
    await eventually("roots", async () => await rootsOf("inside") !== undefined);
    assert.equal(await rootsOf("outside"), undefined);
  });

  await t.step("metrics count terms, passes and writes", async () => {
    const text = await (await fetch(`${first.monitoring}/metrics`)).text();
    const won = `mesh_leader_transitions_total{election="${NAMESPACES}",result="won"} 1`;
    assert.ok(text.includes(won), text);
    assert.match(text, /mesh_controller_passes_total\{controller="root-certificates",.*\} [1-9]/);
    assert.match(text, /mesh_controller_writes_total\{controller="root-certificates"\} [1-9]/);
  });

  await t.step(
    "the revision of the tag default takes the leases, and only it renews the root",
    async () => {
      assert.equal(await leads(first, NAMESPACES), true);
      const labels = { "mesh.io/tag": "default", "mesh.io/rev": "blue" };
      const tag = { name: "mesh-revision-tag-default" };
      await make(client, types.MUTATING_WEBHOOKS, { ...tag, labels });
      const other = { REVISION: "green", POD_NAME: "green", ...ROOT_IS_DUE };
      await using green = await startOn(cluster, { args, env: other });
      await green.program.printed(/the root is due; the replica that leads renews it/);
      for (const daemon of [first, green]) {
        assert.equal((await daemon.debug<RootChange>("root_change")).phase, "stable");
      }
      const revision = { metadata: { labels: { "mesh.io/rev": "green" } } };
      await mergePatch(client, types.MUTATING_WEBHOOKS, tag, revision);
      await eventually("green leads", () => leads(green, NAMESPACES));
      await eventually("blue has ended", async () => !await leads(first, NAMESPACES));
      assert.match(await holderOf(client, NAMESPACES), /^green_/);
      await green.program.printed(/the root is due; its renewal begins/);
      await eventually("one new root at both", async () => {
        const [one, two] = await Promise.all(
          [first, green].map((daemon) => daemon.debug<RootChange>("root_change")),
        );
        return one!.next !== undefined && one!.next === two!.next;
      });
      assert.doesNotMatch(first.program.output(), /its renewal begins/);
      await deleteObject(client, types.MUTATING_WEBHOOKS, tag);
    },
  );

  await t.step("a second replica waits, and takes over after kill -9", async () => {
    await eventually("blue leads", () => leads(first, NAMESPACES));
    assert.match(await holderOf(client, NAMESPACES), /^first_/);
    await using second = await startOn(cluster, { args, env: { ...env, POD_NAME: "second" } });
    assert.equal(await leads(second, NAMESPACES), false);
    const workloads = await registeredBy(client, first);
    first.program.kill("SIGKILL");
    const back = connectWorkload(second, "vms", STAYING);
    await eventually("second leads", () => leads(second, NAMESPACES));
    await workloads.survive();
    back.close();
    await deleteObject(client, types.CONFIG_MAP, { namespace: "shop", name: ROOTS });
    await eventually("roots", async () => await rootsOf("shop") !== undefined);
  });

  await t.step("an orderly stop gave all leases back", async () => {
    assert.equal(await holderOf(client, NAMESPACES), "");
  });

  await t.step("ENABLE_LEADER_ELECTION=false: controllers run without a lease", async () => {
    const alone = { ENABLE_LEADER_ELECTION: "false", POD_NAME: "alone" };
    await using _daemon = await startOn(cluster, { args, env: alone });
    await deleteObject(client, types.CONFIG_MAP, { namespace: "shop", name: ROOTS });
    await eventually("roots", async () => await rootsOf("shop") !== undefined);
    assert.equal(await holderOf(client, NAMESPACES), "");
  });
});

const STAYING = "10.9.0.2";
const LEAVING = "10.9.0.3";

/** Two workloads that register with the daemon `first`, of which one connects to `second` later. */
async function registeredBy(client: OrchClient, first: Daemon) {
  const type = customType("WorkloadEntry");
  await make(client, customType("WorkloadGroup"), { name: "vms" }, {
    spec: { metadata: { labels: { app: "vm" } }, template: { ports: { http: 8080 } } },
  });
  const facts = async (ip: string) => {
    const entry = await read(client, type, `vms-${ip}`);
    const { annotations = {} } = entry?.metadata ?? {};
    const health = entry?.status?.conditions?.find(({ type }) => type === "Healthy")?.status;
    const daemon = annotations["mesh.io/workloadController"]?.split("_")[0];
    return entry && [daemon, health, annotations["mesh.io/disconnectedAt"]].join();
  };
  const proxies = [STAYING, LEAVING].map((ip) => connectWorkload(first, "vms", ip));
  for (const [i, ip] of [STAYING, LEAVING].entries()) {
    await eventually(`entry of ${ip}`, async () => await facts(ip) === "first,True,");
    proxies[i]!.report("broken");
    await eventually(`health of ${ip}`, async () => await facts(ip) === "first,False,");
  }
  const heartbeats = async () =>
    (await listAll<OrchObject>(client, types.LEASE, {
      namespace: SYSTEM,
      labelSelector: "mesh.io/heartbeat",
    })).map(({ metadata: { name } }) => name?.split("-")[2]).sort().join();
  assert.equal(await heartbeats(), "first");
  return {
    /** The entry of the lost workload is deleted, that of the other one has its new daemon and health. */
    survive: async () => {
      await eventually(
        "the lost workload is deleted",
        async () => await facts(LEAVING) === undefined,
      );
      assert.equal(await facts(STAYING), "second,True,");
      await eventually(
        "heartbeats of running daemons",
        async () => await heartbeats() === "second",
      );
      const mark = { "mesh.io/disconnectedAt": new Date().toISOString() };
      const name = { namespace: "default", name: `vms-${STAYING}` };
      await mergePatch(client, type, name, { metadata: { annotations: mark } });
      await eventually("no mark", async () => await facts(STAYING) === "second,True,");
      for (const proxy of proxies) proxy.close();
    },
  };
}

function customType(kind: TableKind): ResourceType {
  return resourceTypeOf(TABLED_KINDS[kind]);
}

const ENTRY = {
  hosts: ["one.test"],
  ports: [{ number: 80, name: "http", protocol: "HTTP" }],
  resolution: "DNS",
};

clusterTest("controllers: status, addresses, taints and registrations", async (cluster, t) => {
  await grantRoles(cluster, { untaint: true });
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  const env = {
    PILOT_ENABLE_ANALYSIS: "true",
    PILOT_ANALYSIS_INTERVAL: "500ms",
    PILOT_ENABLE_IP_AUTOALLOCATE: "true",
    PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: "true",
    PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: "1s",
    ORCH_INGRESS_NS: "edge",
    POD_NAME: "first",
  };
  const entries = customType("ServiceEntry");
  await make(client, entries, { name: "one" }, { spec: ENTRY });
  const [secured] = freePorts(1);
  const mesh = await meshFile("");
  await using daemon = await startOn(cluster, { secured, args: [`--meshConfig=${mesh}`], env });
  const statusOf = async (type: ResourceType, name: string) =>
    (await read(client, type, name))?.status;

  await t.step("addresses of hosts are in the status of their ServiceEntry", async () => {
    const addressesOf = (name: string) =>
      eventually(`addresses of ${name}`, async (): Promise<string[] | false> => {
        const { addresses = [] } = await statusOf(entries, name) ?? {};
        return addresses.length > 0 && addresses.map(({ value }: { value: string }) => value);
      });
    const first = await addressesOf("one");
    assert.match(first[0]!, /^240\.240\./);
    await make(client, entries, { name: "two" }, { spec: { ...ENTRY, hosts: ["two.test"] } });
    const second = await addressesOf("two");
    assert.deepEqual(first.filter((one) => second.includes(one)), [], "no duplicates");
    const query = "-o=jsonpath={.status.addresses[0].host}";
    const { text } = await cluster.run(["get", "serviceentry", "one", query]);
    assert.equal(text, "one.test");
  });

  await t.step(
    "findings are in the status of their resource, until they are repaired",
    async () => {
      const services = customType("VirtualService");
      const route = (gateway: string) => ({
        hosts: ["one.test"],
        gateways: [gateway],
        http: [{ route: [{ destination: { host: "one.test" } }] }],
      });
      await make(client, services, { name: "routes" }, { spec: route("absent") });
      await eventually("a finding", async () => {
        const { validationMessages = [] } = await statusOf(services, "routes") ?? {};
        return validationMessages.some(({ type }) => type.code === "MSH0101");
      });
      const query = "-o=jsonpath={.status.validationMessages[0].level}";
      assert.equal((await cluster.run(["get", "virtualservice", "routes", query])).text, "ERROR");
      const name = { namespace: "default", name: "routes" };
      await mergePatch(client, services, name, { spec: route("mesh") });
      await eventually("no finding", async () => {
        const { validationMessages, observedGeneration } = await statusOf(services, "routes") ?? {};
        return validationMessages?.length === 0 && observedGeneration === 2;
      });
    },
  );

  await t.step("PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: ready plugins untaint nodes", async () => {
    const taints = ["cni.mesh.io/not-ready", "other"].map((key) => ({ key, effect: "NoSchedule" }));
    await make(client, types.NODE, { name: "n1" }, { spec: { taints } });
    const metadata = { name: "cni", namespace: SYSTEM, labels: { "k8s-app": "mesh-cni-node" } };
    await make(client, types.POD, metadata, {
      spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
    });
    await mergePatch(client, types.POD, { ...metadata, subresource: "status" }, {
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    await eventually("one taint less", async () => {
      const { taints = [] } = (await read(client, types.NODE, "n1"))?.spec ?? {};
      // The server adds taints of its own to a node that is not ready.
      const keys = taints.map(({ key }) => key);
      return keys.includes("other") && !keys.includes("cni.mesh.io/not-ready");
    });
  });

  await t.step(
    "ORCH_INGRESS_NS: an Ingress is served, and has the gateway's addresses",
    async () => {
      await make(client, types.NAMESPACE, { name: "edge" });
      await using world = await makeIngressWorld(client);
      const gateway = { name: "mesh-ingressgateway", namespace: "edge" };
      await make(client, types.SERVICE, gateway, {
        spec: { ...world.gateway, externalIPs: ["192.0.2.7"] },
      });
      await make(client, types.SERVICE, { name: "web" }, { spec: world.web });
      await make(client, INGRESS_CLASS, { name: "mine" }, {
        spec: { controller: "mesh.io/ingress-controller" },
      });
      const backend = { service: { name: "web", port: { name: "http" } } };
      const rule = {
        host: "shop.test",
        http: { paths: [{ path: "/", pathType: "Prefix", backend }] },
      };
      const spec = (ingressClassName: string) => ({
        spec: { ingressClassName, rules: [rule], tls: world.tls },
      });
      await make(client, INGRESS, { name: "shop" }, spec("mine"));
      await make(client, INGRESS, { name: "foreign" }, spec("nobody"));
      const served = () => daemon.debug<View[]>("configz?resource=VirtualService");
      const name = "shop-test-shop-mesh-autogenerated-k8s-ingress";
      const [made] = await eventually("a VirtualService", async () => {
        const found = (await served()).filter(({ metadata }) => metadata.name === name);
        return found.length > 0 && found;
      });
      assert.match(JSON.stringify(made), /web\.default\.svc\.cluster\.local.*"number":80/);
      assert.match(JSON.stringify(made), /edge\/shop-mesh-autogenerated-k8s-ingress-default/);
      await eventually("an address", async () => {
        const { text } = await cluster.run(["get", "ingress", "shop"]);
        return text.includes("192.0.2.7");
      });
      assert.deepEqual((await statusOf(INGRESS, "foreign"))?.loadBalancer ?? {}, {});
      await make(client, types.NODE, { name: "edge-node" });
      await mergePatch(client, types.NODE, { name: "edge-node", subresource: "status" }, {
        status: { addresses: [{ type: "ExternalIP", address: "192.0.2.9" }] },
      });
      const pod = { name: "edge", namespace: "edge" };
      await make(client, types.POD, { ...pod, labels: { mesh: "ingressgateway" } }, {
        spec: {
          nodeName: "edge-node",
          serviceAccountName: "edge",
          containers: [{ name: "main", image: "none" }],
        },
      });
      await mergePatch(client, types.POD, { ...pod, subresource: "status" }, {
        status: { phase: "Running" },
      });
      await Deno.writeTextFile(mesh, "ingressService: ''\n");
      await eventually("an address of the gateway's Node", async () => {
        const { text } = await cluster.run(["get", "ingress", "shop"]);
        return text.includes("192.0.2.9");
      });
      await world.serves(`localhost:${secured}`);
      await deleteObject(client, INGRESS, { namespace: "default", name: "shop" });
      await eventually(
        "no VirtualService",
        async () => !(await served()).some(({ metadata }) => metadata.name === name),
      );
    },
  );

  await t.step("a registered workload is a WorkloadEntry while it is connected", async () => {
    const types = customType("WorkloadEntry");
    await make(client, customType("WorkloadGroup"), { name: "vms" }, {
      spec: { metadata: { labels: { app: "vm" } }, template: { ports: { http: 8080 } } },
    });
    const proxy = connectWorkload(daemon, "vms");
    const entry = await eventually("an entry", () => read(client, types, "vms-10.9.0.1"));
    assert.equal(entry.metadata.annotations?.["mesh.io/autoRegistrationGroup"], "vms");
    assert.match(entry.metadata.annotations?.["mesh.io/workloadController"] ?? "", /^first_/);
    assert.equal(entry.spec?.address, "10.9.0.1");
    const healthOf = async () => {
      const { conditions = [] } = await statusOf(types, "vms-10.9.0.1") ?? {};
      return conditions.find(({ type }) => type === "Healthy")?.status;
    };
    await eventually("healthy", async () => await healthOf() === "True");
    // Another writer's condition stays when the health changes.
    const { conditions: first = [] } = await statusOf(types, "vms-10.9.0.1") ?? {};
    const foreign = { type: "Audited", status: "True", reason: "Seen", message: "by a person" };
    const name = { namespace: "default", name: "vms-10.9.0.1", subresource: "status" };
    await mergePatch(client, types, name, { status: { conditions: [...first, foreign] } });
    proxy.report("broken");
    await eventually("unhealthy", async () => await healthOf() === "False");
    const { conditions: changed = [] } = await statusOf(types, "vms-10.9.0.1") ?? {};
    assert.deepEqual(changed.find(({ type }) => type === "Audited"), foreign);
    proxy.close();
    await eventually("gone", async () => await read(client, types, "vms-10.9.0.1") === undefined);
  });

  await t.step("a lost server: the daemon serves on, says so, and controllers go on", async () => {
    await cluster.apiServer.stop("SIGKILL");
    await eventually("it leads no longer", async () => !await leads(daemon, "mesh-analyze-leader"));
    await daemon.program.printed(/cannot be followed/);
    const ready = await fetch(`${daemon.http}/ready`);
    await ready.body?.cancel();
    assert.equal(ready.status, 200);
    cluster.apiServer.start();
    await cluster.ready();
    await eventually("it leads again", () => leads(daemon, "mesh-analyze-leader"));
  });

  await t.step("a server that hangs does not hold up the end of a daemon", async () => {
    await using ending = await startOn(cluster, { env: { ...env, POD_NAME: "ending" } });
    const proxy = connectWorkload(ending, "vms", "10.9.0.9");
    await eventually("an entry", () => read(client, customType("WorkloadEntry"), "vms-10.9.0.9"));
    await cluster.apiServer.suspend();
    try {
      const begun = performance.now();
      ending.program.kill("SIGTERM");
      await proxy.ended;
      // The only stream is the first one that ends.
      assert.ok(performance.now() - begun < 5_000, `${performance.now() - begun} ms until its end`);
      await ending.program.status;
      assert.ok(performance.now() - begun < 14_000, `${performance.now() - begun} ms in all`);
    } finally {
      cluster.apiServer.resume();
    }
  });
});
