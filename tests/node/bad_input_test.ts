/**
 * Pods that cannot run as they are written, and nodes that cannot run them: each has an event or a line
 * in a log that says why, and none runs its application outside the mesh.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { NodeCluster } from "../../scripts/cluster/node/cluster.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { apply, deployment, kubectl, podsReady, workloadContainer } from "../support/node.ts";
import { injectedNamespace, meshTest, SYSTEM } from "../support/node_mesh.ts";

const NAMESPACE = "bad";
const NOWHERE = "docker.io/mesh/nowhere:1";
/** Containers of the largest pod. */
const MANY = 100;
/** Longest time for their start on a busy machine, in milliseconds: one after the other. */
const MANY_MS = 240_000;

const sleeper = workloadContainer(["sleep", "1h"]);

interface PodParts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A pod whose container waits. */
function pod(name: string, { annotations = {}, spec = {} }: PodParts = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: NAMESPACE, labels: { app: name }, annotations },
    spec: { terminationGracePeriodSeconds: 0, containers: [sleeper], ...spec },
  };
}

/** A volume of 4 KiB, which the kernel limits. */
const TINY = { name: "tiny", emptyDir: { medium: "Memory", sizeLimit: "4Ki" } };

/** The image of the template. The API server makes the pull policy `Always` of a name without a tag. */
const AUTO = { image: "auto", imagePullPolicy: "Never" };

const PODS: readonly unknown[] = [
  pod("no-application-image", { spec: { containers: [{ ...sleeper, image: NOWHERE }] } }),
  pod("no-proxy-image", { annotations: { "sidecar.mesh.io/proxyImage": NOWHERE } }),
  pod("no-iptables", {
    spec: {
      volumes: [{ name: "hidden", emptyDir: {} }],
      initContainers: [{
        name: "mesh-init",
        ...AUTO,
        volumeMounts: [{ name: "hidden", mountPath: "/usr/sbin" }],
      }],
    },
  }),
  pod("no-rights", {
    spec: {
      initContainers: [{
        name: "mesh-init",
        ...AUTO,
        securityContext: { capabilities: { add: ["NET_BIND_SERVICE"] } },
      }],
    },
  }),
  pod("full-disk", {
    spec: {
      volumes: [TINY],
      containers: [sleeper, {
        name: "mesh-proxy",
        ...AUTO,
        volumeMounts: [{ name: TINY.name, mountPath: "/etc/mesh/proxy" }],
      }],
    },
  }),
  pod("large-annotation", { annotations: { note: "x".repeat(200 << 10) } }),
];

meshTest("bad input: pods say why they do not run, and none runs outside the mesh", async (
  cluster,
  t,
) => {
  await injectedNamespace(cluster, NAMESPACE);
  // `apply` would repeat each pod in an annotation, which has a limit.
  await create(cluster, ...PODS);

  await t.step("two init containers of one name are refused, not joined", async () => {
    const twice = { ...sleeper, name: "first", args: ["print", "it"] };
    const said = await refusal(cluster, pod("twice", { spec: { initContainers: [twice, twice] } }));
    assert.match(said, /two containers have the name first\. Give each container/);
    const init = { name: "mesh-init", ...AUTO };
    const own = await refusal(cluster, pod("own", { spec: { initContainers: [init, init] } }));
    assert.match(own, /two containers have the name mesh-init\. Give each container/);
  });
  await t.step("an annotation of 1 MB is refused with its size and the limit", async () => {
    const large = pod("larger", { annotations: { note: "x".repeat(1 << 20) } });
    assert.match(await refusal(cluster, large), /1048\d+.*at most 262144/);
  });
  await t.step("an image that is not there: an event names it", async () => {
    await eventReads(cluster, "no-application-image", new RegExp(`"${NOWHERE}" is not present`));
    assert.match(await containersOf(cluster, "no-application-image"), /mesh-init.*mesh-proxy/);
    await eventReads(cluster, "no-proxy-image", new RegExp(`"${NOWHERE}" is not present`));
  });
  await t.step(
    "without iptables: the init container names it, the pod does not start",
    async () => {
      await initFails(cluster, "no-iptables", /iptables/);
      await initFails(cluster, "no-rights", /iptables|NET_ADMIN|Permission denied/);
    },
  );
  await t.step("a full disk: the agent names the file, the pod is not ready", async () => {
    await eventually("a line about the disk", async () => {
      return /No space left on device|ENOSPC|os error 28/.test(
        await logs(cluster, "full-disk", "mesh-proxy"),
      );
    });
  });
  await t.step("a pod with an annotation of 200 KiB runs in the mesh", async () => {
    await podsReady(cluster, "app=large-annotation", { namespace: NAMESPACE });
  });
  const away = "the webhook is away: no pod is made, or the daemon names it afterwards";
  await t.step(away, () => webhookAway(cluster));
  await t.step("a pod with 100 containers runs in the mesh", () => manyContainers(cluster));
  await t.step("no application runs without a proxy that takes its traffic", async () => {
    const list = await kubectl(cluster, ["get", "pods", "-n", NAMESPACE, "-o=json"]);
    for (const { metadata, spec, status } of JSON.parse(list).items) {
      const names = [...spec.initContainers ?? [], ...spec.containers].map(({ name }) => name);
      assert.ok(names.includes("mesh-proxy"), metadata.name);
      const started = (status.containerStatuses ?? [])
        .filter((one: { name: string; started?: boolean }) =>
          one.name.startsWith("app") && one.started
        );
      const init = status.initContainerStatuses
        ?.find(({ name }: { name: string }) => name === "mesh-init");
      const isCaptured = init?.state?.terminated?.exitCode === 0;
      assert.ok(started.length === 0 || isCaptured, metadata.name);
    }
  });
});

async function manyContainers(cluster: NodeCluster): Promise<void> {
  const containers = Array.from({ length: MANY }, (_, i) => ({ ...sleeper, name: `app-${i}` }));
  await create(cluster, pod("many", { spec: { containers } }));
  const path = "{.status.containerStatuses[?(@.ready==true)].name}";
  const get = ["get", "pod", "many", "-n", NAMESPACE, `-o=jsonpath=${path}`];
  const started = async (): Promise<boolean> => {
    return (await kubectl(cluster, get)).split(" ").length >= MANY;
  };
  await eventually(`${MANY} containers`, started, MANY_MS);
  await podsReady(cluster, "app=many", { namespace: NAMESPACE });
}

async function webhookAway(cluster: NodeCluster): Promise<void> {
  const late = deployment("late", sleeper, { namespace: NAMESPACE });
  await scaleDaemon(cluster, 0);
  const daemon = ["get", "pods", "-n", SYSTEM, "-l=app=meshd", "-o=name"];
  await eventually("the end of the daemon", async () => await kubectl(cluster, daemon) === "");
  await apply(cluster, late);
  await eventually("an event of the ReplicaSet", async () => {
    const get = ["get", "events", "-n", NAMESPACE, "--field-selector=reason=FailedCreate"];
    const text = await kubectl(cluster, [...get, "-o=jsonpath={.items[*].message}"]);
    return /failed calling webhook "namespace\.sidecar-injector\.mesh\.io"/.test(text);
  });
  const pods = ["get", "pods", "-n", NAMESPACE, "-l=app=late", "-o=name"];
  assert.equal(await kubectl(cluster, pods), "");
  await kubectl(cluster, ["delete", "deploy/late", "-n", NAMESPACE]);

  await setPolicy(cluster, "Ignore");
  await create(cluster, pod("missed"));
  assert.equal(await containersOf(cluster, "missed"), "app");
  await scaleDaemon(cluster, 1);
  await eventually("a line of the daemon about the pod", async () => {
    const { stdout } = await cluster.run(["logs", "-n", SYSTEM, "deploy/meshd"]);
    return stdout.split("\n").some((line) => /runs outside the mesh.*\bmissed\b/.test(line));
  });
  await setPolicy(cluster, "Fail");
  await kubectl(cluster, ["delete", "pod", "missed", "-n", NAMESPACE]);
  await apply(cluster, late);
  await podsReady(cluster, "app=late", { namespace: NAMESPACE });
}

function scaleDaemon(cluster: NodeCluster, count: number): Promise<string> {
  return kubectl(cluster, ["scale", "deploy/meshd", "-n", SYSTEM, `--replicas=${count}`]);
}

/** Sets what the API server does without an answer of the webhooks. */
async function setPolicy(cluster: NodeCluster, policy: string): Promise<void> {
  const configuration = ["mutatingwebhookconfiguration", "mesh-sidecar-injector"];
  const path = "{.webhooks[*].name}";
  const names = (await kubectl(cluster, ["get", ...configuration, `-o=jsonpath=${path}`])).split(
    " ",
  );
  const patch = names.map((_, at) => (
    { op: "replace", path: `/webhooks/${at}/failurePolicy`, value: policy }
  ));
  await kubectl(cluster, ["patch", ...configuration, "--type=json", "-p", JSON.stringify(patch)]);
}

/** Creates pods. */
function create(cluster: NodeCluster, ...items: readonly unknown[]): Promise<string> {
  const list = { apiVersion: "v1", kind: "List", items };
  return kubectl(cluster, ["create", "-f", "-"], JSON.stringify(list));
}

/** The reason why the API refuses an object. */
async function refusal(cluster: NodeCluster, object: unknown): Promise<string> {
  const { success, stderr } = await cluster.run(["create", "-f", "-"], JSON.stringify(object));
  assert.ok(!success, "it is accepted");
  return stderr;
}

/** Waits for an event of a pod. */
async function eventReads(cluster: NodeCluster, name: string, what: RegExp): Promise<void> {
  await eventually(`an event of ${name} like ${what}`, async () => {
    const get = ["get", "events", "-n", NAMESPACE, `--field-selector=involvedObject.name=${name}`];
    return what.test(await kubectl(cluster, [...get, "-o=jsonpath={.items[*].message}"]));
  });
}

/** Waits until the init container of a pod failed with a reason in its log, and is started again. */
async function initFails(cluster: NodeCluster, name: string, why: RegExp): Promise<void> {
  await eventReads(cluster, name, /Back-off restarting failed container mesh-init/);
  assert.match(await logs(cluster, name, "mesh-init"), why);
  const path = "{.status.containerStatuses[?(@.name=='app')].state.waiting.reason}";
  const state = await kubectl(cluster, [
    "get",
    "pod",
    name,
    "-n",
    NAMESPACE,
    `-o=jsonpath=${path}`,
  ]);
  assert.equal(state, "PodInitializing");
}

/** The log of a container, with that of its former start. */
async function logs(cluster: NodeCluster, name: string, container: string): Promise<string> {
  const get = ["logs", "-n", NAMESPACE, name, "-c", container];
  const former = await cluster.run([...get, "--previous"]);
  return former.stdout + (await cluster.run(get)).stdout;
}

function containersOf(cluster: NodeCluster, name: string): Promise<string> {
  const path = "{.spec['initContainers','containers'][*].name}";
  return kubectl(cluster, ["get", "pod", name, "-n", NAMESPACE, `-o=jsonpath=${path}`]);
}
