import assert from "node:assert/strict";
import { decide } from "./decide.ts";
import type { CniPod } from "./types.ts";

const STATUS = { "sidecar.mesh.io/status": "{}" };
const PROXY = { name: "mesh-proxy" };

interface PodCase {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: CniPod["spec"];
}

function pod({ annotations = STATUS, spec = {} }: PodCase): CniPod {
  return {
    metadata: { name: "a", namespace: "shop", annotations },
    spec: { containers: [{ name: "app" }, PROXY], ...spec },
  };
}

function withVariable(value: string): PodCase {
  const env = [{ name: "DISABLE_DATAPROXY", value: "false" }, { name: "DISABLE_DATAPROXY", value }];
  return { spec: { containers: [{ ...PROXY, env }] } };
}

const CASES: readonly [name: string, given: PodCase, skipped: RegExp | undefined][] = [
  ["a sidecar", {}, undefined],
  ["a native sidecar", { spec: { containers: [], initContainers: [PROXY] } }, undefined],
  ["with mesh-validation", { spec: { initContainers: [{ name: "mesh-validation" }] } }, undefined],
  ["with mesh-init", { spec: { initContainers: [{ name: "mesh-init" }] } }, /mesh-init/],
  ["no sidecar", { annotations: {} }, /sidecar\.mesh\.io\/status/],
  ["no proxy", { spec: { containers: [{ name: "app" }] } }, /no container mesh-proxy/],
  ["the node's network", { spec: { hostNetwork: true } }, /the node's network/],
  [
    "injection refused",
    { annotations: { ...STATUS, "sidecar.mesh.io/inject": "false" } },
    /inject is false/,
  ],
  [
    "injection wanted",
    { annotations: { ...STATUS, "sidecar.mesh.io/inject": "true" } },
    undefined,
  ],
  [
    "mode NONE",
    { annotations: { ...STATUS, "sidecar.mesh.io/interceptionMode": "NONE" } },
    /interceptionMode is NONE/,
  ],
  [
    "mode TPROXY",
    { annotations: { ...STATUS, "sidecar.mesh.io/interceptionMode": "TPROXY" } },
    undefined,
  ],
  ["a disabled proxy", withVariable("true"), /DISABLE_DATAPROXY/],
  ["a proxy that is not disabled", withVariable("false"), undefined],
];

for (const [name, given, skipped] of CASES) {
  Deno.test(`capture of a pod: ${name}`, () => {
    const decision = decide(pod(given));
    if (skipped === undefined) {
      assert.equal(decision.kind, "capture");
    } else {
      assert.ok(decision.kind === "skip");
      assert.match(decision.reason, skipped);
    }
  });
}
