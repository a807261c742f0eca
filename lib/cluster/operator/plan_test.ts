/** Plans of documents and settings with a small set of charts. */
import assert from "node:assert/strict";
import { embeddedCharts } from "../charts/mod.ts";
import {
  objectOf,
  operatorText,
  planned,
  problemsOf,
  valueAt,
} from "../../../tests/support/operator.ts";

function fileOf(spec: string, name = "mesh.yaml"): { name: string; text: string } {
  return { name, text: operatorText(spec) };
}

function namesOf(plan: ReturnType<typeof planned>): string[] {
  return plan.components.map(({ component, name }) => `${component}/${name}`);
}

const PROFILES: Readonly<Record<string, readonly string[]>> = {
  default: ["Base/base", "Pilot/meshd", "IngressGateways/mesh-ingressgateway"],
  demo: [
    "Base/base",
    "Pilot/meshd",
    "IngressGateways/mesh-ingressgateway",
    "EgressGateways/mesh-egressgateway",
  ],
  empty: [],
  minimal: ["Base/base", "Pilot/meshd"],
  openshift: [
    "Base/base",
    "Pilot/meshd",
    "Cni/mesh-cni-node",
    "IngressGateways/mesh-ingressgateway",
  ],
  preview: ["Base/base", "Pilot/meshd", "IngressGateways/mesh-ingressgateway"],
  remote: ["Base/base"],
};

for (const [profile, components] of Object.entries(PROFILES)) {
  Deno.test(`the profile ${profile} installs its components in order`, () => {
    const plan = planned({ set: [`profile=${profile}`] });
    assert.deepEqual(problemsOf(plan), []);
    assert.deepEqual(plan.warnings, []);
    assert.deepEqual(namesOf(plan), components);
    assert.equal(plan.profile, profile);
  });
}

Deno.test("later files win over earlier ones, and settings over files", () => {
  const files = [
    fileOf("profile: minimal\nhub: one\ntag: one\nrevision: one", "1.yaml"),
    fileOf("hub: two\ntag: two", "2.yaml"),
  ];
  const plan = planned({ files, set: ["tag=three"] });
  assert.deepEqual(problemsOf(plan), []);
  assert.equal(plan.revision, "one");
  const [, pilot] = plan.components;
  assert.deepEqual(valueAt(pilot, ["values", "global"]), {
    hub: "two",
    meshNamespace: "mesh-system",
    tag: "three",
  });
  assert.equal(planned({ files, revision: "two" }).revision, "two");
});

Deno.test("a gateway of a file changes the one of the profile with its name", () => {
  const spec = `components:
  ingressGateways:
    - name: mesh-ingressgateway
      namespace: edge
    - name: second
      label: { team: a }
      tag: own`;
  const plan = planned({ files: [fileOf(spec)] });
  assert.deepEqual(problemsOf(plan), []);
  assert.deepEqual(
    plan.components.slice(2).map(({ name, namespace }) => [name, namespace]),
    [["mesh-ingressgateway", "edge"], ["second", "mesh-system"]],
  );
  assert.deepEqual(plan.components[3]!.values, { labels: { team: "a" }, name: "second" });
  const image = ["spec", "template", "spec", "containers", 0, "image"];
  assert.equal(valueAt(objectOf(plan, "second", "Deployment"), image), "mesh/proxyv2:own");
  assert.equal(valueAt(objectOf(plan, "mesh-ingressgateway", "Deployment"), image), "auto");
  const hub = ["hub=own", "tag=2", "components.ingressGateways[0].hub=other"];
  const other = objectOf(planned({ set: hub }), "mesh-ingressgateway", "Deployment");
  assert.equal(valueAt(other, image), "other/proxyv2:2");
});

Deno.test("older names of values of gateways are those of the chart", () => {
  const set = [
    "values.gateways.mesh-ingressgateway.autoscaleMax=7",
    "values.gateways.mesh-ingressgateway.cpu.targetAverageUtilization=60",
    "values.gateways.mesh-ingressgateway.type=NodePort",
  ];
  const plan = planned({ set });
  assert.deepEqual(problemsOf(plan), []);
  assert.deepEqual(plan.components[2]!.values, {
    autoscaling: { maxReplicas: 7, targetCPUUtilizationPercentage: 60 },
    name: "mesh-ingressgateway",
    service: { type: "NodePort" },
  });
});

Deno.test("values of pilot are at the top of the chart's values", () => {
  const plan = planned({
    set: [
      "values.pilot.autoscaleEnabled=false",
      "values.pilot.env.A_B=true",
      "components.pilot.tag=1.10",
    ],
    files: [
      fileOf(
        "meshConfig: { trustDomain: a.example }\nvalues: { global: { logging: { level: 'x:debug' } } }",
      ),
    ],
  });
  assert.deepEqual(problemsOf(plan), []);
  assert.deepEqual(plan.components[1]!.values, {
    autoscaleEnabled: false,
    env: { A_B: true },
    global: { logging: { level: "x:debug" }, meshNamespace: "mesh-system" },
    meshConfig: { trustDomain: "a.example" },
    tag: "1.10",
  });
  assert.deepEqual(plan.components[0]!.values, {
    global: { meshNamespace: "mesh-system" },
  });
});

Deno.test("objects have the labels of the installation, namespaces none of the revision", () => {
  const text = operatorText("profile: minimal").replace("spec:", "metadata: { name: own }\nspec:");
  const plan = planned({ files: [{ name: "a.yaml", text }], revision: "canary" });
  assert.deepEqual(valueAt(objectOf(plan, "meshd", "Deployment"), ["metadata", "labels"]), {
    "install.operator.mesh.io/owning-resource": "own",
    "mesh.io/rev": "canary",
    "operator.mesh.io/component": "Pilot",
    "operator.mesh.io/managed": "Reconcile",
    "operator.mesh.io/version": "1.2.3",
  });
});

Deno.test("a second revision has the same objects of Base as the first one", () => {
  const [first, second] = [planned(), planned({ revision: "canary" })]
    .map((plan) => plan.components.find(({ component }) => component === "Base")!.objects);
  assert.ok(first!.length > 0);
  assert.deepEqual(second, first);
  assert.ok(first!.every(({ metadata }) => metadata.labels?.["mesh.io/rev"] === undefined));
});

Deno.test("the revision default has objects without suffix", () => {
  const plan = planned({ revision: "default" });
  assert.equal(plan.revision, "default");
  assert.equal(plan.components[1]!.values.revision, undefined);
});

Deno.test("settings of k8s are merged over the objects", () => {
  const k8s = `components:
  pilot:
    k8s:
      replicaCount: 3
      resources: { requests: { cpu: 1 } }
      env: [{ name: A, value: b }]
      nodeSelector: { zone: a }
      podAnnotations: { own: "yes" }
      strategy: { type: Recreate }
      hpaSpec: { maxReplicas: 9 }
      service: { type: NodePort, ports: [{ port: 443, nodePort: 30443 }] }
      serviceAnnotations: { a: b }
      tolerations: [{ key: own, operator: Exists }]
      overlays:
        - kind: Deployment
          name: meshd
          patches:
            - { path: "spec.template.spec.containers.[name:discovery].image", value: own }
            - { path: "spec.template.metadata.labels.own\\\\.io/a", value: b }
            - { path: spec.selector }`;
  const plan = planned({ files: [fileOf(k8s)] });
  assert.deepEqual(problemsOf(plan), []);
  assert.deepEqual(valueAt(objectOf(plan, "meshd", "Deployment"), ["spec"]), {
    replicas: 3,
    strategy: { type: "Recreate" },
    template: {
      metadata: { annotations: { own: "yes" }, labels: { app: "meshd", "own.io/a": "b" } },
      spec: {
        containers: [{
          env: [{ name: "A", value: "b" }],
          image: "own",
          name: "discovery",
          resources: { requests: { cpu: 1 } },
        }],
        nodeSelector: { zone: "a" },
        tolerations: [{ key: "own", operator: "Exists" }],
      },
    },
  });
  const service = objectOf(plan, "meshd", "Service");
  assert.deepEqual(service.spec, {
    ports: [{ name: "https", nodePort: 30443, port: 443 }],
    type: "NodePort",
  });
  assert.deepEqual(valueAt(service, ["metadata", "annotations"]), { a: "b" });
  assert.equal(
    valueAt(objectOf(plan, "meshd", "HorizontalPodAutoscaler"), ["spec", "maxReplicas"]),
    9,
  );
  assert.deepEqual(plan.warnings.map(({ path }) => path), [
    "spec.components.pilot.k8s.replicaCount",
  ]);
});

Deno.test("a compatibility version gives back what later versions changed, under the user's settings", () => {
  const plan = planned({
    set: ["compatibilityVersion=1.22", 'values.pilot.env.ENABLE_INBOUND_RETRY_POLICY="true"'],
  });
  assert.deepEqual(problemsOf(plan), []);
  assert.deepEqual(plan.components[1]!.values.env, {
    ENABLE_INBOUND_RETRY_POLICY: "true",
    EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY: "false",
    PREFER_DESTINATIONRULE_TLS_FOR_EXTERNAL_SERVICES: "false",
  });
  assert.deepEqual(plan.components[1]!.values.meshConfig, {
    defaultConfig: { proxyMetadata: { ENABLE_DELIMITED_STATS_TAG_REGEX: "false" } },
  });
});

Deno.test("force turns problems of validation into warnings, and not those of reading", () => {
  const set = ["values.global.own=1"];
  assert.equal(planned({ set }).components.length, 0);
  const forced = planned({ set, isForced: true });
  assert.deepEqual(forced.problems, []);
  assert.deepEqual(forced.warnings.map(({ path }) => path), ["spec.values.global.own"]);
  assert.equal(valueAt(forced.components[1]!.values, ["global", "own"]), 1);
  assert.equal(planned({ set: ["profile=none"], isForced: true }).problems.length, 1);
});

Deno.test("unvalidated values reach the charts", () => {
  const plan = planned({ set: ["unvalidatedValues.global.own=1"] });
  assert.deepEqual(problemsOf(plan), []);
  assert.equal(valueAt(plan.components[1]!.values, ["global", "own"]), 1);
});

Deno.test("variables and labels with names of the user's own reach the charts", () => {
  const plan = planned({
    charts: embeddedCharts(),
    set: [
      ...["profile=minimal", "components.cni.enabled=true"],
      ...["values.pilot.env.PILOT_X=true", "values.pilot.podLabels.a=b", "values.cni.env.Y=z"],
    ],
  });
  assert.deepEqual(problemsOf(plan), []);
  const [, pilot, cni] = plan.components;
  const [values, plugin] = [pilot?.values, cni?.values];
  assert.equal(
    valueAt(values, ["pilot", "env", "PILOT_X"]) ?? valueAt(values, ["env", "PILOT_X"]),
    true,
  );
  assert.equal(valueAt(plugin, ["env", "Y"]), "z");
  const text = JSON.stringify(pilot?.objects);
  assert.match(text, /"name":"PILOT_X","value":"true"/);
  assert.match(text, /"a":"b"/);
});
