/**
 * The charts against the code: rights, definitions, injection, tags, values.
 *
 * @module
 */
import assert from "node:assert/strict";
import {
  embeddedCharts,
  type JsonObject,
  readChartsFrom,
  renderChart,
} from "../lib/cluster/charts/mod.ts";
import { MeshError } from "../lib/kit/base/mod.ts";
import { defaultInjectionConfig, parseInjectionConfig } from "../lib/cluster/inject/mod.ts";
import { defaultValidator, tagConfiguration } from "../lib/cluster/revision_tags/mod.ts";
import {
  daemonRoles,
  defaultPluginRoleOptions,
  defaultRoleOptions,
  pluginRoles,
  READER_ACCOUNT,
  readerRoles,
  type RoleObject,
} from "../lib/cluster/roles/mod.ts";
// Its imports declare the variables of the daemon.
import "../cmd/pilot-discovery/discovery.ts";
import { DISCOVERY_FLAGS } from "../cmd/pilot-discovery/discovery_flags.ts";
import { buildInfo } from "../lib/kit/base/mod.ts";
import { declaredEnv } from "../lib/kit/env/mod.ts";
import { isMap } from "../lib/kit/template/mod.ts";
import { parseMeshConfig, parseMeshNetworks } from "../lib/mesh/schema/mod.ts";
import { outdatedFiles } from "./charts.ts";
import { fromFileUrl } from "./paths.ts";

const VARIABLES: ReadonlySet<string> = new Set(
  declaredEnv().filter(({ programs }) => programs.includes("pilot-discovery")).map(({ name }) =>
    name
  ),
);

const CHARTS = fromFileUrl(new URL("../charts", import.meta.url));

interface Rendered {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Record<string, string>;
  };
  readonly [field: string]: unknown;
}

/** The objects of a chart, as plain values. */
function objects(
  chart: string,
  values: JsonObject = {},
  { namespace = "mesh-system", isUnchecked = false, version = "1.33.0" }: {
    readonly namespace?: string;
    readonly isUnchecked?: boolean;
    readonly version?: string;
  } = {},
): Rendered[] {
  const found = renderChart(embeddedCharts().charts.get(chart)!, {
    release: { name: "demo", namespace },
    values,
    capabilities: { orchVersion: version, apiVersions: [] },
    isUnchecked,
  });
  return JSON.parse(JSON.stringify(found.map(({ object }) => object)));
}

function named(all: readonly Rendered[], kind: string, name?: string): Rendered {
  return all.find((one) =>
    one.kind === kind && (name === undefined || one.metadata.name === name)
  )!;
}

Deno.test("generated files of the charts are current", async () => {
  assert.deepEqual(await outdatedFiles(), [], "run `deno task charts`");
});

Deno.test("the program has the charts of the folder, with its own version", async () => {
  const [read, embedded] = [await readChartsFrom(CHARTS), embeddedCharts()];
  assert.deepEqual([...embedded.charts.keys()], [...read.charts.keys()]);
  for (const [name, chart] of read.charts) {
    const files = new Map([...chart.files].filter(([path]) => !path.endsWith(".md")));
    assert.deepEqual(new Map(embedded.charts.get(name)!.files), files, name);
    assert.equal(chart.version, buildInfo.version, name);
    assert.match(
      chart.files.get("Chart.yaml")!,
      new RegExp(`^appVersion: ${buildInfo.version}$`, "m"),
    );
  }
  assert.deepEqual([...embedded.profiles.keys()].sort(), [...read.profiles.keys()].sort());
});

/** Names, rules and bindings of roles. */
function rights(all: readonly (Rendered | RoleObject)[]) {
  return all.filter(({ kind }) => /Role|ServiceAccount/.test(kind)).map((one) => ({
    kind: one.kind,
    name: one.metadata.name,
    namespace: one.metadata.namespace,
    rules: one.rules,
    roleRef: one.roleRef,
    subjects: one.subjects,
  })).sort((a, b) => `${a.kind} ${a.name}` < `${b.kind} ${b.name}` ? -1 : 1);
}

Deno.test("the charts give the rights that the daemon says it needs", () => {
  const options = defaultRoleOptions();
  const rows: [values: JsonObject, Partial<typeof options>][] = [
    [{}, {}],
    [{ revision: "canary" }, { account: "meshd-canary" }],
    [{ env: { ENABLE_MCS_AUTO_EXPORT: "true", MCS_API_GROUP: "x.y" } }, {
      autoExport: true,
      sharingGroup: "x.y",
    }],
    [{ env: { PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: true } }, { untaint: true }],
    [{ env: { PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER: false } }, {
      deployGateways: false,
    }],
    [{ global: { certSigners: ["a.b/*", "c.d/e"] } }, { signers: ["a.b/*", "c.d/e"] }],
  ];
  for (const [values, over] of rows) {
    const expected = daemonRoles({ ...options, ...over });
    assert.deepEqual(rights(objects("meshd", values)), rights(expected), JSON.stringify(values));
  }
  const reader = readerRoles({ ...options, account: READER_ACCOUNT });
  assert.deepEqual(rights(objects("base")), rights(reader));
});

Deno.test("the chart gives the rights that the network plugin says it needs", () => {
  const options = defaultPluginRoleOptions();
  const rows: [values: JsonObject, Partial<typeof options>][] = [
    [{}, {}],
    [{ repair: { enabled: false, labelPods: true, deletePods: true } }, { repairs: false }],
    [{ repair: { labelPods: true } }, { labels: true }],
    [{ ambient: { enabled: true } }, { ambient: true }],
    [{ repair: { deletePods: true } }, { deletes: true }],
    [{ global: { platform: "openshift" } }, { isOpenShift: true }],
  ];
  for (const [values, over] of rows) {
    const expected = pluginRoles({ ...options, ...over });
    assert.deepEqual(rights(objects("cni", values)), rights(expected), JSON.stringify(values));
  }
});

/** Folders of the node by mount, and the configuration of the plugin. */
function plugin(values: JsonObject, version?: string) {
  const all = objects("cni", values, { version });
  const { containers: [{ volumeMounts }], volumes } =
    (named(all, "DaemonSet").spec as { template: { spec: PluginPod } }).template.spec;
  const folders = volumeMounts.flatMap(({ name, mountPath }) => {
    const path = volumes.find((one) => one.name === name)?.hostPath?.path;
    return path === undefined ? [] : [[mountPath, path]];
  });
  const { CHAINED_CNI_PLUGIN, CNI_CONF_NAME } = data(all, "mesh-cni-config");
  return { ...Object.fromEntries(folders), CHAINED_CNI_PLUGIN, CNI_CONF_NAME };
}

interface PluginPod {
  readonly containers: readonly [
    { readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[] },
  ];
  readonly volumes: readonly { readonly name: string; readonly hostPath?: { path: string } }[];
}

Deno.test("the network plugin has the folders of the platform, unless values name others", () => {
  const usual = {
    "/host/opt/cni/bin": "/opt/cni/bin",
    "/host/etc/cni/net.d": "/etc/cni/net.d",
    "/var/run/mesh-cni": "/var/run/mesh-cni",
    "/host/var/run/netns": "/var/run/netns",
    "/host/proc": "/proc",
    CHAINED_CNI_PLUGIN: "true",
    CNI_CONF_NAME: undefined,
  };
  const on = (platform: string) => plugin({ global: { platform } });
  const bin = "/host/opt/cni/bin";
  const conf = "/host/etc/cni/net.d";
  const k3s = "/var/lib/rancher/k3s";
  const snap = "/var/snap/microk8s/current";
  assert.deepEqual(plugin({}), usual);
  assert.deepEqual(on("gke"), { ...usual, [bin]: "/home/kubernetes/bin" });
  assert.deepEqual(plugin({}, "v1.33.1-gke.100"), { ...usual, [bin]: "/home/kubernetes/bin" });
  const agent = `${k3s}/agent/etc/cni/net.d`;
  assert.deepEqual(on("k3s"), { ...usual, [bin]: `${k3s}/data/cni`, [conf]: agent });
  assert.deepEqual(on("k3d"), { ...usual, [bin]: "/bin", [conf]: agent });
  assert.deepEqual(on("microk8s"), {
    ...usual,
    [bin]: `${snap}/opt/cni/bin`,
    [conf]: `${snap}/args/cni-network`,
  });
  assert.deepEqual(on("minikube"), { ...usual, "/host/var/run/netns": "/var/run/docker/netns" });
  const openshift = {
    ...usual,
    [bin]: "/var/lib/cni/bin",
    [conf]: "/etc/cni/multus/net.d",
    CHAINED_CNI_PLUGIN: "false",
    CNI_CONF_NAME: "mesh-cni.conf",
  };
  assert.deepEqual(on("openshift"), openshift);
  assert.deepEqual(
    plugin({
      ...{ global: { platform: "openshift" }, cniBinDir: "/b", cniConfDir: "/c" },
      ...{ cniConfFileName: "x.conf", chained: true },
    }),
    {
      ...openshift,
      [bin]: "/b",
      [conf]: "/c",
      CHAINED_CNI_PLUGIN: "true",
      CNI_CONF_NAME: "x.conf",
    },
  );
});

Deno.test("tags of the chart are those that meshctl makes", () => {
  const all = objects("meshd", {
    revision: "v2",
    revisionTags: ["default", "prod"],
    sidecarInjectorWebhook: { enableNamespacesByDefault: true },
  });
  const injector = named(all, "MutatingWebhookConfiguration", "mesh-sidecar-injector-v2");
  const [webhook] = injector.webhooks as never[];
  for (const name of ["default", "prod"]) {
    const made = tagConfiguration({
      name,
      revision: "v2",
      webhookName: "",
      everywhere: true,
      meshNamespace: "mesh-system",
    }, webhook!);
    const own = named(all, "MutatingWebhookConfiguration", made.metadata.name);
    const sorted = (list: unknown) =>
      (list as { name: string }[]).toSorted((a, b) => a.name < b.name ? -1 : 1);
    assert.deepEqual(sorted(own.webhooks), sorted(made.webhooks));
    assert.equal(own.metadata.labels["mesh.io/tag"], name);
    assert.equal(own.metadata.labels["mesh.io/rev"], "v2");
  }
});

Deno.test("validation of the default revision is that of meshctl", () => {
  for (const revision of ["default", "canary"]) {
    const service = {
      name: revision === "default" ? "meshd" : "meshd-canary",
      namespace: "mesh-system",
      port: 443,
    };
    const tag = {
      name: "default",
      revision,
      webhookName: "",
      everywhere: false,
      meshNamespace: "mesh-system",
    };
    const { webhooks, metadata } = defaultValidator(tag, { service });
    const own = named(
      objects("base", { defaultRevision: revision }),
      "ValidatingWebhookConfiguration",
    );
    assert.deepEqual(own.webhooks, JSON.parse(JSON.stringify(webhooks)));
    assert.equal(own.metadata.name, metadata.name);
    assert.equal(own.metadata.labels["mesh.io/rev"], revision);
  }
});

/** The data of a ConfigMap. */
function data(all: readonly Rendered[], name: string): Record<string, string> {
  return named(all, "ConfigMap", name).data as Record<string, string>;
}

Deno.test("the daemon takes the chart's configuration without a warning", () => {
  for (const values of [{}, { revision: "canary", global: { proxy: { logLevel: "info" } } }]) {
    const suffix = "revision" in values ? "-canary" : "";
    const all = objects("meshd", values);
    const { config, values: given } = data(all, `mesh-sidecar-injector${suffix}`);
    const parsed = parseInjectionConfig({
      config: config!,
      values: given!,
      variables: VARIABLES,
    });
    assert.deepEqual(parsed.warnings, []);
    const { mesh, meshNetworks } = data(all, `mesh${suffix}`);
    const { value, problems, warnings } = parseMeshConfig(mesh!, "mesh");
    assert.deepEqual([problems, warnings], [[], []]);
    assert.equal(value?.defaultConfig?.discoveryAddress, `meshd${suffix}.mesh-system.svc:15012`);
    assert.deepEqual(parseMeshNetworks(meshNetworks!, "networks").problems, []);
  }
});

Deno.test("without values of the user, injection has the built-in ones", () => {
  const { config, values } = data(objects("meshd"), "mesh-sidecar-injector");
  const { values: merged } = parseInjectionConfig({ config: config!, values: values! });
  const builtIn = defaultInjectionConfig().values;
  const global = { ...builtIn.global as JsonObject, tag: buildInfo.version };
  assert.deepEqual(plain(merged), plain({ ...builtIn, global }));
});

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

Deno.test("the daemon knows each variable that the chart gives it", () => {
  const all = objects("meshd", {
    global: { platform: "openshift" },
    sidecarInjectorWebhook: { enabled: false },
  });
  const spec = named(all, "Deployment").spec as {
    template: { spec: { containers: { env: { name: string }[] }[] } };
  };
  for (const { name } of spec.template.spec.containers[0]!.env) {
    assert.ok(VARIABLES.has(name), name);
  }
});

Deno.test("the daemon knows each flag that the chart gives it", () => {
  const all = objects("meshd", {
    keepaliveMaxServerConnectionAge: "30m",
    global: { logAsJson: true },
    cni: { namespace: "nodes" },
  });
  const spec = named(all, "Deployment").spec as {
    template: { spec: { containers: { args: string[] }[] } };
  };
  const [command, ...flags] = spec.template.spec.containers[0]!.args;
  assert.equal(command, "discovery");
  assert.equal(flags.length, 5);
  for (const flag of flags) {
    const name = /^--(\w+)/.exec(flag)![1];
    assert.ok(DISCOVERY_FLAGS.some((one) => one.name === name), flag);
  }
});

Deno.test("two revisions share no object", () => {
  const key = ({ kind, metadata: { name, namespace } }: Rendered) => `${kind} ${namespace} ${name}`;
  const of = (values: JsonObject, namespace?: string) =>
    objects("meshd", {
      ...values,
      autoscaleMin: 2,
      global: { networkPolicy: { enabled: true } },
      monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } },
    }, { namespace: namespace ?? "mesh-system" }).map(key);
  const sets = [
    of({}),
    of({ revision: "canary" }),
    of({ revision: "v2", revisionTags: ["prod"] }),
    of({}, "other"),
  ];
  const all = sets.flat();
  assert.equal(new Set(all).size, all.length);
});

/** Paths of the values of a chart that are neither maps nor empty maps' contents. */
function leaves(values: JsonObject, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isMap(value) && Object.keys(value).length > 0
      ? leaves(value, [...path, name])
      : [[...path, name]]
  );
}

function valueAt(values: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => isMap(value) ? value[name] : undefined, values);
}

/** Values of which not every other one acts. */
const OTHERS: Readonly<Record<string, unknown>> = {
  "chained": false,
  "global.platform": "openshift",
  "provider": "multus",
  "base.excludedCRDs": ["gateways.networking.mesh.io"],
};

/** Another value than that of a chart, of the same type. */
function another(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  if (Array.isArray(value)) return ["other"];
  return isMap(value) ? { other: 1, targetAverageUtilization: 7 } : "other";
}

function nested(path: readonly string[], value: unknown): JsonObject {
  const [name, ...rest] = path;
  return { [name!]: rest.length === 0 ? value : nested(rest, value) };
}

function joined(a: JsonObject, b: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = result[name];
    result[name] = isMap(before) && isMap(value) ? joined(before, value) : value;
  }
  return result;
}

/** Values with which others act. */
const CONTEXTS: Readonly<Record<string, readonly JsonObject[]>> = {
  base: [{}],
  meshd: [
    {
      autoscaleMin: 2,
      monitoring: { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } },
    },
    { autoscaleEnabled: false },
    { sidecarInjectorWebhook: { enabled: true }, revision: "" },
    { trustedZtunnelNamespace: "mesh-system" },
  ],
  cni: [{ monitoring: { podMonitor: { enabled: true } }, resourceQuotas: { enabled: true } }, {
    repair: { repairPods: false },
  }, { ambient: { enabled: true } }],
  ztunnel: [{
    monitoring: { podMonitor: { enabled: true } },
    resourceQuotas: { enabled: true },
  }, {}],
  gateway: [{}, { autoscaling: { enabled: false } }],
};

Deno.test("each value of a chart acts", () => {
  for (const [chart, contexts] of Object.entries(CONTEXTS)) {
    const { values } = embeddedCharts().charts.get(chart)!;
    const unchecked = { isUnchecked: true };
    const before = contexts.map((context) => JSON.stringify(objects(chart, context, unchecked)));
    for (const path of leaves(values)) {
      const change = nested(path, OTHERS[path.join(".")] ?? another(valueAt(values, path)));
      const acts = contexts.some((context, at) => {
        try {
          return JSON.stringify(objects(chart, joined(context, change), unchecked)) !== before[at];
        } catch (error) {
          // A value that must equal another one is refused by its name.
          return error instanceof MeshError && error.message.includes(path.join("."));
        }
      });
      assert.ok(acts, `${chart}: ${path.join(".")}`);
    }
  }
});
