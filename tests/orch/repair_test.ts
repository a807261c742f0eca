/**
 * The repair of pods that started before the network plugin was there: a real API server, and a pod
 * that is a process in a control group and a network namespace of its own.
 */
import assert from "node:assert/strict";
import {
  createObject,
  getObject,
  isNotFound,
  listAll,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import { hostRunner } from "../../lib/node/capture/mod.ts";
import {
  repairPods,
  type RepairPodsOptions,
  type RepairSettings,
} from "../../lib/node/repair/mod.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { missing, run } from "../e2e/redirect/network.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { ensureNamespace } from "../support/service_accounts.ts";

const NAMESPACE = "shop";
const WAIT_MS = 60_000;

const DEFAULTS: RepairSettings = {
  enabled: true,
  repairPods: false,
  deletePods: false,
  labelPods: true,
  labelKey: "cni.mesh.io/uninitialized",
  labelValue: "true",
  nodeName: "",
  sidecarAnnotation: "sidecar.mesh.io/status",
  initContainerName: "mesh-validation",
  initContainerExitCode: 126,
  initContainerTerminationMessage: "",
  labelSelectors: "",
  fieldSelectors: "",
};

interface Pod extends OrchObject {
  readonly spec: { readonly nodeName?: string };
}

/** Deviations of a pod from one that is broken. */
interface PodCase {
  readonly node?: string;
  readonly annotation?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly container?: string;
  readonly exitCode?: number;
  readonly message?: string;
  /** The container was started again since, and runs. */
  readonly again?: boolean;
}

async function pod(client: OrchClient, name: string, given: PodCase = {}): Promise<Pod> {
  const { node = "n1", annotation = "sidecar.mesh.io/status", container = "mesh-validation" } =
    given;
  const made = await createObject<Pod>(client, types.POD, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: NAMESPACE,
      annotations: { [annotation]: "{}" },
      labels: given.labels ?? {},
    },
    spec: {
      nodeName: node,
      automountServiceAccountToken: false,
      initContainers: [{ name: container, image: "none" }],
      containers: [{ name: "mesh-proxy", image: "none" }],
    },
  } as OrchObject);
  await end(client, name, given);
  return made;
}

/** Writes how the init container of a pod ended. */
async function end(client: OrchClient, name: string, given: PodCase): Promise<void> {
  const { container = "mesh-validation" } = given;
  const terminated = {
    exitCode: given.exitCode ?? 126,
    message: given.message ?? "",
    reason: "Error",
  };
  const state = given.again
    ? { state: { running: {} }, lastState: { terminated } }
    : { state: { terminated } };
  await mergePatch(client, types.POD, { namespace: NAMESPACE, name, subresource: "status" }, {
    status: {
      initContainerStatuses: [
        {
          name: container,
          ready: false,
          restartCount: 1,
          image: "none",
          imageID: "none",
          ...state,
        },
      ],
    },
  });
}

async function read(client: OrchClient, name: string): Promise<Pod | undefined> {
  try {
    return await getObject<Pod>(client, types.POD, { namespace: NAMESPACE, name });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface PodEvent extends OrchObject {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly uid?: string };
}

async function eventsOf(client: OrchClient, { metadata: { uid } }: Pod): Promise<string[]> {
  const events = await listAll<PodEvent>(client, types.EVENT, { namespace: NAMESPACE });
  return events.filter(({ involvedObject }) => involvedObject.uid === uid)
    .map(({ reason }) => reason);
}

/** Runs the repair until the returned value is disposed of. */
function repairing(
  client: OrchClient,
  settings: Partial<RepairSettings>,
  more: Partial<RepairPodsOptions> = {},
): AsyncDisposable {
  const stop = new AbortController();
  const ended = repairPods({
    client,
    settings: { ...DEFAULTS, ...settings },
    signal: stop.signal,
    hostRoot: "",
    nameservers: {},
    runnerFor: hostRunner,
    pauses: { first: 20, longest: 50 },
    ...more,
  });
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

async function namesWith(client: OrchClient, key: string, value: string): Promise<string[]> {
  const pods = await listAll<Pod>(client, types.POD, {
    namespace: NAMESPACE,
    labelSelector: `${key}=${value}`,
  });
  return pods.map(({ metadata }) => metadata.name).sort();
}

async function clear(client: OrchClient): Promise<void> {
  for (
    const { metadata: { name } } of await listAll<Pod>(client, types.POD, { namespace: NAMESPACE })
  ) {
    await client.text({
      method: "DELETE",
      path: `/api/v1/namespaces/${NAMESPACE}/pods/${name}`,
      body: { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 },
    });
  }
}

/** Each setting decides which of two pods is broken: the first is, the second is not. */
const SETTINGS: readonly [
  name: string,
  settings: Partial<RepairSettings>,
  broken: PodCase,
  sound: PodCase,
][] = [
  ["defaults", {}, {}, { exitCode: 0 }],
  ["started again", {}, { again: true }, { exitCode: 1, again: true }],
  ["nodeName", { nodeName: "n1" }, { node: "n1" }, { node: "n2" }],
  ["sidecarAnnotation", { sidecarAnnotation: "a.b/c" }, { annotation: "a.b/c" }, {}],
  ["initContainerName", { initContainerName: "check" }, { container: "check" }, {}],
  ["initContainerExitCode", { initContainerExitCode: 7 }, { exitCode: 7 }, {}],
  [
    "initContainerTerminationMessage",
    { initContainerTerminationMessage: "no rules" },
    { message: "no rules\n" },
    { message: "other" },
  ],
  ["labelSelectors", { labelSelectors: "app=a" }, { labels: { app: "a" } }, {
    labels: { app: "b" },
  }],
  ["fieldSelectors", { fieldSelectors: "metadata.name=broken" }, {}, {}],
  ["labelKey", { labelKey: "x.y/z", labelValue: "w" }, {}, { exitCode: 0 }],
];

clusterTest("every setting of the repair decides which pods are broken", async (cluster, t) => {
  using client = await adminClient(cluster);
  await ensureNamespace(client, NAMESPACE);
  await account(client);
  for (const [name, settings, broken, sound] of SETTINGS) {
    await t.step(name, async () => {
      const { labelKey, labelValue } = { ...DEFAULTS, ...settings };
      await pod(client, "sound", sound);
      const found = await pod(client, "broken", broken);
      {
        await using _ = repairing(client, settings);
        await eventually(
          "an event",
          async () => (await eventsOf(client, found)).length > 0,
          WAIT_MS,
        );
      }
      assert.deepEqual(await namesWith(client, labelKey, labelValue), ["broken"]);
      assert.deepEqual(await eventsOf(client, found), ["MeshRulesMissing"]);
      await clear(client);
    });
  }
  await t.step("deletion comes before the label, and concerns the pod of this id", async () => {
    const found = await pod(client, "broken");
    await pod(client, "sound", { exitCode: 0 });
    await using _ = repairing(client, { deletePods: true });
    const isGone = async () => {
      const now = await read(client, "broken");
      return now === undefined || now.metadata.deletionTimestamp !== undefined;
    };
    await eventually("the deletion", isGone, WAIT_MS);
    assert.notEqual(await read(client, "sound"), undefined);
    await eventually("an event", async () => (await eventsOf(client, found)).length > 0, WAIT_MS);
  });
  await clear(client);
  await t.step("an API server that is away is asked again", async () => {
    const found = await pod(client, "broken");
    await cluster.apiServer.stop();
    await using _ = repairing(client, {}, { timing: { firstPauseMs: 20, longestPauseMs: 50 } });
    cluster.apiServer.start();
    await cluster.ready();
    await eventually("an event", async () => (await eventsOf(client, found)).length > 0, WAIT_MS);
  });
  await clear(client);
  await t.step("a repair that is not enabled ends at once", async () => {
    const { signal } = new AbortController();
    const given = { client, hostRoot: "", nameservers: {}, runnerFor: hostRunner, signal };
    await repairPods({ ...given, settings: { ...DEFAULTS, enabled: false } });
  });
});

/** A folder for control groups: of the second version, or of a controller of the first. */
async function groupsDir(): Promise<string> {
  const root = "/sys/fs/cgroup";
  const second = await Deno.stat(`${root}/cgroup.controllers`).then(() => true, () => false);
  return second ? root : `${root}/pids`;
}

/** Runs a process in the control group of a pod; returns the name of its network namespace. */
async function runs(stack: AsyncDisposableStack, { metadata: { uid } }: Pod): Promise<string> {
  const space = `mesh-r-${crypto.randomUUID().slice(0, 8)}`;
  await run("ip", "netns", "add", space);
  stack.defer(() => run("ip", "netns", "del", space).then(() => {}));
  const group = `${await groupsDir()}/pod${uid}`;
  await Deno.mkdir(group);
  stack.defer(() => Deno.remove(group));
  const args = ["netns", "exec", space, "sleep", "infinity"];
  const child = new Deno.Command("ip", { args }).spawn();
  stack.defer(async () => {
    child.kill("SIGKILL");
    await child.status;
  });
  const inode = async (path: string) => (await Deno.stat(path)).ino;
  const own = async () =>
    await inode(`/proc/${child.pid}/ns/net`) === await inode(`/run/netns/${space}`);
  await eventually("the namespace of the process", own, WAIT_MS);
  await Deno.writeTextFile(`${group}/cgroup.procs`, `${child.pid}`);
  return space;
}

clusterTest(
  "a pod is repaired in place, in its own network namespace, and once",
  async (cluster) => {
    using client = await adminClient(cluster);
    await ensureNamespace(client, NAMESPACE);
    await account(client);
    const found = await pod(client, "broken");
    const elsewhere = await pod(client, "elsewhere");
    await using stack = new AsyncDisposableStack();
    const space = await runs(stack, found);
    const rules = () => run("ip", "netns", "exec", space, "iptables-nft-save", "-t", "nat");
    {
      // Repair in place comes before deletion and label.
      await using _ = repairing(client, { repairPods: true, deletePods: true });
      await eventually("an event", async () => (await eventsOf(client, found)).length > 0, WAIT_MS);
      assert.match(await rules(), /--to-ports 15001/);
      // The pod changes and is broken still, until the kubelet starts the container again.
      await run("ip", "netns", "exec", space, "iptables-nft", "-t", "nat", "-F");
      await mergePatch(client, types.POD, { namespace: NAMESPACE, name: "broken" }, {
        metadata: { labels: { changed: "yes" } },
      });
      // A pod after it shows that the change was seen.
      const later = await pod(client, "later", { exitCode: 0 });
      await runs(stack, later);
      await end(client, "later", { exitCode: 126 });
      await eventually("an event", async () => (await eventsOf(client, later)).length > 0, WAIT_MS);
    }
    assert.deepEqual(await eventsOf(client, found), ["MeshRulesRepaired"]);
    assert.doesNotMatch(await rules(), /--to-ports 15001/);
    for (const one of ["broken", "elsewhere"]) {
      assert.equal((await read(client, one))?.metadata.deletionTimestamp, undefined);
    }
    assert.deepEqual(await eventsOf(client, elsewhere), []);
  },
  { missing: missing() },
);

async function account(client: OrchClient): Promise<void> {
  await createObject(client, types.SERVICE_ACCOUNT, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace: NAMESPACE },
  });
}
