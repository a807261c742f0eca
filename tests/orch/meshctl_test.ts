/**
 * Commands of `meshctl` over a real API server, with a real daemon and a real Envoy. Streams to pods
 * go through a stand-in for the kubelet.
 */
import assert from "node:assert/strict";
import { deleteObject, mergePatch, types } from "../../lib/kit/orch/mod.ts";
import { TLS_MODE_LABEL } from "../../lib/mesh/model/mod.ts";
import { eventually } from "../../scripts/harness/mod.ts";
import { clusterTest } from "../support/cluster.ts";
import {
  create,
  createPod,
  type Ran,
  removePod,
  startMeshctlCluster,
} from "../support/meshctl_cluster.ts";

import { pluginStateIsSaid } from "./plugin/state.ts";

const ROUTES = {
  group: "networking.mesh.io",
  version: "v1",
  kind: "VirtualService",
  plural: "virtualservices",
  namespaced: true,
};

const POLICIES = {
  group: "security.mesh.io",
  version: "v1",
  kind: "AuthorizationPolicy",
  plural: "authorizationpolicies",
  namespaced: true,
};

/** The host of the Service. */
const HOST = "web.shop.svc.cluster.local";

/** A config dump with a root. */
function rootDump(root: string): unknown {
  const pem = `-----BEGIN CERTIFICATE-----\n${root}\n-----END CERTIFICATE-----\n`;
  const context = { trusted_ca: { inline_bytes: btoa(pem) } };
  return {
    configs: [{
      "@type": "type.googleapis.com/envoy.admin.v3.SecretsConfigDump",
      dynamic_active_secrets: [{
        name: "ROOTCA",
        secret: { name: "ROOTCA", validation_context: context },
      }],
    }],
  };
}

/** Lines of a table without its heading, cells split at blanks. */
function cells({ out, err, status }: Ran): string[][] {
  assert.deepEqual([status, err], [0, ""]);
  return out.trimEnd().split("\n").slice(1).map((line) => line.split(/ {2,}/));
}

clusterTest("meshctl over the API server", async (cluster, t) => {
  await using mesh = await startMeshctlCluster(cluster, async (client) => {
    await create(client, types.SERVICE, { name: "web", namespace: "shop" }, {
      spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    });
    const labels = { "kubernetes.io/service-name": "web" };
    await create(client, types.ENDPOINT_SLICE, { name: "web-a", namespace: "shop", labels }, {
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: [{
        addresses: ["10.0.0.9"],
        conditions: { ready: true },
        targetRef: { kind: "Pod", namespace: "shop", name: "web-1" },
      }],
    });
    await create(client, ROUTES, { name: "web", namespace: "shop" }, {
      spec: {
        hosts: ["web.shop.svc.cluster.local"],
        http: [{ route: [{ destination: { host: "web" } }] }],
      },
    });
  });
  const { run } = mesh;
  await eventually("the proxy to be in sync", async () => {
    const [row] = await mesh.daemon.debug<Record<string, string>[]>("syncz");
    const states = await mesh.daemon.debug<{ state: string }[]>("proxy_states");
    return row?.cluster_status === "SYNCED" && row.route_status === "SYNCED" &&
      states.some(({ state }) => state === "ready");
  }, 120_000);

  await t.step("proxy-status finds the daemon, over its pages and over xDS", async () => {
    const xds = ["--plaintext", "--xds-port", "15010"];
    for (const args of [[], xds, ["--xds-label", "app=meshd"]]) {
      const [[name, , cds, , , , , daemon] = []] = cells(await run("proxy-status", ...args));
      assert.deepEqual([name, daemon], ["web-1.shop", "meshd-1"]);
      assert.match(cds ?? "", /^SYNCED \(\d+[smh]\)$/);
    }
    const none = await run("ps", "--revision", "gone");
    assert.deepEqual([none.out, none.status], ["", 1]);
    assert.match(
      none.err,
      /no pod of the daemon \(app=meshd,mesh\.io\/rev=gone\) runs in namespace/,
    );
  });

  await t.step("over TLS, with a token and the roots of the cluster", async () => {
    for (const args of [["--authority", "localhost"], ["--insecure"]]) {
      const [[name, , , , , , , daemon] = []] = cells(await run("proxy-status", ...args));
      assert.deepEqual([name, daemon], ["web-1.shop", "meshd-1"]);
    }
    assert.ok(mesh.api.asked.some((path) => path.endsWith("/serviceaccounts/default/token")));
    const wrong = await run("ps", "--authority", "other.test");
    assert.deepEqual([wrong.out, wrong.status], ["", 1]);
  });

  await t.step("a server that hangs ends in time", async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const file = `${mesh.dir}/hanging`;
    const text = await Deno.readTextFile(mesh.config);
    await Deno.writeTextFile(
      file,
      text.replace(mesh.api.url, `http://127.0.0.1:${silent.addr.port}`),
    );
    const late = await run("ps", "-c", file, "--timeout", "300ms");
    assert.match(late.err, /^Error: GET .*: no answer within 300 ms.*\nCheck that the API server/);
    assert.equal(late.status, 1);
    for (const args of [["x", "injector", "list"], ["analyze"], ["diff", "-f", "/dev/null"]]) {
      const limited = await run(...args, "-c", file, "--orchclient-timeout", "200ms");
      assert.match(limited.err, /no answer within 200 ms/, args.join(" "));
      assert.equal(limited.status, 1);
    }
    const version = await run("version", "-c", file);
    assert.match(version.out, /^client version: /);
    assert.match(version.err, /^control plane: not asked: GET .*: no answer within 5000 ms/);
    assert.equal(version.status, 0);
  });

  await t.step("proxy-status compares a proxy's own dump", async () => {
    const { out, err, status } = await run("ps", "web-1.shop");
    assert.deepEqual([out, status], ["Clusters Match\nListeners Match\nRoutes Match\n", 0], err);
  });

  await t.step(
    "proxy-config reads the pod's proxy, with the VirtualService of routes",
    async () => {
      const found = cells(await run("pc", "route", "web-1", "--name", "80"));
      assert.ok(found.some((row) => row.at(-1) === "web.shop"), JSON.stringify(found));
      assert.match(
        (await run("pc", "bootstrap", "web-1.shop", "-o", "short")).out,
        /Dataproxy Version/,
      );
      assert.match((await run("pc", "endpoint", "web-1.shop")).out, /^ENDPOINT/);
      assert.match(
        (await run("pc", "log", "web-1", "--level", "rbac:debug")).out,
        /^web-1\.shop:\n[^]*rbac: debug/,
      );
      assert.match((await run("x", "ds", "web-1", "-o", "prom")).out, /envoy_server_live/);
      assert.match((await run("x", "ds", "-l", "app=web")).out, /server\.live: 1/);
    },
  );

  await t.step(
    "pods that do not exist have near names; ports that are closed a reason",
    async () => {
      const near = await run("pc", "cluster", "web-2");
      assert.match(near.err, /^Error: there is no pod web-2 in shop\nDid you mean web-1\?/);
      const closed = await run("pc", "cluster", "plain-1");
      assert.match(closed.err, /cannot reach port 15000 of pod plain-1\.shop: .*refused/);
      const type = await run("pc", "cluster", "deploymnt/web");
      assert.deepEqual([type.status, /Did you mean deployment/.test(type.err)], [64, true]);
      const service = await run("pc", "cluster", "svc/wbe");
      assert.match(service.err, /^Error: there is no service wbe in shop\nDid you mean web\?/);
      const elsewhere = await run("x", "check-inject", "-n", "nowhere", "-l", "app=web");
      assert.match(elsewhere.err, /^Error: there is no namespace nowhere\nCheck --namespace/);
      assert.equal(near.status, 1);
    },
  );

  await t.step("rootca-compare takes the names of pods", async () => {
    const other = await run("pc", "rootca-compare", "web-2", "web-1");
    assert.match(other.err, /^Error: there is no pod web-2 in shop\nDid you mean web-1\?/);
    const none = await run("pc", "rootca-compare", "web-1", "web-1");
    assert.match(none.err, /^Error: web-1\.shop has no secret ROOTCA\nThe proxy has no cert/);
    const pods = ["AAAA", "AAAA", "BBBB"].map((root, at) => ({
      pod: { ...{ namespace: "shop", name: `root-${at}`, ip: 20 + at }, labels: { app: "root" } },
      // Stands for the admin interface of an Envoy with certificates.
      admin: Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => Response.json(rootDump(root)),
      ),
    }));
    for (const { pod, admin } of pods) {
      await createPod(mesh.client, { ...pod, containers: ["mesh-proxy"] });
      mesh.ports[`shop/${pod.name}:15000`] = admin.addr.port;
    }
    const same = await run("pc", "rootca-compare", "root-0", "root-1.shop");
    assert.match(
      same.out,
      /^Both \[root-0\] and \[root-1\.shop\] have the identical ROOTCA/,
      same.err,
    );
    const differ = await run("pc", "rootca-compare", "root-0", "root-2");
    assert.match(differ.err, /^Error: .*\[root-2\] have the non identical ROOTCA/);
    assert.deepEqual([same.status, differ.status], [0, 1]);
    for (const { pod, admin } of pods) {
      await removePod(mesh.client, pod);
      await admin.shutdown();
    }
  });

  await t.step("version, internal-debug and admin log ask the daemon's pods", async () => {
    const version = await run("version");
    assert.match(
      version.out,
      /^client version: .*\ncontrol plane version: .*\ndata plane version: .*1 proxy/,
    );
    assert.match((await run("x", "internal-debug", "syncz", "--all")).out, /web-1\.shop/);
    assert.match((await run("admin", "log")).out, /^SCOPE/);
    assert.match((await run("admin", "log", "meshd-1", "--level", "ads:debug")).out, /ads .*debug/);
    for (const [name, ip] of [["meshd-2", 11], ["meshd-3", 12]] as const) {
      await createPod(mesh.client, {
        namespace: "mesh-system",
        name,
        ip,
        labels: { app: "meshd" },
        containers: ["discovery"],
      });
    }
    // A second pod of the same daemon, and one whose program is away.
    for (const port of [9876, 15014]) {
      mesh.ports[`mesh-system/meshd-2:${port}`] = mesh.ports[`mesh-system/meshd-1:${port}`]!;
    }
    const several = await run("admin", "log", "--level", "ads:info");
    assert.match(
      several.out,
      /^meshd-1\.mesh-system:\n[^]*ads .*info[^]*\nmeshd-2\.mesh-system:\n/,
    );
    assert.match(several.err, /^Warning: meshd-3\.mesh-system: cannot reach port 9876/);
    assert.equal(several.status, 0);
    for (const args of [["ps"], ["remote-clusters"], ["version"], ["history"]]) {
      const ran = await run(...args);
      const warning = /^Warning: meshd-3 does not answer: [^\n]*\n$/;
      assert.deepEqual([ran.status, ran.out === ""], [0, false], ran.err);
      if (args[0] !== "history") assert.match(ran.err, warning, args.join(" "));
    }
    for (const name of ["meshd-2", "meshd-3"]) {
      await removePod(mesh.client, { namespace: "mesh-system", name });
    }
  });

  await t.step("wait takes the generation of the object from the API", async () => {
    const timeout = {
      spec: { http: [{ timeout: "7s", route: [{ destination: { host: "web" } }] }] },
    };
    await mergePatch(mesh.client, ROUTES, { namespace: "shop", name: "web" }, timeout);
    const landed = await run("x", "wait", "vs", "web.shop", "--timeout", "60s");
    assert.match(
      landed.out,
      /^VirtualService\/shop\/web: generation 2 is acknowledged/,
      landed.err,
    );
    const wrong = await run("x", "wait", "VirtualServic", "web");
    assert.deepEqual([wrong.status, /Did you mean VirtualService/.test(wrong.err)], [64, true]);
  });

  await t.step("analyze reads the cluster, and files over it", async () => {
    const clean = await run("analyze", "--failure-threshold", "Error");
    assert.deepEqual([clean.status, /MSH0101/.test(clean.out)], [0, false], clean.out + clean.err);
    const file = `${mesh.dir}/change.yaml`;
    await Deno.writeTextFile(
      file,
      "apiVersion: networking.mesh.io/v1\nkind: VirtualService\nmetadata: {name: web, namespace: shop}\n" +
        "spec: {hosts: [web.shop.svc.cluster.local], http: [{route: [{destination: {host: gone}}]}]}\n",
    );
    const changed = await run("analyze", file);
    assert.match(changed.out, /Error \[MSH0101\] \(VirtualService shop\/web /);
    assert.equal(changed.status, 79);
    const other = await run("analyze", "-n", "mesh-system", file);
    assert.equal(other.status, 0, other.out);
    const far = `${mesh.dir}/far.yaml`;
    await Deno.writeTextFile(
      far,
      "apiVersion: networking.mesh.io/v1\nkind: VirtualService\nmetadata: {name: far, namespace: far}\n" +
        "spec: {hosts: [far.test], http: [{route: [{destination: {host: gone}}]}]}\n",
    );
    const ofFile = await run("analyze", far);
    assert.match(ofFile.out, /Error \[MSH0101\] \(VirtualService far\/far /);
    assert.equal((await run("analyze", "-n", "shop", far)).status, 0);
    const suppressed = await run("analyze", "-S", "MSH0101=VirtualService *", file);
    assert.equal(suppressed.status, 0, suppressed.out);
  });

  await t.step("analyze leaves out other revisions, and codes that objects suppress", async () => {
    const routes = (host: string) => ({
      spec: { hosts: ["canary.test"], http: [{ route: [{ destination: { host } }] }] },
    });
    const metadata = { namespace: "shop", labels: { "mesh.io/rev": "canary" } };
    await create(mesh.client, ROUTES, { ...metadata, name: "canary" }, routes("gone"));
    const named = (name: string): RegExp =>
      new RegExp(`\\[MSH0101\\] \\(VirtualService shop/${name}\\b`);
    const own = await run("analyze");
    assert.deepEqual([own.status, named("canary").test(own.out)], [0, false], own.out + own.err);
    const canary = await run("analyze", "--revision", "canary");
    assert.match(canary.out, named("canary"));
    assert.equal(canary.status, 79);
    const id = { namespace: "shop", name: "canary" };
    for (const [codes, status] of [["MSH0102, MSH0101", 0], ["*", 0], ["MSH0102", 79]] as const) {
      await mergePatch(mesh.client, ROUTES, id, {
        metadata: { annotations: { "galley.mesh.io/analyze-suppress": codes } },
      });
      const ran = await run("analyze", "--revision", "canary");
      assert.deepEqual([ran.status, named("canary").test(ran.out)], [status, status === 79], codes);
    }
    await deleteObject(mesh.client, ROUTES, id);
  });

  await t.step("check-inject and injector list judge with the cluster's injectors", async () => {
    const selector = {
      matchExpressions: [{ key: "mesh-injection", operator: "In", values: ["enabled"] }],
    };
    await create(mesh.client, types.MUTATING_WEBHOOKS, { name: "mesh-sidecar-injector" }, {
      webhooks: [{
        name: "namespace.sidecar-injector.mesh.io",
        clientConfig: { service: { name: "meshd", namespace: "mesh-system", path: "/inject" } },
        namespaceSelector: selector,
        failurePolicy: "Ignore",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        rules: [{
          apiGroups: [""],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["pods"],
        }],
      }],
    });
    const [before = []] = cells(await run("x", "check-inject", "web-1.shop"));
    assert.deepEqual(before.slice(0, 3), ["mesh-sidecar-injector", "default", "✘"]);
    await mergePatch(mesh.client, types.NAMESPACE, { name: "shop" }, {
      metadata: { labels: { "mesh-injection": "enabled" } },
    });
    const [after = []] = cells(await run("x", "check-inject", "-n", "shop", "-l", "app=web"));
    assert.deepEqual(after.slice(2), ["✔", "Namespace label mesh-injection=enabled matches"]);
    const list = await run("x", "injector", "list");
    assert.match(
      list.out,
      /^NAMESPACE .*\nshop +default +unknown: 1\n\nNAMESPACES .*\nshop +mesh-sidecar-injector +default +\S+/,
    );
    assert.equal((await run("x", "check-inject")).status, 64);
  });

  await t.step("orch-inject reads the configuration of a revision's injector", async () => {
    const file = await Deno.makeTempFile({ suffix: ".yaml" });
    const pod = { containers: [{ name: "till", image: "till:1" }] };
    const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "till" }, spec: pod };
    await Deno.writeTextFile(file, JSON.stringify(object));
    const inject = () => run("orch-inject", "-f", file, "--revision=canary");
    const without = await inject();
    assert.equal(without.status, 1);
    assert.match(without.err, /there is no ConfigMap mesh-sidecar-injector-canary in mesh-system/);
    const namespace = "mesh-system";
    const values = JSON.stringify({ global: { hub: "own.example" } });
    const injector = { namespace, name: "mesh-sidecar-injector-canary" };
    await create(mesh.client, types.CONFIG_MAP, injector, {
      data: { config: "policy: disabled", values },
    });
    await create(mesh.client, types.CONFIG_MAP, { namespace, name: "mesh-canary" }, {
      data: { mesh: "defaultConfig: {concurrency: 7}" },
    });
    const early = await inject();
    assert.match(
      early.err,
      /^Warning: there is no configuration mesh-sidecar-injector-canary of mu/,
    );
    const explicit = await run(
      ...["orch-inject", "-f", file, "--revision=canary", "--webhookConfig=own"],
    );
    assert.match(explicit.err, /^Error: there is no configuration own-canary of mutating webhooks/);
    await create(mesh.client, types.MUTATING_WEBHOOKS, { name: "mesh-sidecar-injector-canary" }, {
      webhooks: [{
        name: "rev.namespace.sidecar-injector.mesh.io",
        ...{ admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Ignore" },
        clientConfig: { url: "https://localhost:1/inject/cluster/b--slash--c/net/n1" },
      }],
    });
    const { out, err, status } = await inject();
    await deleteObject(mesh.client, types.MUTATING_WEBHOOKS, {
      name: "mesh-sidecar-injector-canary",
    });
    assert.deepEqual([err, status], ["", 0]);
    assert.match(out, /name: MESH_META_CLUSTER_ID\n +value: b\/c\n/);
    assert.match(out, /name: MESH_META_NETWORK\n +value: n1\n/);
    assert.match(out, /image: own\.example\/proxyv2:latest/);
    assert.match(out, /"concurrency":7/);
    await Deno.remove(file);
  });

  await t.step("remote-clusters and precheck", async () => {
    assert.match(
      (await run("remote-clusters")).out,
      /^NAME.*\nOrchestrator .*synced +meshd-1 +default/,
    );
    const fine = await run("x", "precheck", "--output-threshold", "Info");
    assert.deepEqual(
      [fine.out, fine.status],
      ["Info A control plane runs already: meshd-1\n", 0],
      fine.err,
    );
    const safe = await run("x", "precheck", "--skip-controlplane");
    assert.match(safe.out, /^No issues found when checking the cluster/);
    assert.match(safe.out, /\nmeshctl install installs it\.\n/);
    assert.doesNotMatch(safe.out, /safe to install/);
    const upgrade = await run("x", "precheck", "--from-version", "0.0.1");
    assert.match(upgrade.out, /^No issues found when checking the cluster/m);
    assert.match(upgrade.err, /^Note: no default differs between 0\.0\.1 and \d/);
    assert.equal(upgrade.status, 0, upgrade.err);
    assert.equal((await run("x", "precheck", "-f", "1.x")).status, 64);
    const proxies = await run("x", "precheck", "--proxies", "--output-threshold", "Info");
    assert.match(proxies.out, /^Info \d+ of [1-9]\d* proxies would be served something else$/m);
    const newer = await run("x", "precheck", "--from-version", "99.0");
    assert.match(newer.out, /^Warning Version 99\.0 is newer than this meshctl/m);
    assert.equal(newer.status, 0);
    const admin = { namespace: "shop", name: "web-admin" };
    await create(mesh.client, types.SERVICE, admin, {
      spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 9000 }] },
    });
    const local = await run("x", "precheck");
    assert.match(local.out, /^Error \[MSH0143\] \(Pod shop\/web-1\) Port 9000 is exposed by /m);
    assert.equal(local.status, 1);
    await deleteObject(mesh.client, types.SERVICE, admin);
    const denied = await run("x", "precheck", "--as", "jane");
    assert.match(denied.out, /^Error \[MSH0141\] Permission to create namespaces is missing/m);
    assert.equal(denied.status, 1);
  });

  await t.step("the network plugin: precheck and analyze", () => pluginStateIsSaid(mesh));

  await t.step("describe a pod and a service", async () => {
    const pod = await run("x", "describe", "pod", "web-1.shop");
    assert.match(
      pod.out,
      /^Pod: web-1\.shop\n[^]*Service: web\.shop\n {3}Port: http 80\/HTTP targets pod port 8080\nVirtualService: web\.shop\n {3}1 HTTP route/,
    );
    assert.match(pod.out, /Workload mTLS mode: PERMISSIVE/);
    assert.match(pod.out, /^Proxy: web-1\.shop, served by meshd-1\n {3}CDS SYNCED .*RDS SYNCED/m);
    assert.match(pod.out, /^ {3}\d+ listeners, \d+ routes, \d+ clusters$/m);
    // The proxy has no certificates, so that it cannot do what the objects ask for.
    assert.match(pod.out, /^Inbound mTLS of the proxy:\n {3}Other ports: mTLS DISABLE$/m);
    assert.match(
      pod.out,
      /^Routes of the proxy to web\.shop\.svc.*:\n {3}80 \/\*: VirtualService web\.shop$/m,
    );
    await create(mesh.client, POLICIES, { name: "readers", namespace: "shop" }, {
      spec: { rules: [{ to: [{ operation: { methods: ["GET"] } }] }] },
    });
    await eventually("the proxy to be served the policy", async () => {
      const { out } = await run("x", "describe", "pod", "web-1.shop");
      return /^ {3}ALLOW readers\.shop \(rules: 1\)$/m.test(out);
    }, 60_000);
    await deleteObject(mesh.client, POLICIES, { namespace: "shop", name: "readers" });
    const alone = await run("x", "describe", "pod", "web-1.shop", "--revision", "gone");
    await create(mesh.client, POLICIES, { name: "root", namespace: "mesh-system" }, {
      spec: { selector: { matchLabels: { app: "web" } }, action: "DENY", rules: [{}] },
    });
    await create(mesh.client, POLICIES, { name: "edge", namespace: "shop" }, {
      spec: {
        targetRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" }],
      },
    });
    const ruled = await run("x", "describe", "pod", "web-1.shop");
    assert.match(ruled.out, /^Authorization policies:\n {3}DENY root\.mesh-system\n(?! )/m);
    await deleteObject(mesh.client, POLICIES, { namespace: "mesh-system", name: "root" });
    await deleteObject(mesh.client, POLICIES, { namespace: "shop", name: "edge" });
    assert.match(alone.out, /^WARNING: the daemon was not asked: no pod of the daemon .*gone/m);
    const service = await run("x", "describe", "svc", "web");
    assert.match(
      service.out,
      /^Service: web\.shop\n[^]*^Proxy: web-1\.shop, served by meshd-1\n[^]*Pods with a proxy: web-1\.shop\n$/m,
    );
    const plain = await run("x", "describe", "pod", "plain-1");
    assert.match(plain.out, /WARNING: plain-1\.shop is not part of the mesh/);
    assert.equal((await run("x", "describe", "svc", "gone")).status, 1);
  });

  await t.step("dashboard keeps a port until it is interrupted", async () => {
    const stop = new AbortController();
    const seen = Promise.withResolvers<string>();
    const args = ["dashboard", "meshd-debug", "meshd-1", "--browser=false"];
    const running = mesh.runUntil(stop.signal, args, (out) => {
      if (out.includes("skipping")) seen.resolve(out);
    });
    const url = /^http:\/\/localhost:\d+\/debug$/m.exec(await seen.promise)?.[0] ?? "";
    const page = await fetch(url);
    assert.equal(page.status, 200);
    await page.body?.cancel();
    stop.abort();
    assert.equal((await running).status, 0);
    await assert.rejects(fetch(url));
    const wrong: [args: string[], err: RegExp, status: number][] = [
      [["controlz"], /specify a pod or --selector/, 64],
      [["proxy", "web-1", "-l", "app=web"], /name cannot be provided when a selector is/, 64],
      [["grafana"], /no Grafana pods found in mesh-system/, 1],
      [["proxy", "web-1", "--address", "192.0.2.1", "--browser=false"], /cannot listen on 192/, 1],
    ];
    for (const [args, err, status] of wrong) {
      const ran = await run("dashboard", ...args);
      assert.deepEqual([err.test(ran.err), ran.status], [true, status], ran.err);
    }
  });

  await t.step("metrics looks for a Prometheus in the namespace of the mesh", async () => {
    const none = await run("x", "metrics", "web.shop");
    assert.match(none.err, /no pod has the labels app\.kubernetes\.io\/name=prometheus in mesh-/);
    assert.equal(none.status, 1);
  });

  await t.step("bug-report collects the mesh without secrets", async () => {
    await create(mesh.client, types.SECRET, { name: "key", namespace: "shop" }, {
      stringData: { password: "not-to-be-seen" },
    });
    const dir = `${mesh.dir}/report`;
    const dry = await run("bug-report", "--dry-run", "--output-dir", dir);
    assert.match(dry.out, /^Pods of the report: meshd-1\.mesh-system, web-1\.shop\n/);
    await assert.rejects(Deno.stat(dir));
    const before = mesh.api.asked.length;
    const made = await run("bug-report", "--output-dir", dir);
    assert.match(made.out, /Done\.\n$/, made.err);
    const asked = mesh.api.asked.slice(before);
    // What is asked of the proxy starts no program in its pod.
    assert.equal(asked.filter((path) => path.includes("command=pilot-agent")).length, 0);
    assert.deepEqual([...Deno.readDirSync(dir)].map(({ name }) => name), ["bug-report.tar.gz"]);
    const tar = new Deno.Command("tar", { args: ["-xzf", "bug-report.tar.gz"], cwd: dir });
    assert.equal((await tar.output()).success, true);
    const read = (name: string): string => Deno.readTextFileSync(`${dir}/${name}`);
    assert.match(read("meshd/mesh-system/meshd-1/syncz"), /web-1\.shop/);
    assert.match(read("proxies/shop/web-1/config_dump"), /ClustersConfigDump/);
    assert.match(read("proxies/shop/web-1/mesh-proxy.log"), /started\nBearer \[redacted\]/);
    assert.match(read("proxies/shop/web-1/memory"), /"allocated"/);
    assert.match(read("proxies/shop/web-1/iptables"), /-A PREROUTING -j MESH_INBOUND/);
    assert.match(read("proxies/shop/web-1/netstat"), /^# netstat .* is not there\n# ss .*\n/);
    assert.match(read("cluster/secrets.yaml"), /password: .*redacted, 20 characters/);
    assert.match(read("cluster/virtualservices.yaml"), /web\.shop\.svc/);
    assert.match(read("analyze/messages.json"), /"messages"/);
    assert.equal(read("faults.txt"), "");
    const secrets =
      "not-to-be-seen|PRIVATE KEY|eyJ[A-Za-z0-9_-]{5,}\\.|LS0tLS1CRUdJTiBQUklWQVRFIEtFWS";
    const whole = await new Deno.Command("grep", { args: ["-rcE", secrets, dir] }).output();
    const found = new TextDecoder().decode(whole.stdout).split("\n")
      .filter((line) => line !== "" && !line.endsWith(":0"));
    assert.deepEqual(found, []);
    const wrong = await run(
      "bug-report",
      "--duration",
      "1h",
      "--start-time",
      "2026-01-01T00:00:00Z",
    );
    assert.equal(wrong.status, 64);
  });

  await t.step("bug-report runs a command where a proxy's port cannot be reached", async () => {
    const port = mesh.ports["shop/web-1:15000"];
    delete mesh.ports["shop/web-1:15000"];
    try {
      const dir = await Deno.makeTempDir({ dir: mesh.dir });
      assert.equal((await run("bug-report", "--output-dir", dir, "--include", "shop")).status, 0);
      const tar = new Deno.Command("tar", { args: ["-xzf", "bug-report.tar.gz"], cwd: dir });
      assert.equal((await tar.output()).success, true);
      const read = (name: string): string => Deno.readTextFileSync(`${dir}/${name}`);
      assert.match(read("proxies/shop/web-1/memory"), /"allocated"/);
      assert.equal(read("faults.txt"), "");
    } finally {
      mesh.ports["shop/web-1:15000"] = port!;
    }
  });

  await t.step("the options of bug-report act", async () => {
    const report = async (...args: string[]) => {
      const dir = await Deno.makeTempDir({ dir: mesh.dir });
      const ran = await run("bug-report", "--output-dir", dir, ...args);
      const tar = (args: string[]) => new Deno.Command("tar", { args, cwd: dir }).output();
      const listed = await tar(["-xvzf", "bug-report.tar.gz"]);
      const files = new TextDecoder().decode(listed.stdout).split("\n");
      const read = (name: string): string => Deno.readTextFileSync(`${dir}/${name}`);
      return { ...ran, dir, files, read };
    };
    const nowhere = await report("--mesh-namespace", "nowhere");
    assert.match(
      nowhere.read("faults.txt"),
      /^daemon: no pod in namespace nowhere has the label app=meshd: its logs and state are missing/,
    );
    assert.match(nowhere.err, /Warning: \d+ parts could not be collected; faults\.txt lists them/);
    const log = "proxies/shop/web-1/mesh-proxy.log";
    const daemonLog = "meshd/mesh-system/meshd-1/discovery.log";
    const shop = await report("--include", "shop//web-*", "--end-time", "2026-01-01T00:30:00Z");
    assert.match(shop.read(log), /started\nBearer .*\n$/);
    assert.equal(shop.files.some((name) => name.startsWith("meshd/")), true);
    const late = ["--start-time", "2026-01-01T00:30:00Z", "--end-time", "2026-01-01T01:30:00Z"];
    const middle = await report(...late, "--exclude", "mesh-system");
    assert.match(middle.read(log), /^2026-01-01T01:00:00\.0+Z\terror\tharmless\n$/);
    assert.equal(middle.files.some((name) => name.startsWith("meshd/")), false);
    const last = ["--duration", "90m", "--end-time", "2026-01-01T02:00:00Z"];
    assert.match((await report(...last)).read(log), /^2026-01-01T01[^]*ended\n$/);

    const order = ({ files }: { readonly files: readonly string[] }) =>
      files.indexOf(log) < files.indexOf(daemonLog) ? "proxy" : "daemon";
    const critical = await report("--critical-errs", "*ended*", "--full-secrets");
    assert.equal(order(critical), "proxy");
    assert.ok(critical.read("cluster/secrets.yaml").includes(btoa("not-to-be-seen")));
    const settings = `${mesh.dir}/settings.yaml`;
    await Deno.writeTextFile(settings, 'ignore-errs: ["*harmless*"]\nrq-concurrency: 1\n');
    assert.equal(order(await report("-f", settings)), "daemon");
    const none = await report("--timeout", "1ms");
    assert.match(none.read("faults.txt"), /not everything was collected within 0\.001 seconds/);
    assert.equal(none.status, 0);

    const temp = await Deno.makeTempDir({ dir: mesh.dir });
    assert.equal((await report("--dir", temp)).status, 0);
    assert.deepEqual([...Deno.readDirSync(temp)], []);
    const wrong = await report("--dir", `${temp}/none`);
    assert.match(
      wrong.err,
      /^(?:Warning.*\n)?Error: cannot write .*\nCheck the directory of --output-dir/,
    );
    assert.deepEqual([wrong.status, [...Deno.readDirSync(wrong.dir)]], [1, []]);
    const gone = await report("--context", "gone");
    assert.deepEqual([gone.status, /no context "gone"/.test(gone.err)], [1, true]);
  });

  await t.step(
    "the debug taps of agents answer proxy-status, and silent ones are named",
    async () => {
      await createPod(mesh.client, {
        namespace: "shop",
        name: "silent-1",
        ip: 10,
        labels: { app: "silent" },
        containers: ["mesh-proxy"],
      });
      const { out, err, status } = await run("x", "ps", "--xds-via-agents");
      const [, row = "", ...others] = out.trimEnd().split("\n");
      const [name, , cds, , , , , agent] = row.split(/ {2,}/);
      assert.deepEqual([name, agent, others], ["web-1.shop", "agent of web-1.shop", []]);
      assert.match(cds ?? "", /^SYNCED/);
      assert.match(err, /^Warning: silent-1\.shop: cannot reach port 15004 [^\n]*refused\n$/);
      assert.equal(status, 0);
      const one = await run("x", "ps", "--xds-via-agents", "--xds-via-agents-limit", "1");
      assert.match(one.err, /^Note: 1 of 2 agents are asked/);
      await removePod(mesh.client, { namespace: "shop", name: "silent-1" });
    },
  );

  await t.step("explain, history and test ask the daemon of the cluster", async () => {
    const request = ["explain", "request", "--from", "web-1.shop", "--to", HOST];
    const { out, err, status } = await run(...request);
    assert.match(out, /VirtualService\/shop\/web/, err);
    assert.match(out, /^ALLOWED to web\.shop\.svc\.cluster\.local:80/m);
    assert.equal(status, 0);
    const unknown = await run("explain", "request", "--from", "web-2.shop", "--to", HOST);
    assert.deepEqual([unknown.status, /web-1\.shop/.test(unknown.err)], [2, true], unknown.err);
    const cluster = "outbound|80||web.shop.svc.cluster.local";
    const resource = await run("explain", "resource", "web-1.shop", "cds", cluster);
    assert.match(resource.out, /^Cluster outbound\|80\|\|web\.shop[^]*Service\/shop\/web/);
    const all = await run("explain", "proxy", "web-1.shop");
    assert.ok(all.out.includes(resource.out.trimEnd()), all.out + all.err);
    assert.match(all.out, /^Listener virtualInbound/m);

    const history = await run("history", "--limit", "50");
    assert.match(history.out, /^REVISION .*\n[^]*VirtualService shop\/web/);
    const revisions = history.out.trimEnd().split("\n").slice(1).map((line) => line.split(" ")[0]!);
    const [until = "", since = ""] = [revisions[0], revisions.at(-1)];
    const turns = await run("history", ...request.slice(2));
    assert.match(turns.out, /^revision \d+, .*: ALLOWED to web\.shop/m, turns.err);
    const compared = await run(
      ...["history", "--proxy", "web-1.shop", "--since", since, "--until", until],
    );
    assert.deepEqual([compared.status, compared.out === ""], [0, false], compared.err);

    const file = `${mesh.dir}/tests.yaml`;
    const test = "from: web-1.shop, to: http://web.shop.svc.cluster.local/";
    await Deno.writeTextFile(
      file,
      `tests:\n- {name: good, ${test}, expect: allowed}\n- {name: bad, ${test}, expect: denied}\n` +
        `- {name: gone, from: web-2.shop, to: http://a/, expect: denied}\n`,
    );
    const tested = await run("test", "-f", file);
    assert.match(tested.out, /^ok {3}good\nFAIL bad\n {5}denied expected[^]*\nFAIL gone\n.*web-2/);
    assert.equal(tested.status, 1);
  });

  await t.step("diff and rehearse read the objects of the cluster", async () => {
    const same = await run("rehearse", "--fail");
    assert.deepEqual(
      [same.out, same.status],
      ["0 of 1 proxies would be served something else\n", 0],
      same.err,
    );
    const file = `${mesh.dir}/deny.yaml`;
    await Deno.writeTextFile(
      file,
      "apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\n" +
        "metadata: {name: none, namespace: shop}\nspec: {}\n",
    );
    // The other pods have no label of injection, and so no sidecar.
    const injected = { namespace: "shop", name: "web-3" };
    await createPod(mesh.client, {
      ...injected,
      ip: 12,
      labels: { app: "web", [TLS_MODE_LABEL]: "mesh" },
      containers: ["web", "mesh-proxy"],
    });
    const slice = { namespace: "shop", name: "web-b" };
    const labels = { "kubernetes.io/service-name": "web" };
    await create(mesh.client, types.ENDPOINT_SLICE, { ...slice, labels }, {
      addressType: "IPv4",
      ports: [{ name: "http", port: 8080, protocol: "TCP" }],
      endpoints: [{
        addresses: ["10.0.0.12"],
        conditions: { ready: true },
        targetRef: { kind: "Pod", ...injected },
      }],
    });
    const denied = await run("diff", "-f", file, "--fail-on", "denied");
    assert.match(denied.out, /^newly denied: web-3\.shop http:\/\/web\.shop\.svc/m, denied.err);
    assert.equal(denied.status, 79);
    await deleteObject(mesh.client, types.ENDPOINT_SLICE, slice);
    await removePod(mesh.client, injected);
    const removed = await run("diff", "--remove", "VirtualService/shop/web");
    assert.match(removed.out, /VirtualService\/shop\/web removed/, removed.err);
    const jane = await run("diff", "-f", file, "--as", "jane");
    assert.deepEqual([jane.out, jane.status], ["", 1]);
    assert.match(jane.err, /^Error: .*cannot (list|get) resource/);
  });

  await t.step("rehearse reads the networks of the cluster", async () => {
    const map = { namespace: "mesh-system", name: "mesh" };
    const endpoint = "10.0.0.9:8080";
    const served = async () => (await run("pc", "endpoint", "web-1.shop")).out.includes(endpoint);
    assert.equal(await served(), true);
    const edge = { namespace: "shop", name: "edge" };
    await create(mesh.client, types.SERVICE, edge, {
      spec: { type: "LoadBalancer", ports: [{ name: "tls", port: 15443 }] },
    });
    await mergePatch(mesh.client, types.SERVICE, { ...edge, subresource: "status" }, {
      status: { loadBalancer: { ingress: [{ hostname: "balancer.invalid" }] } },
    });
    const gateways = [
      { address: "192.0.2.1" },
      { address: "edge.invalid" },
      { registryServiceName: "edge.shop.svc.cluster.local" },
    ];
    const far = {
      endpoints: [{ fromCidr: "10.0.0.0/24" }],
      gateways: gateways.map((one) => ({ ...one, port: 15443 })),
    };
    await create(mesh.client, types.CONFIG_MAP, map, {
      data: { meshNetworks: JSON.stringify({ networks: { far } }) },
    });
    await eventually("the endpoint to be behind a gateway", async () => !await served());
    let same: Ran;
    await eventually("no difference", async () => {
      same = await run("rehearse");
      return same.out === "0 of 1 proxies would be served something else\n";
    });
    assert.match(same!.err, /^Warning: the gateway edge\.invalid of network far is left out/m);
    assert.match(same!.err, /^Warning: the gateway balancer\.invalid of Service edge\.shop\.svc/m);
    await mergePatch(mesh.client, types.CONFIG_MAP, map, { data: { meshNetworks: "{}" } });
    await eventually("the endpoint", served);
    await deleteObject(mesh.client, types.SERVICE, edge);
  });

  await t.step("identities that may not do something are told so, by name", async () => {
    const denied = await run("pc", "cluster", "web-1", "--as", "jane", "--as-group", "devs");
    assert.equal(denied.status, 1);
    assert.match(denied.err, /403: .*User "jane" cannot get resource "pods"/);
  });

  await t.step("contexts that do not exist and servers that are away", async () => {
    const unknown = await run("ps", "--context", "gone");
    assert.match(unknown.err, /no context "gone"\nName a context; there are: test, away/);
    const away = await run("ps", "--context", "away");
    assert.match(away.err, /^Error: GET .*: .*refused/i);
    assert.deepEqual([unknown.status, away.status], [1, 1]);
  });

  await t.step(
    "completion knows namespaces and pods, and is silent without the cluster",
    async () => {
      assert.equal(
        (await run("__completeNoDesc", "-c", mesh.config, "-n", "sh")).out,
        "shop\n:none\n",
      );
      const pods = await run("__completeNoDesc", "pc", "route", "-c", mesh.config, "web");
      assert.equal(pods.out, "web-1.shop\n:none\n");
      const away = [
        "__completeNoDesc",
        "pc",
        "route",
        "-c",
        mesh.config,
        "--context",
        "away",
        "web",
      ];
      assert.deepEqual(await run(...away), { out: ":none\n", err: "", status: 0 });
    },
  );
});
