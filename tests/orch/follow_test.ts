/**
 * Following resource types of a real API server through its failures: afterwards the followed objects
 * equal the server's.
 */
import assert from "node:assert/strict";
import {
  type Access,
  type Changes,
  createClient,
  createObject,
  deleteObject,
  follow,
  type Following,
  type FollowTiming,
  listAll,
  type ListItem,
  mergePatch,
  type OrchClient,
  trimmed,
  types,
} from "../../lib/kit/orch/mod.ts";
import { type Cluster, eventually } from "../../scripts/harness/mod.ts";
import { adminAccess, adminClient, clusterTest } from "../support/cluster.ts";
import { startRelay } from "../support/relay.ts";

const TIMING: Partial<FollowTiming> = {
  idleMs: 1_500,
  requestMs: 1_500,
  firstPauseMs: 20,
  longestPauseMs: 200,
  absentMs: 100,
};
/** A check follows the other soon. */
const CHECKED: Partial<FollowTiming> = { ...TIMING, checkMs: 200, settleMs: 1_000 };

/** The followed objects, and those that a consumer of the changes has. */
interface Followed extends AsyncDisposable {
  readonly following: Following<ListItem>;
  readonly consumer: ReadonlyMap<string, ListItem>;
  /** The fewest objects that the consumer had after the first list. */
  readonly fewest: () => number;
}

function followMaps(client: OrchClient, timing = TIMING): Followed {
  const consumer = new Map<string, ListItem>();
  let fewest = Infinity;
  const changed = ({ upserts, deletes }: Changes<ListItem>): void => {
    for (const one of upserts) consumer.set(keyOf(one), one);
    for (const { namespace, name } of deletes) consumer.delete(`${namespace} ${name}`);
    fewest = Math.min(fewest, consumer.size);
  };
  const convert = (object: ListItem): ListItem => object;
  const following = follow({ client, type: types.CONFIG_MAP, convert, changed, timing });
  return {
    following,
    consumer,
    fewest: () => fewest,
    [Symbol.asyncDispose]: () => following.close(),
  };
}

function keyOf({ metadata: { namespace = "", name } }: ListItem): string {
  return `${namespace} ${name}`;
}

/** Waits until consumer and server agree; fails with the difference. */
async function agree(client: OrchClient, { consumer }: Followed): Promise<void> {
  let server: Map<string, ListItem> = new Map();
  const equal = async (): Promise<boolean> => {
    const all = await listAll<ListItem>(client, types.CONFIG_MAP);
    server = new Map(all.map((one) => [keyOf(one), trimmed(one)]));
    return server.size === consumer.size &&
      [...server].every(([key, one]) => JSON.stringify(one) === JSON.stringify(consumer.get(key)));
  };
  await eventually("followed objects that equal the server's", equal).catch((cause) => {
    const wrong = [...server].filter(([key, one]) =>
      JSON.stringify(one) !== JSON.stringify(consumer.get(key))
    );
    const extra = [...consumer.keys()].filter((key) => !server.has(key));
    throw new Error(`wrong: ${wrong.map(([key]) => key)}; extra: ${extra}`, { cause });
  });
}

async function create(client: OrchClient, name: string, data = "0"): Promise<void> {
  const metadata = { name, namespace: "default" };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { data } };
  await createObject(client, types.CONFIG_MAP, object);
}

/** Creates, changes and deletes objects until it is stopped; failed writes are repeated or left. */
function churn(client: OrchClient, seed: number): { stop(): Promise<number> } {
  let stopped = false;
  let writes = 0;
  const run = async (): Promise<void> => {
    for (let i = 0; !stopped; i++) {
      const name = `churn-${seed}-${i % 17}`;
      const named = { namespace: "default", name };
      const write = i % 5 === 4
        ? deleteObject(client, types.CONFIG_MAP, named)
        : mergePatch(client, types.CONFIG_MAP, named, { data: { data: `${i}` } })
          .catch(() => create(client, name, `${i}`));
      await write.then(() => writes++, () => new Promise((resume) => setTimeout(resume, 20)));
    }
  };
  const done = run();
  return {
    stop: async () => {
      stopped = true;
      await done;
      return writes;
    },
  };
}

/** Follows ConfigMaps that are written while the server is ended by `kill -9`. */
async function surviveKills(cluster: Cluster, access: Access): Promise<void> {
  using client = createClient(access, { rate: { qps: 0, burst: 0 } });
  for (let i = 0; i < 30; i++) await create(client, `fixed-${i}`);
  await using followed = followMaps(client);
  await followed.following.synced;
  assert.ok(followed.consumer.size >= 30);
  const churns = [1, 2].map((seed) => churn(client, seed));
  for (let round = 0; round < 2; round++) {
    const { events } = followed.following.state();
    const more = () => followed.following.state().events > events + 50;
    await eventually("events of the churn", more);
    await cluster.apiServer.stop("SIGKILL");
    await eventually("a fault", () => followed.following.state().fault !== undefined);
    cluster.apiServer.start();
    await cluster.ready();
  }
  const writes = (await Promise.all(churns.map((one) => one.stop()))).reduce((a, b) => a + b);
  assert.ok(writes > 100, `${writes} writes`);
  await agree(client, followed);
  await eventually("no fault", () => followed.following.state().fault === undefined);
  assert.ok(followed.fewest() >= 30, `never empty in between: ${followed.fewest()}`);
}

clusterTest(
  "followed objects survive kill -9 of the server during churn",
  async (cluster) => await surviveKills(cluster, await adminAccess(cluster)),
);

clusterTest(
  "followed objects survive kill -9 over connections of the client library",
  async (cluster) => {
    const tlsServerName = "kubernetes.default.svc";
    const special = { tlsServerName, insecureSkipVerify: false };
    await surviveKills(cluster, { ...await adminAccess(cluster), special });
  },
);

/**
 * An HTTP proxy to the API server that leaves events of one object out of watches, with the access of a
 * client.
 */
async function startLosing(cluster: Cluster, name: string) {
  const access = await adminAccess(cluster, undefined, cluster.files.tokenKubeconfig);
  const upstream = Deno.createHttpClient({ caCerts: [(await access.tls()).ca] });
  const forward = async (request: Request): Promise<Response> => {
    const { pathname, search, searchParams } = new URL(request.url);
    const { method, headers, signal } = request;
    const answer = await fetch(`${access.server}${pathname}${search}`, {
      client: upstream,
      method,
      headers,
      signal,
    });
    const { body, status } = answer;
    if (!searchParams.has("watch") || body === null) return new Response(body, { status });
    return new Response(body.pipeThrough(withoutLines(`"name":"${name}"`)), { status });
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, forward);
  return {
    access: { ...access, server: `http://127.0.0.1:${server.addr.port}` },
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      upstream.close();
    },
  };
}

function withoutLines(part: string): TransformStream<Uint8Array, Uint8Array> {
  let rest = "";
  const decoder = new TextDecoder();
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      const kept = lines.filter((line) => !line.includes(part)).map((line) => `${line}\n`);
      if (kept.length > 0) controller.enqueue(new TextEncoder().encode(kept.join("")));
    },
  });
}

/** An event that is lost on the way is found by a check. */
async function losesEvents(cluster: Cluster, direct: OrchClient, t: Deno.TestContext) {
  for (const name of ["lost", "other"]) await create(direct, name);
  await using proxy = await startLosing(cluster, "lost");
  using client = createClient(proxy.access);
  await using followed = followMaps(client, CHECKED);
  const { following, consumer } = followed;
  await following.synced;
  const dataOf = (name: string) => (consumer.get(`default ${name}`) as Data | undefined)?.data.data;

  await t.step("without a difference nothing is listed again", async () => {
    await eventually("two checks", () => following.state().checks >= 2);
    const { lists, lost, differentSince } = following.state();
    assert.deepEqual({ lists, lost, differentSince }, {
      lists: 1,
      lost: 0,
      differentSince: undefined,
    });
  });

  await t.step("a changed object", async () => {
    const before = Date.now();
    for (const name of ["lost", "other"]) {
      const named = { namespace: "default", name };
      await mergePatch(direct, types.CONFIG_MAP, named, { data: { data: "1" } });
    }
    await eventually("the other object", () => dataOf("other") === "1");
    let since: number | undefined;
    await eventually("the lost object", () => {
      since ??= following.state().differentSince;
      return dataOf("lost") === "1";
    });
    assert.ok(since !== undefined && since >= before, `the difference is dated ${since}`);
    const { lost, lists } = following.state();
    assert.ok(lost >= 1 && lists >= 2, `${lost} lost, ${lists} lists`);
    assert.equal(following.state().differentSince, undefined);
  });

  await t.step("a deleted object", async () => {
    await deleteObject(direct, types.CONFIG_MAP, { namespace: "default", name: "lost" });
    await eventually("no object", () => dataOf("lost") === undefined);
    assert.ok(following.state().lost >= 2);
    await agree(direct, followed);
  });
}

type Data = ListItem & { readonly data: { readonly data: string } };

clusterTest("followed objects survive what happens to connections", async (cluster, t) => {
  await using relay = startRelay(Number(new URL(cluster.server).port));
  const server = `https://127.0.0.1:${relay.port}`;
  using direct = await adminClient(cluster);
  using client = await adminClient(cluster, server);
  for (let i = 0; i < 5; i++) await create(direct, `fixed-${i}`);
  await using followed = followMaps(client);
  await followed.following.synced;
  const { following } = followed;

  await t.step("events that are lost on the way", (t) => losesEvents(cluster, direct, t));

  await t.step("a silent watch is given up and resumed, without a list", async () => {
    const { lists, watches } = following.state();
    await cluster.apiServer.suspend();
    await eventually("a fault", () => following.state().fault !== undefined);
    cluster.apiServer.resume();
    await create(direct, "after-stop");
    await agree(direct, followed);
    assert.ok(following.state().watches > watches);
    assert.equal(following.state().lists, lists);
  });

  await t.step("broken connections: the objects are listed again", async () => {
    const { lists } = following.state();
    relay.drop();
    await create(direct, "after-drop");
    await agree(direct, followed);
    assert.ok(following.state().lists > lists);
  });

  await t.step("a version that is gone (410) leads to a list", async () => {
    relay.stall(true);
    await eventually("a fault", () => following.state().fault !== undefined);
    // A restarted server does not know versions from before its start.
    await cluster.apiServer.stop("SIGKILL");
    cluster.apiServer.start();
    await cluster.ready();
    for (let i = 0; i < 50; i++) await create(direct, `during-stall-${i}`);
    await deleteObject(direct, types.CONFIG_MAP, { namespace: "default", name: "fixed-0" });
    relay.stall(false);
    await agree(direct, followed);
    assert.equal(following.get({ namespace: "default", name: "fixed-0" }), undefined);
  });

  await t.step(
    "an expired token: the last objects stay, and are right with a new one",
    async () => {
      let token = cluster.files.adminToken;
      const access = {
        ...await adminAccess(cluster, server, cluster.files.tokenKubeconfig),
        token: { current: () => Promise.resolve(token), refused: () => {} },
      };
      using own = createClient(access);
      await using second = followMaps(own);
      await second.following.synced;
      const before = second.consumer.size;
      token = "expired";
      relay.drop();
      await eventually("a refusal", () => /401/.test(second.following.state().fault ?? ""));
      await create(direct, "while-expired");
      assert.equal(second.consumer.size, before);
      token = cluster.files.adminToken;
      await agree(direct, second);
    },
  );
});

clusterTest("a server whose data was restored from a backup is listed again", async (cluster) => {
  using client = await adminClient(cluster);
  for (let i = 0; i < 10; i++) await create(client, `kept-${i}`);
  const backup = await Deno.makeTempDir({ prefix: "mesh-backup-" });
  try {
    await stopAll(cluster);
    await copyDir(cluster.dataDir, backup);
    await startAll(cluster);
    await using followed = followMaps(client);
    await followed.following.synced;
    for (let i = 0; i < 20; i++) await create(client, `lost-${i}`);
    await deleteObject(client, types.CONFIG_MAP, { namespace: "default", name: "kept-0" });
    await agree(client, followed);
    await stopAll(cluster);
    await Deno.remove(cluster.dataDir, { recursive: true });
    await copyDir(backup, cluster.dataDir);
    await startAll(cluster);
    // Versions of the time before are given to other contents.
    for (let i = 0; i < 15; i++) await create(client, `lost-${i}`, "other");
    await agree(client, followed);
    assert.equal(followed.consumer.has("default kept-0"), true);
    assert.equal(followed.consumer.has("default lost-19"), false);
  } finally {
    await Deno.remove(backup, { recursive: true });
  }
});

async function stopAll(cluster: Cluster): Promise<void> {
  await cluster.apiServer.stop("SIGKILL");
  await cluster.etcd.stop("SIGTERM");
}

async function startAll(cluster: Cluster): Promise<void> {
  cluster.etcd.start();
  cluster.apiServer.start();
  await cluster.ready();
}

async function copyDir(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-r", `${from}/.`, to] }).output();
  assert.ok(success, `copy of ${from}`);
}

clusterTest("a type that the server does not have is empty, until it has it", async (cluster) => {
  using client = await adminClient(cluster);
  const type = {
    group: "test.mesh.io",
    version: "v1",
    kind: "Late",
    plural: "lates",
    namespaced: true,
  };
  const names: string[] = [];
  const following = follow({
    client,
    type,
    optional: true,
    convert: ({ metadata }) => metadata.name,
    changed: ({ upserts, deletes }) => {
      names.push(...upserts);
      for (const { name } of deletes) names.splice(names.indexOf(name), 1);
    },
    timing: TIMING,
  });
  await following.synced;
  assert.equal(following.state().absent, true);
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "lates.test.mesh.io" },
    spec: {
      group: "test.mesh.io",
      scope: "Namespaced",
      names: { kind: "Late", plural: "lates" },
      versions: [{
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object" } },
      }],
    },
  };
  await createObject(client, types.CUSTOM_RESOURCE_DEFINITION, definition);
  const metadata = { name: "one", namespace: "default" };
  const object = { apiVersion: "test.mesh.io/v1", kind: "Late", metadata };
  await eventually(
    "an object of the new type",
    () => createObject(client, type, object).then(() => true, () => false),
  );
  await eventually("the object", () => names.length === 1);
  assert.equal(following.state().absent, false);
  const name = { name: "lates.test.mesh.io" };
  await deleteObject(client, types.CUSTOM_RESOURCE_DEFINITION, name);
  await eventually("no object after the type was deleted", () => names.length === 0);
  await following.close();
});
