/**
 * Controllers of daemons on a real API server: leader election, and what each controller writes.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  getObject,
  isNotFound,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type ResourceType,
  types,
} from "../../lib/orch/mod.ts";
import { joinElection } from "../../lib/controllers/mod.ts";
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
  // deno-lint-ignore no-explicit-any
  readonly spec?: any;
  // deno-lint-ignore no-explicit-any
  readonly status?: any;
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
    configDir: "",
    args: [`--orchconfig=${cluster.files.kubeconfig}`, ...options.args ?? []],
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

async function leads(daemon: Daemon, election: string): Promise<boolean> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  return text.includes(`mesh_leader{election="${election}"} 1`);
}

/** Runs the elections of two processes by hand: times are short, and revisions differ. */
async function electionCases(client: OrchClient, t: Deno.TestContext): Promise<void> {
  const running = new Set<string>();
  const join = (identity: string, revision: string) =>
    joinElection({
      client,
      namespace: SYSTEM,
      name: "test-election",
      identity,
      revision,
      defaultRevision: () => "blue",
      enabled: true,
      timing: { leaseMs: 3_000, deadlineMs: 2_000, retryMs: 100 },
      run: async (signal) => {
        running.add(identity);
        await new Promise((end) => signal.addEventListener("abort", end, { once: true }));
        running.delete(identity);
      },
    });
  await t.step("one of two replicas leads; the default revision takes over", async () => {
    await using _first = join("green-1", "green");
    await eventually("green leads", () => running.has("green-1"));
    await using _other = join("green-2", "green");
    await using _third = join("blue-1", "blue");
    await eventually("blue leads", () => running.has("blue-1") && !running.has("green-1"));
    assert.deepEqual([...running], ["blue-1"]);
    assert.equal(await holderOf(client, "test-election"), "blue-1");
  });
  await t.step("an orderly stop gives the lease back", async () => {
    assert.equal(await holderOf(client, "test-election"), "");
    assert.equal(running.size, 0);
  });
}

clusterTest("controllers: elections and root certificates", async (cluster, t) => {
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  await make(client, types.NAMESPACE, { name: SYSTEM });
  await make(client, types.NAMESPACE, { name: "shop", labels: { mesh: "yes-it-is" } });
  await electionCases(client, t);

  const config = await meshFile("{}");
  const env = { REVISION: "blue", POD_NAME: "first" };
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

  await t.step("a second replica waits, and takes over after kill -9", async () => {
    assert.match(await holderOf(client, NAMESPACES), /^first_/);
    assert.equal(await leads(first, NAMESPACES), true);
    await using second = await startOn(cluster, { args, env: { ...env, POD_NAME: "second" } });
    assert.equal(await leads(second, NAMESPACES), false);
    first.program.kill("SIGKILL");
    await eventually("second leads", () => leads(second, NAMESPACES));
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
