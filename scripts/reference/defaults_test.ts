import assert from "node:assert/strict";
import {
  EXTENSION_BACKGROUND,
  EXTENSION_SCENES,
} from "../../tests/support/coverage/extension_scenes.ts";
import { openStage, servedWith } from "../../tests/support/coverage/observe.ts";
import { BACKGROUND, SCENES } from "../../tests/support/coverage/scenes.ts";
import { openSecured, SECURITY_SCENES } from "../../tests/support/coverage/security_scenes.ts";
import { DEFAULT_VALUES, defaultsOfKinds } from "./defaults.ts";

const ALL = { ...SCENES, ...EXTENSION_SCENES, ...SECURITY_SCENES };

const ROUTE = { route: [{ destination: { host: "b.example" } }] };
const http = (more: object, route: object = ROUTE) => ({
  hosts: ["a.example"],
  http: [{ ...route, ...more }],
});

/** Another value by kind and path, and a specification in which the field is absent. */
const PROOFS: Readonly<Record<string, { readonly other: unknown; readonly spec?: unknown }>> = {
  "DestinationRule exportTo": { other: ["."] },
  "DestinationRule trafficPolicy.loadBalancer.simple": { other: "ROUND_ROBIN" },
  "DestinationRule trafficPolicy.loadBalancer.consistentHash.ringHash.minimumRingSize": {
    other: "7",
  },
  "DestinationRule trafficPolicy.loadBalancer.localityLbSetting.enabled": { other: false },
  "DestinationRule trafficPolicy.connectionPool.tcp.connectTimeout": { other: "7s" },
  "DestinationRule trafficPolicy.outlierDetection.minHealthPercent": { other: 7 },
  "DestinationRule trafficPolicy.tls.insecureSkipVerify": { other: true },
  "DestinationRule trafficPolicy.tunnel.protocol": { other: "POST" },
  "DestinationRule trafficPolicy.retryBudget.percent": {
    other: 7,
    spec: { host: "a.example", trafficPolicy: { retryBudget: { minRetryConcurrency: 5 } } },
  },
  "PeerAuthentication mtls.mode": {
    other: "STRICT",
    spec: { selector: { matchLabels: { app: "server" } } },
  },
  "RequestAuthentication jwtRules[].timeout": {
    other: "7s",
    spec: {
      selector: { matchLabels: { app: "server" } },
      jwtRules: [{ issuer: "https://issuer.test", jwksUri: "https://a.example:80/keys" }],
    },
  },
  "ServiceEntry exportTo": { other: ["."] },
  "ServiceEntry endpoints[].weight": { other: 7 },
  "Sidecar outboundTrafficPolicy": {
    other: { mode: "REGISTRY_ONLY" },
    spec: { egress: [{ hosts: ["./*"] }] },
  },
  "Telemetry tracing[].randomSamplingPercentage": { other: 7 },
  "Telemetry tracing[].disableSpanReporting": { other: true },
  "Telemetry tracing[].enableMeshTags": { other: false },
  "Telemetry metrics[].overrides[].disabled": { other: true },
  "Telemetry accessLogging[].disabled": { other: true },
  "VirtualService exportTo": { other: ["."] },
  "VirtualService gateways": { other: ["gw"] },
  "VirtualService http[].retries": { other: { attempts: 7 }, spec: http({}) },
  "VirtualService http[].retries.retryOn": { other: "5xx" },
  "VirtualService http[].retries.retryRemoteLocalities": { other: true },
  "VirtualService http[].retries.retryIgnorePreviousHosts": { other: false },
  "VirtualService http[].redirect.redirectCode": { other: 302 },
  "WasmPlugin priority": { other: 7 },
  "WasmPlugin type": { other: "NETWORK" },
};

/** A specification with one field set, or removed if the value is `undefined`. */
function withValue(spec: unknown, path: string, value?: unknown): unknown {
  // Copied as JSON, so that repeated values of the scene are separate objects.
  const whole = JSON.parse(JSON.stringify(spec));
  const steps = path.split(/\.|(?=\[\])/);
  let at = whole as Record<string, unknown>;
  for (const [index, step] of steps.entries()) {
    const name = step === "[]" ? "0" : step;
    if (index === steps.length - 1) {
      if (value === undefined) delete at[name];
      else at[name] = value;
    } else at = (at[name] ??= steps[index + 1] === "[]" ? [] : {}) as Record<string, unknown>;
  }
  return whole;
}

Deno.test("defaults are found by message and field", () => {
  const found = defaultsOfKinds();
  assert.equal(found["mesh.networking.v1alpha3.HTTPRedirect"]!.redirectCode, 301);
  assert.equal(found["mesh.networking.v1alpha3.WorkloadEntry"]!.weight, 1);
});

Deno.test("each default has a proof", () => {
  const rows = Object.entries(DEFAULT_VALUES).flatMap(([kind, values]) =>
    Object.keys(values).map((path) => `${kind} ${path}`)
  );
  assert.deepEqual(Object.keys(PROOFS).sort(), rows.sort());
});

for (const [kind, values] of Object.entries(DEFAULT_VALUES)) {
  Deno.test(`an absent field of ${kind} means the default of the reference`, () => {
    const stage = kind in SECURITY_SCENES
      ? openSecured(BACKGROUND)
      : openStage(`${BACKGROUND}---\n${EXTENSION_BACKGROUND}`);
    const scene = ALL[kind]!;
    const wrong: string[] = [];
    for (const [path, value] of Object.entries(values)) {
      const { spec = scene.specOf(path), other } = PROOFS[`${kind} ${path}`]!;
      const served = (one?: unknown) => servedWith(stage, scene, withValue(spec, path, one));
      const absent = served();
      if (served(value) !== absent) wrong.push(`${path}: the default gives other resources`);
      if (served(other) === absent) wrong.push(`${path}: another value gives the same resources`);
    }
    assert.deepEqual(wrong, []);
  });
}
