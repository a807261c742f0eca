/**
 * Installing a mesh with a real API server and controller manager: rights, lock, conflicts, pruning,
 * readiness, interruption, removal. There are no nodes: a loop of the test makes pods ready.
 */
import assert from "node:assert/strict";
import { MeshError } from "../../lib/kit/base/mod.ts";
import {
  applyObject,
  createClient,
  createObject,
  deleteObject,
  getObject,
  listAll,
  type ListItem,
  mergePatch,
  type OrchClient,
  type OrchObject,
  type OrchRequest,
  types,
} from "../../lib/kit/orch/mod.ts";
import {
  install,
  type Installation,
  installedObjects,
  previewInstallation,
  readKinds,
  type Removal,
  type Scope,
  uninstall,
  verify,
} from "../../lib/cluster/installer/mod.ts";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { type Cluster, eventually } from "../../scripts/harness/mod.ts";
import { adminAccess, adminClient, clusterTest } from "../support/cluster.ts";
import { runInProcess } from "../support/program_run.ts";
import {
  actAsNode,
  keptReport,
  objectVersions,
  smallInstallation,
} from "../support/installation.ts";

const SYSTEM = "mesh-system";

interface Run {
  readonly client: OrchClient;
  readonly installation?: Installation;
  readonly force?: boolean;
  readonly readinessMs?: number;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

/** Installs, and returns what was reported. */
async function run(
  { client, installation = smallInstallation(), force = false, ...more }: Run,
): Promise<string[]> {
  const report = keptReport();
  const { onLine = () => {}, readinessMs = 60_000 } = more;
  const told = (line: string): void => {
    report.lines.push(line);
    onLine(line);
  };
  const isDone = await install({
    ...{ client, lockClient: client, installation, force, readinessMs },
    report: { ...report, step: told, say: told },
    signal: more.signal ?? new AbortController().signal,
    agree: () => Promise.resolve(true),
  });
  assert.ok(isDone);
  return report.lines;
}

async function failure(work: Promise<unknown>): Promise<MeshError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof MeshError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** Removes, and returns what was found before. */
async function removeScope(client: OrchClient, scope: Scope, agree = true): Promise<Removal> {
  let found: Removal | undefined;
  await uninstall({
    ...{ client, lockClient: client, namespace: SYSTEM, scope, report: keptReport() },
    signal: new AbortController().signal,
    connected: () => Promise.resolve([]),
    removed: () => {},
    agree: (removal) => {
      found = removal;
      return Promise.resolve(agree);
    },
  });
  return found!;
}

async function exists(client: OrchClient, type: typeof types.POD, name: string): Promise<boolean> {
  const place = type.namespaced ? { namespace: SYSTEM, name } : { name };
  return await getObject(client, type, place).then(() => true, () => false);
}

async function daemonClient(cluster: Cluster): Promise<OrchClient> {
  const access = await adminAccess(cluster, undefined, cluster.files.daemonKubeconfig);
  return createClient(access, { rate: { qps: 0, burst: 0 } });
}

clusterTest("a mesh is installed, changed and removed", async (cluster, t) => {
  using client = await adminClient(cluster);
  const before = await objectVersions(client);

  await t.step("without rights the missing rules are named, and nothing is written", async () => {
    using poor = await daemonClient(cluster);
    const error = await failure(run({ client: poor }));
    assert.equal(error.code, "install-rights");
    assert.match(
      error.remedy ?? "",
      /create.* customresourcedefinitions\.apiextensions\.k8s\.io in the/,
    );
    assert.match(error.remedy ?? "", /create.* deployments\.apps in namespace mesh-system/);
    assert.deepEqual([...(await objectVersions(client)).keys()], [...before.keys()]);
  });

  await t.step("a namespace that is being deleted refuses the installation", async () => {
    await createObject(client, types.NAMESPACE, namespace());
    const held = configMap("held", { finalizers: ["test.mesh.io/held"] });
    await createObject(client, types.CONFIG_MAP, held);
    await deleteObject(client, types.NAMESPACE, { name: SYSTEM });
    const error = await eventually("the reason of the namespace", async () => {
      const found = await failure(run({ client }));
      return /finalizers/.test(found.message) && found;
    });
    assert.equal(error.code, "install-namespace");
    assert.match(error.message, /namespace mesh-system is being deleted since/);
    await mergePatch(client, types.CONFIG_MAP, held.metadata, { metadata: { finalizers: [] } });
    await eventually(
      "the namespace to be gone",
      async () => !await exists(client, types.NAMESPACE, SYSTEM),
    );
  });

  await t.step("a dry run writes nothing", async () => {
    const lines = await previewInstallation({
      ...{ client, installation: smallInstallation(), force: false, report: keptReport() },
    });
    assert.ok(lines.includes("+ Deployment mesh-system/meshd"), lines.join("\n"));
    assert.ok(lines.includes("+ Namespace mesh-system"));
    assert.deepEqual([...(await objectVersions(client)).keys()], [...before.keys()]);
  });

  await t.step("an interrupted installation is finished by the next one", async () => {
    const stop = new AbortController();
    const onLine = (line: string): void => {
      if (/waiting for Deployment/.test(line)) stop.abort();
    };
    const error = await failure(run({ client, signal: stop.signal, onLine }));
    assert.equal(error.code, "install-interrupted");
    assert.match(error.message, /interrupted: \d+ of \d+ objects were applied/);
    assert.equal(await exists(client, types.LEASE, "mesh-install"), false);
    assert.equal(await exists(client, types.DEPLOYMENT, "gateway"), false);
  });

  await t.step("a quota, and an image that cannot be pulled, are said at once", async () => {
    await faults(client);
  });

  await using node = actAsNode(client);
  await t.step("groups are installed one after another", async () => {
    const lines = await run({ client });
    const installed = lines.filter((line) => line.startsWith("installed"));
    assert.deepEqual(installed, [
      "installed Base",
      "installed Pilot",
      "installed IngressGateways",
    ]);
    assert.deepEqual(await faultsNow(client), []);
  });

  await t.step("a second installation writes nothing", async () => {
    const versions = await quiet(client);
    await run({ client });
    assert.deepEqual(await objectVersions(client), versions);
  });
  await t.step("fields of others are not taken back", () => keptFields(cluster, client));
  await t.step("a daemon may write between two requests", async () => {
    for (const isTried of [true, false]) await writtenBetween(client, isTried);
  });
  await t.step("fields of others are named, and taken over by force", () => conflicts(client));
  await t.step("a preview shows changed fields", async () => {
    const lines = await previewInstallation({
      ...{ client, installation: smallInstallation({ text: "three", withExtra: false }) },
      ...{ force: false, report: keptReport() },
    });
    assert.ok(lines.includes("    ~ data.text: two → three"), lines.join("\n"));
    assert.ok(lines.includes("- ConfigMap mesh-system/meshd-extra"), lines.join("\n"));
  });
  await t.step("two revisions, and what one no longer has", () => revisions(client));
  await t.step("the tag default keeps what it took", () => defaultTag(cluster, client));
  await t.step("a newer mesh is not replaced", () => versions(client));
  await t.step("two at once", () => locks(client));
  await t.step("faults are seen afterwards", () => verified(client));
  await t.step("a revision is removed alone", () => removeRevision(client));
  await t.step("a purge leaves what was there before", () => purge(client, before));
  void node;
}, { controllers: true, roles: "none" });

/** Installs until a line is said. */
async function untilSaid(client: OrchClient, pattern: RegExp): Promise<void> {
  const stop = new AbortController();
  const onLine = (line: string): void => {
    if (pattern.test(line)) stop.abort();
  };
  const error = await failure(run({ client, signal: stop.signal, onLine }));
  assert.equal(error.code, "install-interrupted", `${pattern}: ${error.message}`);
}

async function faults(client: OrchClient): Promise<void> {
  await deletePods(client);
  const quota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "none", namespace: SYSTEM },
    spec: { hard: { pods: "0" } },
  };
  const type = (await readKinds(client).typeOf(quota))!;
  await createObject(client, type, quota);
  await eventually("the quota to count", async () => {
    type Counted = OrchObject & { readonly status?: { readonly used?: unknown } };
    return (await getObject<Counted>(client, type, quota.metadata)).status?.used !== undefined;
  });
  await restart(client);
  await untilSaid(client, /^Deployment mesh-system\/meshd: .*exceeded quota: none/);
  await deleteObject(client, type, quota.metadata);
  const at = await restart(client);
  const pod = await eventually("a pod of this rollout", async () => {
    const pods = await listAll<OrchObject>(client, types.POD, { namespace: SYSTEM });
    return pods.find(({ metadata }) => metadata.annotations?.at === at);
  });
  const message = "failed to resolve registry.invalid/pilot:one: no such host";
  await createObject(client, types.EVENT, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "image", namespace: SYSTEM },
    ...{ type: "Warning", reason: "Failed", message },
    involvedObject: {
      kind: "Pod",
      namespace: SYSTEM,
      name: pod.metadata.name,
      uid: pod.metadata.uid,
    },
  } as OrchObject);
  const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
  const status = { name: "main", image: "", imageID: "", ready: false, restartCount: 0 };
  await mergePatch(client, types.POD, { ...pod.metadata, subresource: "status" }, {
    status: { containerStatuses: [{ ...status, state: { waiting } }] },
  });
  await untilSaid(client, new RegExp(`Pod ${pod.metadata.name}: the image .*: ${message}`));
}

/** Starts the rollout of the control plane anew; returns the annotation `at` of its pods. */
async function restart(client: OrchClient): Promise<string> {
  const at = crypto.randomUUID();
  await mergePatch(client, types.DEPLOYMENT, { namespace: SYSTEM, name: "meshd" }, {
    spec: { strategy: { type: "Recreate", rollingUpdate: null } },
  });
  await mergePatch(client, types.DEPLOYMENT, { namespace: SYSTEM, name: "meshd" }, {
    spec: { template: { metadata: { annotations: { at } } } },
  });
  return at;
}

async function deletePods(client: OrchClient): Promise<void> {
  for (const { metadata } of await listAll<ListItem>(client, types.POD, { namespace: SYSTEM })) {
    await deleteObject(client, types.POD, metadata);
  }
}

clusterTest("the commands ask, say what they do, and refuse wrong input", async (cluster) => {
  using client = await adminClient(cluster);
  const before = [...(await objectVersions(client)).keys()];
  const meshctl = async (...args: string[]) => {
    const all = [...args, "-c", cluster.files.kubeconfig];
    const [out, err, status] = await runInProcess(MESHCTL, all);
    return { out, err, status };
  };
  // Without nodes there can be no pods: definitions alone.
  const base = ["--set", "profile=minimal", "--set", "components.pilot.enabled=false"];
  const asked = await meshctl("install", ...base);
  assert.match(asked.err, /This will install the Mesh \S+ profile "minimal" into the cluster\. Pr/);
  assert.match(asked.err, /\(y\/N\) \nCancelled\.\n$/);
  assert.deepEqual([asked.out, asked.status], ["", 1]);
  assert.deepEqual([...(await objectVersions(client)).keys()], before);

  const wrong = await meshctl("install", "-y", "--set", "meshConfig.accesLogFile=/dev/stdout");
  assert.equal(wrong.status, 1);
  assert.match(wrong.err, /accesLogFile.*\n?.*Did you mean "accessLogFile"\?/);
  const many = await meshctl("install", "-y", "--set", "hubb=a", "--set", "profile=minimal");
  assert.match(many.err, /Did you mean "hub"\?/);
  const nothing = await meshctl("uninstall", "--purge", "--revision", "a");
  assert.deepEqual(nothing.status, 64);
  assert.equal((await meshctl("uninstall")).status, 64);
  const forced = await meshctl("uninstall", "--purge", "--force");
  assert.match(forced.err, /--force belongs to --filename/);

  const undefinedKind = await meshctl(
    ...["install", "-y", "--set=profile=minimal"],
    "--set=values.monitoring.serviceMonitor.enabled=true",
  );
  assert.equal(undefinedKind.status, 1);
  assert.match(
    undefinedKind.err,
    /does not have the kinds .*ServiceMonitor .*monitoring\.coreos\.com/,
  );
  assert.deepEqual([...(await objectVersions(client)).keys()], before);
  const daemonAlone = ["--set=profile=minimal", "--set=components.base.enabled=false"];
  const undefinedMesh = await meshctl("install", "--dry-run", ...daemonAlone);
  assert.match(
    undefinedMesh.err,
    /Warning: the cluster does not define (\d+) of \1 kinds of the mesh: /,
  );
  assert.match(undefinedMesh.err, /VirtualService.* set components\.base\.enabled=true/);

  const done = await meshctl("install", "-y", "--verify", "--verbose", ...base);
  assert.equal(done.status, 0, done.err);
  assert.match(done.out, /^✔ Mesh core installed\n✔ Installation complete\n✔ Verified \d+ objects/);
  assert.match(done.err, /Time line:\n {2}plan \d/);
  const again = await meshctl("upgrade", "--dry-run", ...base);
  assert.match(again.out, /^0 new, 0 changed, 0 removed, \d+ unchanged\n$/);
  const defined = await meshctl("install", "--dry-run", ...daemonAlone);
  assert.doesNotMatch(defined.err, /does not define/);
  const second = await meshctl("install", "--dry-run", "--revision", "canary", ...base);
  assert.match(second.out, /^0 new, 0 changed, 0 removed, \d+ unchanged\n$/);
  const refused = await meshctl("uninstall", "--purge");
  assert.match(refused.err, /All Mesh resources of all revisions will be removed.*Cancelled\.\n$/s);
  const removed = await meshctl("uninstall", "--purge", "-y");
  assert.equal(removed.status, 0, removed.err);
  assert.deepEqual([...(await objectVersions(client)).keys()], before);
}, { controllers: true, roles: "none" });

function namespace(name = SYSTEM): OrchObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function configMap(name: string, more: Record<string, unknown> = {}): OrchObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: SYSTEM, ...more } };
}

async function faultsNow(client: OrchClient, installation = smallInstallation()) {
  const results = await verify(client, installation);
  return results.flatMap(({ object, faults }) => faults.map((one) => `${object.kind}: ${one}`));
}

/** The versions of all objects, when none changes any more. */
async function quiet(client: OrchClient): Promise<Map<string, string>> {
  let last = "";
  return await eventually("objects that do not change", async () => {
    const versions = await objectVersions(client);
    const text = JSON.stringify([...versions]);
    const isSame = text === last;
    last = text;
    return isSame && versions;
  });
}

interface Scaled extends OrchObject {
  readonly spec: { readonly replicas: number };
}

interface Configuration extends OrchObject {
  readonly webhooks: readonly {
    readonly failurePolicy: string;
    readonly clientConfig: { readonly caBundle?: string };
  }[];
}

async function keptFields(cluster: Cluster, client: OrchClient): Promise<void> {
  const scale = ["scale", "-n", SYSTEM, "deployment", "meshd", "--replicas=3"];
  assert.ok((await cluster.run(scale)).success);
  await run({ client, installation: smallInstallation({ text: "two" }) });
  const place = { namespace: SYSTEM, name: "meshd" };
  const { spec } = await getObject<Scaled>(client, types.DEPLOYMENT, place);
  assert.equal(spec.replicas, 3);
  const { webhooks: [webhook] } = await getObject<Configuration>(client, types.MUTATING_WEBHOOKS, {
    name: "injector-meshd",
  });
  assert.ok(webhook?.clientConfig.caBundle);
  assert.equal(webhook.failurePolicy, "Fail");
  const map = await getObject<OrchObject & { data: unknown }>(client, types.CONFIG_MAP, place);
  assert.deepEqual(map.data, { text: "two" });
}

/**
 * Installs an injector that another makes, with a failure policy of its own, just before the trial of
 * its application or just before the application itself.
 */
async function writtenBetween(client: OrchClient, isTried: boolean): Promise<void> {
  const place = { name: "injector-meshd" };
  const installation = smallInstallation({ text: "two" });
  const injector = installation.components.flatMap(({ objects }) => objects).find((one) =>
    one.metadata.name === place.name
  ) as Configuration;
  const other: Configuration = {
    ...injector,
    webhooks: injector.webhooks.map((one) => ({ ...one, failurePolicy: "Fail" })),
  };
  await deleteObject(client, types.MUTATING_WEBHOOKS, place);
  let count = 0;
  const between = beforeRequests(client, async ({ method, path, query }) => {
    const isWrite = method === "PATCH" && path.endsWith(place.name);
    if (!isWrite || (query?.dryRun === "All") !== isTried || count++ > 0) return;
    await createObject(client, types.MUTATING_WEBHOOKS, other);
  });
  await run({ client: between, installation });
  const found = await getObject<Configuration>(client, types.MUTATING_WEBHOOKS, place);
  assert.deepEqual(found.webhooks.map((one) => one.failurePolicy), ["Fail"]);
  assert.equal(count, 2);
}

/** A client that waits for something before each request. */
function beforeRequests(
  client: OrchClient,
  wait: (request: OrchRequest) => Promise<void>,
): OrchClient {
  return {
    access: client.access,
    followed: client.followed,
    text: async (request) => (await wait(request), await client.text(request)),
    json: async (request) => (await wait(request), await client.json(request)),
    stream: async (request) => (await wait(request), await client.stream(request)),
    renew: () => client.renew(),
    [Symbol.dispose]: () => {},
  };
}

async function conflicts(client: OrchClient): Promise<void> {
  const other = { ...configMap("meshd"), data: { text: "of another" } };
  await applyObject(client, types.CONFIG_MAP, other, { manager: "another", force: true });
  const installation = smallInstallation({ text: "two" });
  const error = await failure(run({ client, installation }));
  assert.equal(error.code, "install-conflict");
  assert.match(error.message, /ConfigMap mesh-system\/meshd: \.data\.text belongs to "another"/);
  await run({ client, installation, force: true });
  assert.deepEqual(await faultsNow(client, installation), []);
}

async function revisions(client: OrchClient): Promise<void> {
  const canary = smallInstallation({ revision: "canary", text: "two" });
  const preview = await previewInstallation({
    ...{ client, installation: canary, force: false, report: keptReport() },
  });
  assert.ok(preview.includes("+ Deployment mesh-system/meshd-canary"), preview.join("\n"));
  assert.ok(!preview.some((line) => /CustomResourceDefinition/.test(line)), preview.join("\n"));
  await run({ client, installation: canary });
  const smaller = { text: "two", withExtra: false, withGateway: false };
  const told = await run({ client, installation: smallInstallation(smaller) });
  assert.ok(
    told.some((line) => /will be removed: Deployment mesh-system\/gateway\. /.test(line)),
    told.join("\n"),
  );
  assert.equal(await exists(client, types.CONFIG_MAP, "meshd-extra"), false);
  assert.equal(await exists(client, types.DEPLOYMENT, "gateway"), false);
  for (const name of ["meshd-canary", "meshd-canary-extra"]) {
    assert.ok(await exists(client, types.CONFIG_MAP, name), name);
  }
  assert.ok(await exists(client, types.DEPLOYMENT, "gateway-canary"));
}

interface Selecting extends OrchObject {
  readonly webhooks: readonly {
    readonly clientConfig: { readonly service: { readonly name: string } };
    readonly namespaceSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  }[];
}

/** A tag `default` of the revision `canary`, beside installations of the revision `default`. */
async function defaultTag(cluster: Cluster, client: OrchClient): Promise<void> {
  const tag = async (...args: string[]) => {
    const all = ["tag", ...args, "-y", "-c", cluster.files.kubeconfig];
    const [, err, status] = await runInProcess(MESHCTL, all);
    assert.equal(status, 0, err);
  };
  const small = (text: string) => smallInstallation({ text, withExtra: false, withGateway: false });
  /** The label that the injector of the revision selects, and the Service that validates. */
  const state = async () => {
    const injector = await getObject<Selecting>(client, types.MUTATING_WEBHOOKS, {
      name: "injector-meshd",
    });
    const validator = await getObject<Selecting>(client, types.VALIDATING_WEBHOOKS, {
      name: "meshd-default-validator",
    });
    return [
      Object.keys(injector.webhooks[0]!.namespaceSelector?.matchLabels ?? {}).join(),
      "mesh.io/deactivated" in (injector.metadata.labels ?? {}),
      validator.webhooks[0]!.clientConfig.service.name,
    ];
  };
  const OWN = ["mesh.io/rev", false, "meshd"];
  const OF_TAG = ["mesh.io/deactivated", true, "meshd-canary"];
  assert.deepEqual(await state(), OWN);
  await tag("set", "default", "--revision", "canary");
  assert.deepEqual(await state(), OF_TAG);
  const told = await run({ client, installation: small("tagged") });
  assert.deepEqual(await state(), OF_TAG);
  for (const what of ["injection", "validation"]) {
    const text = `${what} without a revision stays with the tag default, which points to revision`;
    assert.ok(told.some((line) => line.includes(`${text} canary`)), told.join("\n"));
  }
  assert.deepEqual(await faultsNow(client, small("tagged")), []);
  // Definitions are part of a canary, too.
  await run({ client, installation: smallInstallation({ revision: "canary", text: "two" }) });
  assert.deepEqual(await state(), OF_TAG);
  await tag("set", "default", "--revision", "default", "--overwrite");
  await run({ client, installation: small("moved") });
  assert.deepEqual(await state(), ["mesh.io/deactivated", true, "meshd"]);
  await tag("remove", "default");
  const after = await run({ client, installation: small("two") });
  assert.ok(!after.some((line) => line.includes("stays with the tag")), after.join("\n"));
  assert.deepEqual(await state(), OWN);
}

async function versions(client: OrchClient): Promise<void> {
  const older = smallInstallation({ version: "0.0.9", text: "two" });
  const error = await failure(run({ client, installation: older }));
  assert.equal(error.code, "install-version");
  assert.match(error.message, /revision default has version 0\.1\.0, which is newer than 0\.0\.9/);
  const far = smallInstallation({ version: "0.4.0", text: "two" });
  const report = keptReport();
  await previewInstallation({ client, installation: far, force: false, report });
  assert.match(report.lines.join("\n"), /upgrade in place to 0\.4\.0 skips versions/);
}

function lease(seconds: number): OrchObject {
  const renewTime = new Date().toISOString().replace("Z", "000Z");
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "mesh-install", namespace: SYSTEM },
    spec: {
      ...{ holderIdentity: "somebody/1", leaseDurationSeconds: seconds },
      ...{ renewTime, acquireTime: "2026-01-02T03:04:05.000000Z" },
    },
  } as OrchObject;
}

async function locks(client: OrchClient): Promise<void> {
  const installation = smallInstallation({ text: "three" });
  await createObject(client, types.LEASE, lease(60));
  const renew = (line: string): void => {
    if (!line.includes("looking whether")) return;
    const again = lease(60);
    void applyObject(client, types.LEASE, again, { manager: "test", force: true });
  };
  const error = await failure(run({ client, installation, onLine: renew }));
  assert.equal(error.code, "install-locked");
  assert.match(error.message, /by somebody holds the lock since 2026-01-02T03:04:05Z/);
  // Its holder has ended: nobody renews it.
  await applyObject(client, types.LEASE, lease(1), { manager: "test", force: true });
  const lines = await run({ client, installation });
  assert.match(lines.join("\n"), /looking whether it is at work/);
  assert.equal(await exists(client, types.LEASE, "mesh-install"), false);
}

async function verified(client: OrchClient): Promise<void> {
  const installation = smallInstallation({ text: "three" });
  await deleteObject(client, types.SERVICE, { namespace: SYSTEM, name: "meshd" });
  await mergePatch(client, types.CONFIG_MAP, { namespace: SYSTEM, name: "meshd" }, {
    data: { text: "other" },
  });
  const faults = await faultsNow(client, installation);
  assert.ok(faults.includes("Service: it does not exist"), faults.join("\n"));
  assert.ok(
    faults.some((one) => /ConfigMap: \.data\.text belongs to/.test(one)),
    faults.join("\n"),
  );
  await run({ client, installation, force: true });
  assert.deepEqual(await faultsNow(client, installation), []);
}

async function removeRevision(client: OrchClient): Promise<void> {
  const error = await failure(removeScope(client, { kind: "revision", revision: "canari" }));
  assert.match(error.remedy ?? "", /Did you mean canary\? There are: canary, default\./);
  const labels = { "mesh.io/rev": "canary" };
  const shop = { ...namespace("shop"), metadata: { name: "shop", labels } };
  await createObject(client, types.NAMESPACE, shop);
  const { dependents } = await removeScope(client, { kind: "revision", revision: "canary" });
  assert.deepEqual([...dependents.namespaces], [["revision canary", ["shop"]]]);
  assert.deepEqual(dependents.gateways, ["mesh-system/gateway-canary"]);
  const { found } = await installedObjects(client, readKinds(client));
  const left = found.map(({ object: { kind, metadata } }) => `${kind} ${metadata.name}`);
  assert.ok(left.includes("Deployment meshd"), left.join("\n"));
  assert.ok(left.includes("CustomResourceDefinition gateways.networking.mesh.io"));
  assert.ok(!left.some((name) => /^(?!Custom).*canary/.test(name)), left.join("\n"));
}

async function purge(client: OrchClient, before: ReadonlyMap<string, string>): Promise<void> {
  const sidecar = {
    apiVersion: "networking.mesh.io/v1",
    kind: "Sidecar",
    metadata: { name: "own", namespace: "shop" },
    spec: { egress: [{ hosts: ["./*"] }] },
  };
  const type = await readKinds(client).typeOf(sidecar);
  await createObject(client, type!, sidecar);
  const roots = { ...configMap("mesh-ca-root-cert", { labels: { "mesh.io/config": "true" } }) };
  await createObject(client, types.CONFIG_MAP, {
    ...roots,
    metadata: { ...roots.metadata, namespace: "shop" },
  });
  const refused = await removeScope(client, { kind: "purge" }, false);
  assert.deepEqual([...refused.dependents.resources], [["sidecars.networking.mesh.io", 1]]);
  assert.ok(await exists(client, types.DEPLOYMENT, "meshd"));
  const { namespaces } = await removeScope(client, { kind: "purge" });
  assert.deepEqual(namespaces, [SYSTEM]);
  await deleteObject(client, types.NAMESPACE, { name: "shop" });
  await eventually("the objects of before", async () => {
    const left = [...(await objectVersions(client)).keys()].filter((name) => !before.has(name));
    if (left.length > 0) throw new Error(left.join("\n"));
    return true;
  });
}
