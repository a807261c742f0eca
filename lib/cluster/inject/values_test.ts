/** No value of the injector's ConfigMap is silent: each changes what some template makes, or is warned of. */
import assert from "node:assert/strict";
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import { DEFAULT_VALUES } from "./defaults/mod.ts";
import {
  type InjectionConfig,
  type Json,
  type ManagedGateway,
  parseInjectionConfig,
  waypointObjects,
} from "./mod.ts";
import { injectedPod, type PodChange } from "./testing.ts";
import { isMap } from "../../kit/template/mod.ts";

/** Pods that are injected with each value; each has something that some value acts on. */
const PODS: readonly PodChange[] = [
  {
    spec: {
      containers: [{
        name: "web",
        image: "web:1",
        readinessProbe: { httpGet: { path: "/ok", port: 8080 } },
      }],
    },
  },
  { annotations: { "inject.mesh.io/templates": "gateway" } },
  { annotations: { "inject.mesh.io/templates": "grpc-agent" } },
];

const WAYPOINT: ManagedGateway = {
  name: "waypoint",
  namespace: "shop",
  uid: "u",
  deploymentName: "waypoint",
  serviceAccount: "waypoint",
  gatewayNameLabel: "gateway.networking.k8s.io/gateway-name",
  ports: [{ name: "mesh", port: 15008, protocol: "TCP", appProtocol: "hbone" }],
  serviceType: "ClusterIP",
  infrastructureLabels: {},
  infrastructureAnnotations: {},
  revision: "",
  kubeVersion: 131,
  mesh: defaultMeshConfig(),
};

/** Values that act only beside others. */
const BESIDE: Readonly<Record<string, object>> = {
  "pilot.cni.provider": { pilot: { cni: { enabled: true } } },
};

/** Values for paths whose type does not tell one that is valid. */
const CHOSEN: Readonly<Record<string, unknown>> = {
  "global.caName": "OtherCA",
  "global.platform": "openshift",
  "global.proxy.tracer": "zipkin",
  // A name without a registry stands for the image of the proxy.
  "global.proxy_init.image": "own.example/init:1",
  "global.tag": "own",
  "pilot.cni.provider": "multus",
};

/** Values without effect and without warning, each with its reason. */
const EXEMPT: Readonly<Record<string, string>> = {};

/** Paths of the values that are no maps, or are empty ones. */
function* leaves(values: Json, path: readonly string[] = []): Iterable<[string[], unknown]> {
  for (const [name, value] of Object.entries(values)) {
    if (isMap(value) && Object.keys(value).length > 0) {
      yield* leaves(value as Json, [...path, name]);
    } else yield [[...path, name], value];
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (Array.isArray(value)) return [{ name: "own" }];
  if (isMap(value)) return { own: "own" };
  return "7";
}

/** A value at a path, beside others. */
function valuesAt(path: readonly string[], value: unknown, beside: object): object {
  const [name, ...rest] = path as [string, ...string[]];
  const below = (beside as Record<string, object>)[name] ?? {};
  return { ...beside, [name]: rest.length === 0 ? value : valuesAt(rest, value, below) };
}

function configOf(values: object): InjectionConfig {
  return parseInjectionConfig({ config: "", values: JSON.stringify(values) });
}

function made(config: InjectionConfig): string {
  return JSON.stringify([
    ...PODS.map((pod) => injectedPod(pod, { config })),
    ...waypointObjects(WAYPOINT, config),
    config.warnings,
  ]);
}

const SILENT = new Set<string>();

for (const [path, value] of leaves(DEFAULT_VALUES)) {
  const name = path.join(".");
  Deno.test(`value ${name} acts, or is named`, () => {
    const beside = BESIDE[name] ?? {};
    const other = CHOSEN[name] ?? otherThan(value);
    const isSilent = made(configOf(beside)) === made(configOf(valuesAt(path, other, beside)));
    if (isSilent) SILENT.add(name);
    assert.equal(isSilent, EXEMPT[name] !== undefined);
  });
}

Deno.test("each exempt value is silent", () => {
  assert.deepEqual([...SILENT].sort(), Object.keys(EXEMPT).sort());
});
