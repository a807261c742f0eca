/**
 * The admission webhooks of a daemon, called by a real API server.
 */
import assert from "node:assert/strict";
import {
  createObject,
  deleteObject,
  getObject,
  mergePatch,
  type OrchClient,
  type OrchObject,
  types,
} from "../../lib/kit/orch/mod.ts";
import { applyDefinitions } from "../../scripts/crds.ts";
import {
  type Cluster,
  type Daemon,
  eventually,
  freePorts,
  startDaemon,
} from "../../scripts/harness/mod.ts";
import { type Certificate, makeAuthority } from "../support/certificates.ts";
import { adminClient, clusterTest } from "../support/cluster.ts";
import { MUTATING, VALIDATING } from "../support/webhook_types.ts";

interface Configuration extends OrchObject {
  readonly webhooks: readonly {
    readonly failurePolicy: string;
    readonly clientConfig: { readonly caBundle?: string };
  }[];
}

const INJECTOR = { name: "mesh-sidecar-injector" };
const OTHER = { name: "mesh-sidecar-injector-canary" };
const VALIDATOR = { name: "mesh-validator-mesh-system" };

/** The webhook configurations, as an installation makes them, but with URLs. */
function configurations(port: number): OrchObject[] {
  const url = (path: string) => `https://localhost:${port}${path}`;
  const labels = { "mesh.io/rev": "default" };
  const common = { admissionReviewVersions: ["v1"], sideEffects: "None" };
  const mutating = (name: string, rev: string) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name, labels: { "mesh.io/rev": rev } },
    webhooks: [{
      ...common,
      name: "namespace.sidecar-injector.mesh.io",
      clientConfig: { url: url("/inject/cluster/o--slash--ne/net/n1") },
      failurePolicy: "Fail",
      namespaceSelector: { matchLabels: { "mesh-injection": rev === "default" ? "enabled" : rev } },
      rules: [{
        operations: ["CREATE"],
        apiGroups: [""],
        apiVersions: ["v1"],
        resources: ["pods"],
      }],
    }],
  });
  return [
    mutating(INJECTOR.name, "default"),
    mutating(OTHER.name, "canary"),
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { ...VALIDATOR, labels },
      webhooks: [{
        ...common,
        name: "rev.validation.mesh.io",
        clientConfig: { url: url("/validate") },
        failurePolicy: "Ignore",
        rules: [{
          operations: ["CREATE", "UPDATE"],
          apiGroups: ["networking.mesh.io", "security.mesh.io"],
          apiVersions: ["*"],
          resources: ["*"],
        }],
      }],
    } as OrchObject,
  ];
}

const pod = (name: string, labels: Record<string, string> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: "web", ...labels } },
  spec: {
    serviceAccountName: "default",
    containers: [{
      name: "web",
      image: "web:1",
      readinessProbe: { httpGet: { path: "/ok", port: 8080 } },
    }],
  },
});

function applied(cluster: Cluster, object: unknown) {
  return cluster.run(["apply", "-f", "-"], JSON.stringify(object));
}

async function bundleOf(
  client: OrchClient,
  type: typeof MUTATING,
  name: { name: string },
): Promise<string | undefined> {
  const { webhooks } = await getObject<Configuration>(client, type, name);
  return webhooks[0]?.clientConfig.caBundle;
}

interface StoredContainer {
  readonly name: string;
  readonly securityContext?: { readonly runAsUser?: number };
  readonly image?: string;
  readonly readinessProbe?: { readonly httpGet?: { readonly port: number } };
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

interface StoredPod extends OrchObject {
  readonly spec: {
    readonly containers: readonly StoredContainer[];
    readonly initContainers?: readonly StoredContainer[];
  };
}

async function namesOf(client: OrchClient, name: string): Promise<string> {
  const { spec } = await getObject<StoredPod>(client, types.POD, { namespace: "shop", name });
  return spec.containers.map((one) => one.name).join();
}

clusterTest("the API server calls the webhooks of a daemon", async (cluster, t) => {
  using client = await adminClient(cluster);
  await applyDefinitions(client);
  await createObject(client, types.NAMESPACE, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "shop", labels: { "mesh-injection": "enabled" } },
  });
  const [secured, port] = freePorts(2) as [number, number];
  const [injector, other, validator] = configurations(port);
  await createObject(client, MUTATING, injector!);
  await createObject(client, MUTATING, other!);
  await createObject(client, VALIDATING, validator!);
  const dir = await Deno.makeTempDir({ prefix: "mesh-webhooks-" });
  const files = { cert: `${dir}/cert.pem`, key: `${dir}/key.pem`, ca: `${dir}/ca.pem` };
  await writeCertificate(dir, "first", files);

  await t.step("a pod created before the daemon runs is refused, not left out", async () => {
    const { success, text } = await applied(cluster, pod("early"));
    assert.equal(success, false);
    assert.match(text, /namespace\.sidecar-injector\.mesh\.io/);
  });

  await using daemon = await startDaemon({
    configDir: "",
    secured,
    args: [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      `--httpsAddr=127.0.0.1:${port}`,
      `--tlsCertFile=${files.cert}`,
      `--tlsKeyFile=${files.key}`,
      `--caCertFile=${files.ca}`,
    ],
  });

  await t.step("its bundle comes into the configurations of its revision", async () => {
    await eventually(
      "bundles",
      async () =>
        await bundleOf(client, MUTATING, INJECTOR) !== undefined &&
        await bundleOf(client, VALIDATING, VALIDATOR) !== undefined,
    );
    assert.equal(await bundleOf(client, MUTATING, OTHER), undefined);
  });

  await t.step("a revision tag has the bundle of the revision that it points to", async () => {
    const tag = { name: "mesh-revision-tag-prod" };
    const labels = { "mesh.io/tag": "prod", "mesh.io/rev": "canary" };
    const { webhooks } = other as OrchObject & Configuration;
    const apiVersion = "admissionregistration.k8s.io/v1";
    const kind = "MutatingWebhookConfiguration";
    const object = { apiVersion, kind, metadata: { ...tag, labels }, webhooks };
    await createObject(client, MUTATING, object as OrchObject);
    await createObject(client, MUTATING, {
      ...object,
      metadata: { name: "mesh-revision-tag-own", labels: { ...labels, "mesh.io/rev": "default" } },
    } as OrchObject);
    const own = { name: "mesh-revision-tag-own" };
    await eventually("a bundle", async () => await bundleOf(client, MUTATING, own) !== undefined);
    assert.equal(await bundleOf(client, MUTATING, tag), undefined);
    const moved = { metadata: { labels: { "mesh.io/rev": "default" } } };
    await mergePatch(client, MUTATING, tag, moved);
    await eventually("a bundle", async () => await bundleOf(client, MUTATING, tag) !== undefined);
    for (const name of [own, tag]) await deleteObject(client, MUTATING, name);
  });

  await t.step("the failure policy is closed after the self-check", async () => {
    await eventually("Fail", async () => {
      const { webhooks } = await getObject<Configuration>(client, VALIDATING, VALIDATOR);
      return webhooks[0]?.failurePolicy === "Fail";
    });
  });

  await t.step("a pod comes out with a proxy", async () => {
    await creates(cluster, "web");
    const stored = await getObject<StoredPod>(client, types.POD, {
      namespace: "shop",
      name: "web",
    });
    assert.deepEqual(stored.spec.containers.map(({ name }) => name), ["web", "mesh-proxy"]);
    const env = new Map(stored.spec.containers[1]?.env?.map(({ name, value }) => [name, value]));
    assert.equal(env.get("MESH_META_CLUSTER_ID"), "o/ne");
    assert.equal(env.get("MESH_META_NETWORK"), "n1");
    assert.ok(env.get("MESH_ORCH_APP_PROBERS")?.includes("/app-health/web/readyz"));
    await applied(cluster, pod("without", { "sidecar.mesh.io/inject": "false" }));
    assert.equal(await namesOf(client, "without"), "web");
    const wrong = pod("wrong");
    const annotations = { "sidecar.mesh.io/interceptionMode": "SOMEHOW" };
    const refused = await applied(cluster, {
      ...wrong,
      metadata: { ...wrong.metadata, annotations },
    });
    assert.match(refused.text, /interceptionMode"\]: "SOMEHOW" is not REDIRECT, TPROXY or NONE/);
  });

  await t.step(
    "a pod that was injected keeps probes and metrics when it is injected again",
    () => injectedAgain(cluster, client),
  );
  await t.step(
    "ProxyConfigs shape the proxy, the specific over the general",
    () => proxyConfigs(cluster, client),
  );
  await t.step(
    "an invalid VirtualService is refused with field and remedy",
    () => refuses(cluster),
  );
  await t.step(
    "templates of the ConfigMap are used, and a broken one is not",
    () => templates(cluster, client, daemon),
  );

  await t.step(
    "OpenShift: the proxy has a user of its namespace",
    () => usersOfNamespace(cluster, client, daemon),
  );

  await t.step("a bundle and a policy that somebody overwrites are repaired", async () => {
    const webhooks = (await getObject<Configuration>(client, VALIDATING, VALIDATOR)).webhooks;
    const good = webhooks[0]!.clientConfig.caBundle;
    const wrong = { ...webhooks[0]!, failurePolicy: "Ignore" };
    await mergePatch(client, VALIDATING, VALIDATOR, {
      webhooks: [{ ...wrong, clientConfig: { ...wrong.clientConfig, caBundle: undefined } }],
    });
    await eventually("a repair", async () => {
      const [one] = (await getObject<Configuration>(client, VALIDATING, VALIDATOR)).webhooks;
      return one?.clientConfig.caBundle === good && one?.failurePolicy === "Fail";
    });
  });

  await t.step("a changed certificate is served, and its authority is in the bundle", async () => {
    const before = await bundleOf(client, MUTATING, INJECTOR);
    await writeCertificate(dir, "second", files);
    await eventually(
      "another bundle",
      async () => await bundleOf(client, MUTATING, INJECTOR) !== before,
    );
    await creates(cluster, "later");
    assert.equal(await namesOf(client, "later"), "web,mesh-proxy");
  });
  await t.step("metrics count it all", () => counts(daemon));
  await daemon[Symbol.asyncDispose]();
  await t.step(
    "another revision keeps its own configurations, by its variables",
    () => canary(cluster, client, { secured, port, files }),
  );
  await Deno.remove(dir, { recursive: true });
});

/** Creates a pod, and another one from what the API server stored of it. */
async function injectedAgain(cluster: Cluster, client: OrchClient): Promise<void> {
  const own = pod("measured");
  const annotations = { "prometheus.io/port": "9000", "status.sidecar.mesh.io/port": "15999" };
  const given = { ...own, metadata: { ...own.metadata, annotations } };
  const stored = async (object: { metadata: { name: string } }) => {
    const { success, text } = await applied(cluster, object);
    assert.ok(success, text);
    const { name } = object.metadata;
    return await getObject<StoredPod>(client, types.POD, { namespace: "shop", name });
  };
  const first = await stored(given);
  const { labels, annotations: noted } = first.metadata;
  const second = await stored(
    {
      ...given,
      metadata: { ...given.metadata, name: "measured-again", labels, annotations: noted },
      spec: first.spec,
    } as typeof given,
  );
  const facts = ({ spec, metadata }: StoredPod) => {
    const [web, proxy] = spec.containers;
    const env = new Map(proxy?.env?.map(({ name, value }) => [name, value]));
    return {
      containers: [spec.initContainers, spec.containers].map((list) => list?.map((c) => c.name)),
      probe: web?.readinessProbe,
      probers: env.get("MESH_ORCH_APP_PROBERS"),
      metrics: env.get("MESH_METRICS_ANNOTATIONS"),
      variables: [...env.keys()],
      status: metadata.annotations?.["sidecar.mesh.io/status"],
      port: metadata.annotations?.["prometheus.io/port"],
    };
  };
  assert.deepEqual(facts(second), facts(first));
  const { probers, metrics, probe } = facts(second);
  assert.match(probers!, /"\/app-health\/web\/readyz":\{"httpGet":\{/);
  assert.equal(metrics, '{"scrape":"","path":"","port":"9000"}');
  assert.equal(probe?.httpGet?.port, 15999);
}

/** Metrics that the steps before have moved. */
async function counts(daemon: Daemon): Promise<void> {
  const text = await (await fetch(`${daemon.monitoring}/metrics`)).text();
  for (
    const name of [
      "sidecar_injection_requests_total",
      "sidecar_injection_success_total",
      "sidecar_injection_skip_total",
      "sidecar_injection_failure_total",
      "sidecar_injection_time_seconds_count",
      "galley_validation_passed",
      "galley_validation_failed",
      "galley_validation_config_updates",
      "webhook_patch_attempts_total",
    ]
  ) assert.match(text, new RegExp(`^${name}(?:\\{.*\\})? [1-9]`, "m"), name);
}

/** A daemon with variables, in place of the first one. */
async function canary(
  cluster: Cluster,
  client: OrchClient,
  { secured, port, files }: {
    readonly secured: number;
    readonly port: number;
    readonly files: Certificate & { readonly ca: string };
  },
): Promise<void> {
  const maps: [name: string, data: Record<string, string>][] = [
    ["mesh", { mesh: "defaultConfig: {concurrency: 5}" }],
    ["mesh-canary", { mesh: "defaultConfig: {concurrency: 7}" }],
    ["mesh-sidecar-injector", { values: '{"global":{"hub":"default.test"}}' }],
    ["mesh-sidecar-injector-canary", { values: '{"global":{"hub":"canary.test"}}' }],
  ];
  for (const [name, data] of maps) {
    const metadata = { name, namespace: "mesh-system" };
    const { success } = await applied(cluster, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data,
    });
    assert.ok(success, name);
  }
  const [named] = configurations(port);
  const own = { ...named!, metadata: { name: "own-injector" } };
  await createObject(client, MUTATING, own);
  assert.equal(await bundleOf(client, MUTATING, OTHER), undefined);
  await cluster.run(["delete", "mutatingwebhookconfiguration", INJECTOR.name]);
  await mergePatch(client, VALIDATING, VALIDATOR, {
    metadata: { labels: { "mesh.io/rev": "canary" } },
  });
  const { webhooks } = await getObject<Configuration>(client, VALIDATING, VALIDATOR);
  await mergePatch(client, VALIDATING, VALIDATOR, {
    webhooks: [{
      ...webhooks[0],
      clientConfig: { ...webhooks[0]!.clientConfig, caBundle: undefined },
    }],
  });
  await using _daemon = await startDaemon({
    configDir: "",
    secured,
    args: [
      `--orchconfig=${cluster.files.daemonKubeconfig}`,
      `--httpsAddr=127.0.0.1:${port}`,
      `--tlsCertFile=${files.cert}`,
      `--tlsKeyFile=${files.key}`,
      `--caCertFile=${files.ca}`,
    ],
    env: {
      REVISION: "canary",
      ENABLE_NATIVE_SIDECARS: "auto",
      INJECTION_WEBHOOK_CONFIG_NAME: "own-injector",
      VALIDATION_WEBHOOK_CONFIG_NAME: "",
      PLATFORM: "openshift",
    },
  });
  await eventually("bundles", async () =>
    await bundleOf(client, MUTATING, OTHER) !== undefined &&
    await bundleOf(client, MUTATING, { name: "own-injector" }) !== undefined);
  assert.equal(await bundleOf(client, VALIDATING, VALIDATOR), undefined);
  await creates(cluster, "native");
  const { spec, metadata } = await getObject<StoredPod>(client, types.POD, {
    namespace: "shop",
    name: "native",
  });
  assert.deepEqual(spec.initContainers?.map(({ name }) => name), ["mesh-init", "mesh-proxy"]);
  assert.equal(metadata.annotations?.["mesh.io/rev"], "canary");
  const proxy = spec.initContainers?.[1];
  assert.match(proxy?.image ?? "", /^canary\.test\//);
  assert.equal(proxy?.securityContext?.runAsUser, LAST_USER);
  const config = proxy?.env?.find(({ name }) => name === "PROXY_CONFIG")?.value ?? "{}";
  assert.equal(JSON.parse(config).concurrency, 7);
}

/** Applies a pod until the API server has the newest bundle. */
async function creates(cluster: Cluster, name: string): Promise<void> {
  let text = "";
  await eventually(`the pod ${name}`, async () => {
    const result = await applied(cluster, pod(name));
    if (!result.success && result.text !== text) console.error(result.text);
    text = result.text;
    return result.success;
  });
}

async function proxyConfigs(cluster: Cluster, client: OrchClient): Promise<void> {
  const object = (name: string, namespace: string, spec: Record<string, unknown>) => ({
    apiVersion: "networking.mesh.io/v1beta1",
    kind: "ProxyConfig",
    metadata: { name, namespace },
    spec,
  });
  const variables = (value: string, ...names: string[]) => ({
    environmentVariables: Object.fromEntries(names.map((name) => [name, value])),
  });
  const objects = [
    object("all", "mesh-system", { concurrency: 3, ...variables("root", "A", "B", "C", "D") }),
    object("own", "shop", {
      image: { imageType: "debug" },
      ...variables("namespace", "B", "C", "D"),
    }),
    object("web", "shop", {
      selector: { matchLabels: { app: "web" } },
      ...variables("selector", "C", "D"),
    }),
    object("other", "shop", { selector: { matchLabels: { app: "other" } }, concurrency: 4 }),
  ];
  for (const one of objects) {
    const { success, text } = await applied(cluster, one);
    assert.ok(success, text);
  }
  const plain = pod("settled");
  const annotations = { "proxy.mesh.io/config": "proxyMetadata: {D: annotation}" };
  const annotated = { ...plain, metadata: { ...plain.metadata, annotations } };
  let proxy: StoredContainer | undefined;
  await eventually("the settings of all levels", async () => {
    await cluster.run(["delete", "pod", "settled", "-n", "shop", "--ignore-not-found", "--now"]);
    const { success, text } = await applied(cluster, annotated);
    assert.ok(success, text);
    const at = { namespace: "shop", name: "settled" };
    const { spec } = await getObject<StoredPod>(client, types.POD, at);
    proxy = spec.containers.find(({ name }) => name === "mesh-proxy");
    const given = new Map(proxy?.env?.map(({ name, value }) => [name, value]));
    return ["A", "B", "C", "D"].map((name) => given.get(name)).join() ===
      "root,namespace,selector,annotation";
  });
  const config = JSON.parse(proxy?.env?.find(({ name }) => name === "PROXY_CONFIG")?.value ?? "{}");
  assert.equal(config.concurrency, 3);
  assert.equal(config.image?.imageType, "debug");
  assert.match(proxy?.image ?? "", /-debug$/);
  for (const { metadata: { name, namespace } } of objects) {
    await cluster.run(["delete", "proxyconfig", name, "-n", namespace]);
  }
}

async function refuses(cluster: Cluster): Promise<void> {
  // The definition accepts the host; only Mesh's own rules reject it.
  const route = (metadata: Record<string, unknown> = {}, host = "*") => ({
    apiVersion: "networking.mesh.io/v1",
    kind: "VirtualService",
    metadata: { name: "bad", namespace: "shop", ...metadata },
    spec: { hosts: ["a"], http: [{ route: [{ destination: { host } }] }] },
  });
  const { success, text } = await applied(cluster, route());
  assert.equal(success, false);
  assert.match(
    text,
    /denied the request: configuration is invalid: spec\.http\[0\]\.route\[0\]\.destination\.host/,
  );
  const passed = await applied(cluster, route({ name: "good" }, "a"));
  assert.equal(passed.success, true, passed.text);
  const other = await applied(cluster, route({ labels: { "mesh.io/rev": "canary" } }));
  assert.equal(other.success, true, other.text);
  const service = (revision: string) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "meshd-revision-tag-prod",
      namespace: "mesh-system",
      labels: { "mesh.io/tag": "prod", "mesh.io/rev": revision },
    },
    spec: { ports: [{ port: 15012 }] },
  });
  // The tag decides, and a moved tag moves its objects.
  const tagged = { name: "tagged", labels: { "mesh.io/rev": "prod" } };
  for (const [revision, success] of [["default", false], ["canary", true]] as const) {
    assert.ok((await applied(cluster, service(revision))).success);
    await eventually(`the tag points to ${revision}`, async () => {
      const result = await applied(cluster, route(tagged));
      await cluster.run(["delete", "virtualservice", "tagged", "-n", "shop", "--ignore-not-found"]);
      return result.success === success;
    });
  }
}

async function templates(cluster: Cluster, client: OrchClient, daemon: Daemon): Promise<void> {
  const map = (config: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "mesh-sidecar-injector", namespace: "mesh-system" },
    data: { config, values: '{"global":{"hub":"registry.test"}}' },
  });
  const template = "templates:\n  sidecar: |\n    spec:\n      containers:\n" +
    "      - name: mesh-proxy\n        image: {{ .ProxyImage }}\n      - name: of-template\n        image: a\n";
  await applied(cluster, map(template));
  await daemon.program.printed(/configuration of injection.*mesh-sidecar-injector/);
  const shown = await daemon.debug<{ templates: { sidecar: string } }>("inject");
  assert.match(shown.templates.sidecar, /of-template/);
  await creates(cluster, "templated");
  assert.equal(await namesOf(client, "templated"), "web,of-template,mesh-proxy");
  await applied(cluster, map(`${template}\n  other: "{{ if }}"\n`));
  await daemon.program.printed(/configuration of injection is invalid/);
  await creates(cluster, "kept");
  assert.equal(await namesOf(client, "kept"), "web,of-template,mesh-proxy");
  await cluster.run(["delete", "configmap", "mesh-sidecar-injector", "-n", "mesh-system"]);
  await daemon.program.printed(/none: the built-in one/);
}

/** Last user of the range that the namespace has. */
const LAST_USER = 1000629999;

async function usersOfNamespace(
  cluster: Cluster,
  client: OrchClient,
  daemon: Daemon,
): Promise<void> {
  const range = { "openshift.io/sa.scc.uid-range": "1000620000/10000" };
  await mergePatch(client, types.NAMESPACE, { name: "shop" }, { metadata: { annotations: range } });
  const metadata = { name: "mesh-sidecar-injector", namespace: "mesh-system" };
  const values = '{"global":{"platform":"openshift"}}';
  await applied(cluster, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { values } });
  const isShown = async () => {
    const { values } = await daemon.debug<{ values: { global: { platform?: string } } }>("inject");
    return values.global.platform === "openshift";
  };
  await eventually("the values", isShown);
  await creates(cluster, "ranged");
  const at = { namespace: "shop", name: "ranged" };
  const { spec } = await getObject<StoredPod>(client, types.POD, at);
  const proxy = spec.containers.find(({ name }) => name === "mesh-proxy");
  assert.equal(proxy?.securityContext?.runAsUser, LAST_USER);
  await cluster.run(["delete", "configmap", metadata.name, "-n", metadata.namespace]);
  await eventually("the built-in values", async () => !await isShown());
}

async function writeCertificate(
  dir: string,
  name: string,
  files: Certificate & { readonly ca: string },
): Promise<void> {
  const authority = await makeAuthority(dir, name);
  const { cert, key } = await authority.issue(`${name}-leaf`, ["localhost"]);
  // The authority first: clients of the old certificate do not lose theirs.
  await Deno.copyFile(authority.cert, files.ca);
  await Deno.copyFile(key, files.key);
  await Deno.copyFile(cert, files.cert);
}
