/** The work for one pod is bounded before it begins. */
import assert from "node:assert/strict";
import { injectPod, type Pod, templatesOf } from "./mod.ts";
import { defaultInjectionConfig, parseInjectionConfig } from "./mod.ts";
import { inputOf, podOf } from "./testing.ts";

const many = <T>(count: number, one: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => one(i));
const annotated = (name: string, value: string) => podOf({ annotations: { [name]: value } });
/** A pod that claims to have been injected before, from these containers. */
const recorded = (containers: readonly object[]) =>
  podOf({
    annotations: {
      "sidecar.mesh.io/status": "{}",
      "proxy.mesh.io/overrides": JSON.stringify({ containers }),
    },
  });
const named = (count: number) => many(count, (i) => ({ name: `c${i}`, image: "x" }));

/** Pods that are refused, by what is too large. */
const REFUSED: Readonly<Record<string, readonly [Pod, RegExp]>> = {
  containers: [podOf({ spec: { containers: named(50_000) } }), /number of containers is 50000/],
  "init containers": [podOf({ spec: { initContainers: named(50_000) } }), /number of containers/],
  ports: [
    podOf({
      spec: { containers: [{ name: "a", ports: many(5000, (i) => ({ containerPort: i })) }] },
    }),
    /number of ports is 5000/,
  ],
  annotations: [
    podOf({ annotations: Object.fromEntries(many(5000, (i) => [`a${i}`, ""])) }),
    /number of entries/,
  ],
  labels: [
    podOf({ labels: Object.fromEntries(many(5000, (i) => [`a${i}`, ""])) }),
    /number of entries/,
  ],
  "a long annotation": [annotated("a", "x".repeat(300_000)), /number of characters/],
  "proxy configuration": [
    annotated("proxy.mesh.io/config", JSON.stringify({ runtimeValues: many(5000, () => 1) })),
    /proxy\.mesh\.io\/config"\]: the number of values/,
  ],
  volumes: [
    annotated("sidecar.mesh.io/userVolume", JSON.stringify(many(5000, () => ({ emptyDir: {} })))),
    /userVolume"\]: the number of values/,
  ],
  mounts: [
    annotated("sidecar.mesh.io/userVolumeMount", JSON.stringify(many(5000, () => 1))),
    /userVolumeMount"\]: the number of values/,
  ],
  "containers that an earlier injection recorded": [
    recorded(many(50_000, () => ({}))),
    /proxy\.mesh\.io\/overrides"\]: the number of containers is 50001/,
  ],
  "ports that an earlier injection recorded": [
    recorded([{ name: "a", ports: many(20_000, () => ({})) }]),
    /proxy\.mesh\.io\/overrides"\]: the number of ports/,
  ],
  ...Object.fromEntries(
    [
      "readiness.status.sidecar.mesh.io/applicationPorts",
      "traffic.sidecar.mesh.io/excludeInboundPorts",
      "traffic.sidecar.mesh.io/excludeOutboundIPRanges",
      "traffic.sidecar.mesh.io/excludeOutboundPorts",
      "traffic.sidecar.mesh.io/includeInboundPorts",
      "traffic.sidecar.mesh.io/includeOutboundIPRanges",
      "traffic.sidecar.mesh.io/includeOutboundPorts",
    ].map((name) => [
      `the list ${name}`,
      [annotated(name, "10.0.0.0/8,".repeat(20_000)), /the number of values is 20001/] as const,
    ]),
  ),
  "names of templates": [
    annotated("inject.mesh.io/templates", many(30_000, (i) => `t${i}`).join()),
    /number of templates is 30000/,
  ],
};
for (const [what, [pod, message]] of Object.entries(REFUSED)) {
  Deno.test(`refused by its size: ${what}`, () => {
    assert.throws(() => injectPod(pod, inputOf()), { code: "inject-size", message });
  });
}

Deno.test("containers of one name are refused: each would be merged with the template's", () => {
  const one = { name: "mesh-proxy", image: "auto" };
  const pod = podOf({ spec: { initContainers: [one], containers: [...named(2), one] } });
  assert.throws(() => injectPod(pod, inputOf()), {
    message: /two containers have the name mesh-p/,
  });
});

Deno.test("a template counts once, however often and through whatever alias it is named", () => {
  const config = parseInjectionConfig({
    config: "aliases: {both: [sidecar, grpc-agent]}",
    values: "",
  });
  const text = "sidecar,both,".repeat(16_000);
  const pod = annotated("inject.mesh.io/templates", text);
  assert.deepEqual(templatesOf(pod, config), ["sidecar", "grpc-agent"]);
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.throws(() => templatesOf(annotated("inject.mesh.io/templates", name), config), {
      message: /there is no template/,
    });
  }
});

Deno.test("templates of a pod share the bounds of steps and output", () => {
  const of = (sidecar: string, more = sidecar) =>
    parseInjectionConfig({
      config: JSON.stringify({ templates: { sidecar, more } }),
      values: "",
    });
  const pod = annotated("inject.mesh.io/templates", "sidecar,more");
  const long = (count: number) => `x: "{{ repeat ${count} "a" }}"`;
  const steps = "{{ range until 9000 }}{{ with 1 }}{{ end }}{{ end }}";
  assert.ok(injectPod(pod, inputOf({}, of(long(500_000)))));
  assert.throws(() => injectPod(pod, inputOf({}, of(long(600_000)))), /writes too much text/);
  assert.ok(injectPod(pod, inputOf({}, of(steps, "{}"))));
  assert.throws(() => injectPod(pod, inputOf({}, of(steps.repeat(3)))), /runs too many actions/);
  const values = "x: [{{ range until 9000 }}1,{{ end }}]";
  assert.ok(injectPod(pod, inputOf({}, of(values, "{}"))));
  assert.throws(() => injectPod(pod, inputOf({}, of(values))), /has too many values/);
});

/** Pods within the bounds whose work must not grow with the square of their size. */
const LARGE: Readonly<Record<string, Pod>> = {
  "many variables of a proxy of the user's": podOf({
    spec: {
      containers: [{
        name: "mesh-proxy",
        image: "auto",
        env: many(30_000, (i) => ({ name: `E${i}`, value: "" })),
      }],
    },
  }),
  "many volumes": podOf({
    spec: { volumes: many(30_000, (i) => ({ name: `v${i}`, emptyDir: {} })) },
  }),
  "many mounts": podOf({
    spec: {
      containers: [{
        name: "mesh-proxy",
        image: "auto",
        volumeMounts: many(30_000, (i) => ({ name: "v", mountPath: `/${i}` })),
      }],
    },
  }),
  "200 containers": podOf({
    annotations: { "inject.mesh.io/templates": "sidecar,grpc-agent,grpc-simple" },
    spec: { containers: named(199) },
  }),
  "a long text of lines": annotated("sidecar.mesh.io/logLevel", "x\n".repeat(100_000)),
};
for (const [what, pod] of Object.entries(LARGE)) {
  Deno.test(`injected in bounded time: ${what}`, () => {
    const config = defaultInjectionConfig();
    injectPod(podOf(), inputOf({}, config));
    const begin = performance.now();
    assert.ok(injectPod(pod, inputOf({}, config)));
    // 100 ms on an idle machine; quadratic work takes seconds.
    const took = performance.now() - begin;
    assert.ok(took < 1000, `${took} ms`);
  });
}
