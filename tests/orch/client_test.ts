/**
 * The client of the orchestrator's API against a real API server.
 */
import assert from "node:assert/strict";
import {
  applyObject,
  createClient,
  createLease,
  createObject,
  deleteObject,
  getObject,
  isConflict,
  isNotFound,
  isUnreachable,
  listAll,
  mergePatch,
  OrchError,
  type OrchObject,
  requestCertificate,
  requestToken,
  reviewAccess,
  reviewToken,
  types,
} from "../../lib/kit/orch/mod.ts";
import { createCsr, generateKey, readCertificates } from "../../lib/kit/pki/mod.ts";
import { adminAccess, adminClient, clusterTest } from "../support/cluster.ts";

interface ConfigMap extends OrchObject {
  readonly data?: Readonly<Record<string, string>>;
}

function configMap(name: string, data: Readonly<Record<string, string>> = {}): ConfigMap {
  const metadata = { name, namespace: "default" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

clusterTest(
  "objects, leases, reviews and certificates of a real API server",
  async (cluster, t) => {
    using client = await adminClient(cluster);

    await t.step("objects are created, read, changed, listed by pages and deleted", async () => {
      for (let i = 0; i < 7; i++) await createObject(client, types.CONFIG_MAP, configMap(`m${i}`));
      const again = createObject(client, types.CONFIG_MAP, configMap("m0"));
      await assert.rejects(again, isConflict);
      const name = { namespace: "default", name: "m1" };
      await mergePatch(client, types.CONFIG_MAP, name, { data: { a: "1" } });
      assert.deepEqual((await getObject<ConfigMap>(client, types.CONFIG_MAP, name)).data, {
        a: "1",
      });
      const all = await listAll<ConfigMap>(client, types.CONFIG_MAP, { namespace: "default" });
      assert.deepEqual(all.filter(({ metadata }) => /^m\d$/.test(metadata.name)).length, 7);
      await deleteObject(client, types.CONFIG_MAP, name);
      await assert.rejects(getObject(client, types.CONFIG_MAP, name), isNotFound);
    });

    await t.step("server-side apply owns fields: another manager needs force", async () => {
      const one = configMap("applied", { a: "1" });
      await applyObject(client, types.CONFIG_MAP, one, { manager: "first" });
      const two = configMap("applied", { a: "2" });
      await assert.rejects(
        applyObject(client, types.CONFIG_MAP, two, { manager: "second" }),
        isConflict,
      );
      await applyObject(client, types.CONFIG_MAP, two, {
        manager: "second",
        dryRun: true,
        force: true,
      });
      const dry = await getObject<ConfigMap>(client, types.CONFIG_MAP, one.metadata);
      assert.deepEqual(dry.data, { a: "1" });
      await applyObject(client, types.CONFIG_MAP, two, { manager: "second", force: true });
      const forced = await getObject<ConfigMap>(client, types.CONFIG_MAP, one.metadata);
      assert.deepEqual(forced.data, { a: "2" });
    });

    await t.step("an unknown field is refused", async () => {
      const wrong = { ...configMap("wrong"), spec: {} } as ConfigMap;
      const applied = applyObject(client, types.CONFIG_MAP, wrong, { manager: "first" });
      await assert.rejects(applied, (error) => {
        assert.ok(error instanceof OrchError && error.status >= 400, String(error));
        assert.match(error.message, /spec/);
        return true;
      });
    });

    await t.step("a token works as well, and an impersonated user has its own rights", async () => {
      const access = await adminAccess(cluster, undefined, cluster.files.tokenKubeconfig);
      using token = createClient(access);
      assert.ok((await listAll(token, types.NAMESPACE)).length > 0);
      using nobody = createClient({ ...access, impersonate: { user: "joe", groups: [], uid: "" } });
      await assert.rejects(listAll(nobody, types.NAMESPACE), (error) => {
        assert.ok(error instanceof OrchError && error.status === 403, String(error));
        assert.match(error.message, /joe/);
        return true;
      });
    });

    await t.step("a wrong token is refused, once it was asked for again", async () => {
      let asked = 0;
      let refused = 0;
      const current = () => Promise.resolve(["wrong", cluster.files.adminToken][asked++] ?? "none");
      const access = {
        ...await adminAccess(cluster, undefined, cluster.files.tokenKubeconfig),
        token: { current, refused: () => void refused++ },
      };
      using client = createClient(access);
      assert.ok((await listAll(client, types.NAMESPACE)).length > 0);
      assert.deepEqual([asked, refused], [2, 1]);
      await assert.rejects(
        listAll(client, types.NAMESPACE),
        (error) => error instanceof OrchError && error.status === 401,
      );
    });

    await t.step(
      "a lease has one holder, until it stops to renew it or gives it back",
      async () => {
        let now = 0;
        const lease = { namespace: "default", name: "lock" };
        const lock = (holder: string) =>
          createLease({ client, lease, holder, durationMs: 15_000, now: () => now });
        const [a, b] = [lock("a"), lock("b")];
        assert.deepEqual(await a.attempt(), { held: true, holder: "a", preempted: false });
        assert.deepEqual(await b.attempt(), { held: false, holder: "a", preempted: false });
        now += 10_000;
        assert.equal((await a.attempt()).held, true);
        now += 10_000;
        assert.equal((await b.attempt()).held, false, "it was renewed");
        now += 16_000;
        assert.deepEqual(await b.attempt(), { held: true, holder: "b", preempted: false });
        assert.deepEqual(await a.attempt(), { held: false, holder: "b", preempted: false });
        await b.release();
        assert.equal((await a.attempt()).held, true);
        const [c, d] = await Promise.all([lock("a"), lock("a")].map((one) => one.attempt()));
        assert.ok(c!.held || d!.held, "one of two writers at once has it");
      },
    );

    await t.step("a clock that jumps makes two leaders for a moment, and one remains", async () => {
      const clocks = { a: 0, b: 0 };
      const lease = { namespace: "default", name: "jumps" };
      const lock = (holder: "a" | "b") =>
        createLease({ client, lease, holder, durationMs: 15_000, now: () => clocks[holder] });
      const [a, b] = [lock("a"), lock("b")];
      assert.equal((await a.attempt()).held, true);
      assert.equal((await b.attempt()).held, false);
      clocks.b += 3_600_000;
      assert.equal((await b.attempt()).held, true, "forward: it takes the lease too early");
      assert.deepEqual(
        await a.attempt(),
        { held: false, holder: "b", preempted: false },
        "the other one steps down",
      );
      clocks.a -= 3_600_000;
      assert.deepEqual(await a.attempt(), { held: false, holder: "b", preempted: false });
      clocks.a += 16_000;
      assert.equal((await a.attempt()).held, true, "back: a dead holder does not last longer");
      const both = await Promise.all([a.attempt(), b.attempt()]);
      assert.deepEqual(both.map(({ held }) => held), [true, false]);
    });

    await t.step("a service account's token is reviewed with its audience", async () => {
      const account = { namespace: "default", name: "default" };
      const { token } = await requestToken(client, account, ["mesh-ca"], 3600);
      const review = await reviewToken(client, token, ["mesh-ca", "other"]);
      assert.ok(review.authenticated);
      assert.equal(review.user.username, "system:serviceaccount:default:default");
      assert.deepEqual(review.audiences, ["mesh-ca"]);
      assert.equal((await reviewToken(client, token, ["other"])).authenticated, false);
      assert.equal((await reviewToken(client, "nonsense", [])).authenticated, false);
    });

    await t.step("access is reviewed", async () => {
      const resource = { verb: "get", resource: "pods", namespace: "default" };
      const of = (user: string, groups: string[] = []) =>
        reviewAccess(client, { user, groups, resource });
      assert.equal((await of("joe")).allowed, false);
      assert.equal((await of("jane", ["system:masters"])).allowed, true);
    });

    await t.step("a certificate is signed by the cluster's signer", async () => {
      const key = await generateKey({ type: "ecdsa", curve: "P256" });
      const request = {
        csr: await createCsr(key, []),
        signer: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
        approve: true,
        timeoutMs: 60_000,
      };
      const [leaf] = readCertificates(await requestCertificate(client, request), "the answer");
      assert.ok(leaf !== undefined);
      const silent = { ...request, approve: false, timeoutMs: 500 };
      await assert.rejects(requestCertificate(client, silent), { code: "orch-signing-timeout" });
    });

    await t.step("a server that is not there is unreachable, a stuck one is given up", async () => {
      using nowhere = await adminClient(cluster, "https://127.0.0.1:1");
      await assert.rejects(listAll(nowhere, types.NAMESPACE), isUnreachable);
      await cluster.apiServer.suspend();
      try {
        const path = "/api/v1/namespaces";
        await assert.rejects(client.json({ path, timeoutMs: 500 }), { code: "orch-timeout" });
      } finally {
        cluster.apiServer.resume();
      }
      assert.ok((await listAll(client, types.NAMESPACE)).length > 0, "by new connections");
    });
  },
  { controllers: true },
);
