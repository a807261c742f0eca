import assert from "node:assert/strict";
import {
  documents,
  manifest,
  serviceEntry,
  type Spec,
} from "../../../../tests/support/manifest.ts";
import { startTranslation } from "../../../../tests/support/translation_fixture.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { toYaml } from "../../../kit/text/mod.ts";
import { unresolvedProviders } from "./unresolved_providers.ts";

const MESH = `extensionProviders:

- {name: file, dataproxyFileAccessLog: {path: /dev/stdout}}

- {name: zipkin, zipkin: {service: zipkin.test, port: 9411}}

- {name: census, opencensus: {service: a.test, port: 1}}

- {name: by-http, dataproxyExtAuthzHttp: {service: ask.test, port: 80}}

- {name: by-grpc, dataproxyExtAuthzGrpc: {service: ask.test, port: 80}}

- {name: lost, dataproxyExtAuthzGrpc: {service: nobody.test, port: 80}}

defaultProviders: {tracing: [nowhere], accessLogging: [file]}

`;

function unresolved(...texts: readonly string[]): string[] {
  const { value: config } = parseMeshConfig(MESH, "mesh");
  const bench = startTranslation(config);
  bench.set(
    documents(serviceEntry("ask", ["ask.test"], { number: 80, protocol: "HTTP" }, []), ...texts),
  );
  return unresolvedProviders(bench.translation.mesh).filter(({ object }) =>
    texts.length === 0 || object !== ""
  )
    .map(({ object, field, message, remedy }) => {
      assert.ok(remedy.endsWith("."), remedy);
      return `${object} ${field}: ${message}`;
    });
}

const of = (group: string, text: string): string =>
  text.replace("networking.mesh.io/v1", `${group}.mesh.io/v1`);

const telemetry = (spec: Spec): string => of("telemetry", manifest("Telemetry", "t", spec));

function custom(
  provider: string,
  annotations: Readonly<Record<string, string>> = {},
  name = "p",
): string {
  return toYaml({
    apiVersion: "security.mesh.io/v1",
    kind: "AuthorizationPolicy",
    metadata: { name, namespace: "test", annotations },
    spec: {
      selector: { matchLabels: { app: "till" } },
      action: "CUSTOM",
      provider: { name: provider },
      rules: [{}],
    },
  });
}

const TILL = serviceEntry("till", ["till.test"], { number: 90, protocol: "TCP" }, [
  { address: "10.0.0.1", labels: { app: "till" } },
]);

Deno.test("missing or unsuitable providers are reported for the objects that name them", () => {
  assert.deepEqual(unresolved(), [
    ' defaultProviders.tracing[0]: there is no extension provider "nowhere"',
  ]);
  const signals = unresolved(telemetry({
    tracing: [{ providers: [{ name: "census" }] }],
    metrics: [{ providers: [{ name: "file" }] }],
    accessLogging: [{ providers: [{ name: "file" }, { name: "gone" }] }],
  }));
  assert.deepEqual(signals.map((line) => line.replace(/; .*/, "")), [
    'Telemetry/test/t spec.accessLogging[0].providers[1].name: there is no extension provider "gone"',
    'Telemetry/test/t spec.metrics[0].providers[0].name: extension provider "file" (dataproxyFileAccessLog) does not take metrics',
    'Telemetry/test/t spec.tracing[0].providers[0].name: extension provider "census" does nothing: the proxy has no tracer for OpenCensus any more',
  ]);
  assert.deepEqual(unresolved(telemetry({ tracing: [{ providers: [{ name: "zipkin" }] }] })), []);
});

Deno.test("CUSTOM policies: missing providers, unsupported sources and dry runs are reported", () => {
  const at = "AuthorizationPolicy/test/p spec.provider.name:";
  const cases: readonly (readonly [string, string | undefined])[] = [
    [
      custom("nobody"),
      `${at} requests that its rules select are denied: there is no extension provider "nobody"`,
    ],
    [
      custom("file"),
      `${at} requests that its rules select are denied: provider "file": it does not authorise`,
    ],
    [
      custom("lost"),
      `${at} requests that its rules select are denied: provider "lost": its service "nobody.test" is not known`,
    ],
    [
      custom("by-http"),
      `${at} provider "by-http" speaks HTTP and is not asked about connections that do not: till.test:90`,
    ],
    [custom("by-grpc"), undefined],
    [
      custom("by-http", { "mesh.io/dry-run": "true" }),
      "AuthorizationPolicy/test/p metadata.annotations: a policy of action CUSTOM cannot be tried: " +
      "while the annotation for trials is there, no provider is asked",
    ],
  ];
  for (const [text, expected] of cases) {
    assert.deepEqual(unresolved(TILL, text), expected === undefined ? [] : [expected]);
  }
  const elsewhere = TILL.replaceAll("app: till", "app: other");
  assert.deepEqual(unresolved(elsewhere, custom("by-http")), [], "no such workload");
});

Deno.test("two policies of one workload that name different providers are reported", () => {
  const [grpc, http] = [custom("by-grpc"), custom("lost", {}, "q")];
  const lines = unresolved(grpc, http).filter((line) => line.includes("two providers"));
  assert.deepEqual(lines, [
    "AuthorizationPolicy/test/p spec.provider.name: workloads that AuthorizationPolicy/test/q " +
    'selects too have two providers, "by-grpc" and "lost": requests that their rules select are ' +
    "denied there",
    "AuthorizationPolicy/test/q spec.provider.name: workloads that AuthorizationPolicy/test/p " +
    'selects too have two providers, "lost" and "by-grpc": requests that their rules select are ' +
    "denied there",
  ]);
  const apart = http.replace("app: till", "app: other");
  assert.notEqual(apart, http);
  assert.deepEqual(unresolved(grpc, apart).filter((line) => line.includes("two providers")), []);
});
