import assert from "node:assert/strict";
import type { CniPod } from "../cni/mod.ts";
import { enrolmentOf, type Labels, MODE } from "./enrolment.ts";

interface PodCase {
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly spec?: CniPod["spec"];
  readonly phase?: string;
}

function pod({ labels = {}, annotations = {}, spec = {}, phase = "Running" }: PodCase): CniPod {
  return {
    metadata: { name: "a", namespace: "shop", labels, annotations },
    spec,
    status: { phase },
  };
}

const AMBIENT: Labels = { "mesh.io/dataplane-mode": "ambient" };
const NONE: Labels = { [MODE]: "none" };

const CASES: readonly [name: string, given: PodCase, of: Labels, out: RegExp | undefined][] = [
  ["the namespace has the label", {}, AMBIENT, undefined],
  ["the pod has the label", { labels: AMBIENT }, {}, undefined],
  ["nobody has the label", {}, {}, /label .* of its namespace/],
  ["the pod refuses", { labels: NONE }, AMBIENT, /label .* of the pod/],
  ["the pod has another value", { labels: { [MODE]: "Ambient" } }, AMBIENT, /of the pod/],
  ["the namespace refuses, the pod does not", { labels: AMBIENT }, NONE, undefined],
  ["a sidecar", { annotations: { "sidecar.mesh.io/status": "{}" } }, AMBIENT, /sidecar/],
  ["the node's network", { spec: { hostNetwork: true } }, AMBIENT, /node's network/],
  ["the node proxy", { labels: { app: "ztunnel" } }, AMBIENT, /node proxy/],
  ["a job that has ended", { phase: "Succeeded" }, AMBIENT, /has ended/],
  ["a pod that has not started", { phase: "Pending" }, AMBIENT, undefined],
];

for (const [name, given, namespace, out] of CASES) {
  Deno.test(`enrolment: ${name}`, () => {
    const found = enrolmentOf(pod(given), namespace);
    if (out === undefined) return assert.deepEqual(found, { kind: "in" });
    assert.match(found.kind === "out" ? found.reason : "", out);
  });
}

Deno.test("enrolment: pods of excluded namespaces are left alone", () => {
  const found = enrolmentOf(pod({ labels: AMBIENT }), AMBIENT, new Set(["shop"]));
  assert.equal(found.kind, "out");
});
