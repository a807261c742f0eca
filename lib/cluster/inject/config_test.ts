/** The configuration of injection: what acts, what warns, and what templates may call. */
import assert from "node:assert/strict";
import { type InjectionInput, injectPod, parseInjectionConfig } from "./mod.ts";
import { injectedPod, inputOf, podOf } from "./testing.ts";

const configOf = (values: object, variables?: ReadonlySet<string>, templates: object = {}) =>
  parseInjectionConfig({
    config: JSON.stringify({ templates }),
    values: JSON.stringify(values),
    variables,
  });

Deno.test("values that no template acts on are named", () => {
  assert.deepEqual(configOf({}).warnings, []);
  const global = { caName: "OtherCA", proxy: { tracer: "zipkin" } };
  const warnings = configOf({ global }).warnings;
  assert.equal(warnings.length, 2);
  assert.match(warnings[0]!, /^values\.global\.caName: "OtherCA" is not supported; /);
  assert.match(warnings[1]!, /^values\.global\.proxy\.tracer: "zipkin" does nothing here; set /);
  const effective = { caName: "MeshCA", proxy: { tracer: "datadog" } };
  assert.deepEqual(configOf({ global: effective }).warnings, []);
});

Deno.test("tracers: variables of an annotation, and the authorities of a collector", () => {
  const traced = (tracer: string) => {
    const config = configOf({ global: { proxy: { tracer } } });
    const tls = "tlsSettings: {mode: SIMPLE, caCertificates: /etc/lightstep/ca.pem}";
    const { spec } = injectedPod({
      annotations: {
        "apm.datadoghq.com/env": '{"DD_ENV": "prod"}',
        "proxy.mesh.io/config": `{tracing: {lightstep: {address: "a:1", accessToken: x}, ${tls}}}`,
      },
    }, { config });
    const proxy = spec!.containers[1]!;
    const mounts = proxy.volumeMounts as { name: string; mountPath: string }[];
    return [
      proxy.env?.find(({ name }) => name === "DD_ENV")?.value,
      mounts.find(({ name }) => name === "lightstep-certs")?.mountPath,
      spec!.volumes?.some(({ name }) => name === "lightstep-certs"),
    ];
  };
  assert.deepEqual(traced("none"), [undefined, undefined, false]);
  assert.deepEqual(traced("datadog"), ["prod", undefined, false]);
  assert.deepEqual(traced("lightstep"), [undefined, "/etc/lightstep", true]);
});

Deno.test("seccompProfile is that of the proxy and of the init container", () => {
  const seccompProfile = { type: "RuntimeDefault" };
  const config = configOf({ global: { proxy: { seccompProfile } } });
  const profiles = (input: Partial<InjectionInput>) => {
    const { containers, initContainers } = injectedPod({}, input).spec!;
    return [initContainers![0]!, containers[1]!].map(({ securityContext }) =>
      JSON.stringify((securityContext as Record<string, unknown>).seccompProfile)
    );
  };
  const wanted = JSON.stringify(seccompProfile);
  assert.deepEqual(profiles({ config }), [wanted, wanted]);
  assert.deepEqual(profiles({}), [undefined, undefined]);
});

Deno.test("env gives variables of the daemon, else its second argument; unknown ones warn", () => {
  const sidecar =
    'spec: {x: "{{ env "CLUSTER_ID" "none" }} {{ if true }}{{ env "OTHER" "b" | quote }}' +
    '{{ end }} {{ env "ENABLE_NATIVE_SIDECARS" }}"}';
  const config = configOf({}, new Set(["CLUSTER_ID", "ENABLE_NATIVE_SIDECARS"]), {
    sidecar: sidecar.replace(" | quote", ""),
  });
  assert.equal(config.warnings.length, 1);
  assert.match(
    config.warnings[0]!,
    /^config\.templates\.sidecar: the daemon has no variable OTHER/,
  );
  const rendered = (daemonVariable?: (name: string) => string | undefined) =>
    injectPod(podOf(), inputOf({ config, daemonVariable, nativeSidecars: true })).spec!.x;
  assert.equal(rendered(), "none b true");
  assert.equal(rendered((name) => name === "CLUSTER_ID" ? "one" : undefined), "one b true");
});

/** Actions of a custom template and what they write. */
const FUNCTIONS: readonly (readonly [string, string])[] = [
  ["formatDuration .ProxyConfig.DrainDuration", "45s"],
  ['formatDuration "90s"', "1m30s"],
  ["formatDuration .ProxyConfig.Nothing", "0s"],
  ["applicationPorts .Spec.Containers", "80,81"],
  ["includeInboundPorts .Spec.Containers", "80,81,90"],
  ['kubevirtInterfaces "a,b"', "a,b"],
  ['excludeInterfaces "a,b"', "a,b"],
  [
    'toJson (omitNil (dict "a" 1 "b" (dict "c" .Nothing "d" 2))) | b64enc',
    btoa('{"a":1,"b":{"c":"","d":2}}'),
  ],
  ['toJson (omitNil (fromJson `{"a":null,"b":{"c":null}}`)) | b64enc', btoa('{"b":{}}')],
];
for (const [action, expected] of FUNCTIONS) {
  Deno.test(`function of templates: ${action}`, () => {
    const sidecar = JSON.stringify({ spec: { x: "" } }).replace('""', `"{{ ${action} }}"`);
    const config = configOf({}, undefined, { sidecar });
    const ports = [{ containerPort: 80 }, { containerPort: 53, protocol: "UDP" }, {
      containerPort: 81,
    }];
    const containers = [{ name: "web", ports }, {
      name: "mesh-proxy",
      ports: [{ containerPort: 90 }],
    }];
    const { spec } = injectPod(podOf({ spec: { containers } }), inputOf({ config }));
    assert.equal(spec!.x, expected);
  });
}

Deno.test("errors of the runtime do not reach the message", () => {
  const failing = (action: string) => () =>
    injectPod(
      podOf(),
      inputOf({ config: configOf({}, undefined, { sidecar: `{{ ${action} }}` }) }),
    );
  assert.throws(failing("fromJson `{`"), { message: /: the text is not JSON$/ });
  assert.throws(failing("b64dec `*`"), { message: /: b64dec failed$/ });
  assert.throws(failing("index (list 1) 5"), { message: /the list of 1 has no element 5$/ });
});

Deno.test("a pod of MESH_META_ENABLE_HBONE says that it takes tunnels", () => {
  const annotations = {
    "proxy.mesh.io/config": "proxyMetadata: {MESH_META_ENABLE_HBONE: 'true'}",
  };
  const label = "networking.mesh.io/tunnel";
  assert.equal(injectedPod({ annotations }).metadata?.labels?.[label], "http");
  assert.equal(injectedPod().metadata?.labels?.[label], undefined);
});
