/** Proxy configuration in clusters and routes, mesh-wide and of single proxies. */
import assert from "node:assert/strict";
import { type Cluster, ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { HttpProtocolOptionsSchema } from "#envoy/extensions/upstreams/http/v3/http_protocol_options_pb.ts";
import { SETTINGS_DOCUMENTS } from "../../../../tests/support/proxy_settings_documents.ts";
import {
  type Bench,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { type DescMessage, fromBinary, type MessageShape } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { TYPE_URLS } from "../resources/mod.ts";

function benchWith(config: string): Bench {
  const parsed = parseMeshConfig(`defaultConfig: ${config}`, "mesh");
  assert.deepEqual([parsed.problems, parsed.warnings], [[], []]);
  const bench = startTranslation(parsed.value);
  bench.set(SETTINGS_DOCUMENTS);
  return bench;
}

type Type = "cluster" | "listener" | "route";

const SCHEMAS = {
  cluster: ClusterSchema,
  listener: ListenerSchema,
  route: RouteConfigurationSchema,
} as const;

/** A resource as a proxy sees it; `own` is its `PROXY_CONFIG`. */
function see<T extends Type>(
  { translation }: Bench,
  type: T,
  name: string,
  own?: unknown,
): MessageShape<(typeof SCHEMAS)[T]> {
  const metadata = own === undefined ? {} : { PROXY_CONFIG: own };
  const binding = translation.source.bind(proxyNode("one", { metadata }), () => {});
  const { bytes } = binding.view(TYPE_URLS[type])!.get(name)!;
  return fromBinary(SCHEMAS[type] as DescMessage, bytes) as MessageShape<(typeof SCHEMAS)[T]>;
}

Deno.test("the number of the attempt is sent, unless it is hidden", () => {
  const exchanged = (bench: Bench): boolean[] =>
    see(bench, "route", "8080").virtualHosts.map((host) => host.includeRequestAttemptCount);
  assert.deepEqual(exchanged(benchWith("{}")), [true, true]);
  const hidden = benchWith("{proxyHeaders: {attemptCount: {disabled: true}}}");
  assert.deepEqual(exchanged(hidden), [false, false]);
});

Deno.test("a rewritten host may be sent together with the original one", () => {
  const forwards = (bench: Bench): boolean[] =>
    see(bench, "route", "8080").virtualHosts.flatMap(({ routes }) =>
      routes.map(({ action }) => action.case === "route" && action.value.appendXForwardedHost)
    );
  assert.deepEqual(forwards(benchWith("{}")), [false, false, false]);
  const enabled = benchWith("{proxyHeaders: {xForwardedHost: {enabled: true}}}");
  assert.deepEqual(forwards(enabled), [true, false, false]);
});

/** Reports if HTTP/1 headers keep their case towards a cluster. */
function keepsCase({ typedExtensionProtocolOptions: options }: Cluster): boolean {
  const [packed] = Object.values(options);
  if (packed === undefined) return false;
  const { upstreamProtocolOptions: chosen } = fromBinary(HttpProtocolOptionsSchema, packed.value);
  const http1 = chosen.case === "explicitHttpConfig"
    ? chosen.value.protocolConfig.case === "httpProtocolOptions" &&
      chosen.value.protocolConfig.value
    : chosen.case === "useDownstreamProtocolConfig" && chosen.value.httpProtocolOptions;
  return http1 !== false && http1?.headerKeyFormat !== undefined;
}

Deno.test("headers keep their case towards services that speak HTTP/1", () => {
  const bench = benchWith("{proxyHeaders: {preserveHttp1HeaderCase: true}}");
  const kept = ["outbound|8080||a.example", "outbound|9090||a.example", "inbound|8080||"]
    .map((name) => keepsCase(see(bench, "cluster", name)));
  assert.deepEqual(kept, [true, false, true]);
  assert.ok(!keepsCase(see(benchWith("{}"), "cluster", "outbound|8080||a.example")));
});

Deno.test("buffers towards services are bounded", () => {
  const bound = (config: string): (number | undefined)[] =>
    ["outbound|8080||a.example", "inbound|8080||"].map((name) =>
      see(benchWith(config), "cluster", name).perConnectionBufferLimitBytes
    );
  assert.deepEqual(bound("{}"), [undefined, undefined]);
  const said = bound("{connectionSettings: {clusterPerConnectionBufferLimitBytes: 4096}}");
  assert.deepEqual(said, [4096, 4096]);
  assert.deepEqual(bound("{connectionSettings: {profile: EDGE}}"), [32_768, 32_768]);
});

Deno.test("settings of the proxy override those of the mesh field by field", () => {
  const bench = benchWith(
    "{connectionSettings: {listenerPerConnectionBufferLimitBytes: 1}, proxyHeaders: {preserveHttp1HeaderCase: true}}",
  );
  const buffers = (own?: unknown): number | undefined =>
    see(bench, "listener", "virtualInbound", own).perConnectionBufferLimitBytes;
  assert.equal(buffers(), 1);
  assert.equal(buffers({ connectionSettings: { listenerPerConnectionBufferLimitBytes: 2 } }), 2);
  assert.equal(buffers({ proxyHeaders: {}, statusPort: 1 }), 1);
  const inbound = (own?: unknown): boolean =>
    keepsCase(see(bench, "cluster", "inbound|8080||", own));
  assert.deepEqual([inbound(), inbound({ proxyHeaders: {} })], [true, false]);
});

Deno.test("invalid settings of a proxy are ignored", () => {
  const bench = benchWith("{}");
  const { source } = bench.translation;
  const classKey = (own: unknown): string => {
    const metadata = { PROXY_CONFIG: own };
    return source.bind(proxyNode("one", { metadata }), () => {}).classKey;
  };
  const plain = classKey(undefined);
  const useless: readonly unknown[] = [
    "text",
    null,
    { statusPort: 2 },
    { connectionSettings: "many" },
    { connectionSettings: { listenerPerConnectionBufferLimitBytes: -1 } },
    { gatewayTopology: { numTrustedProxies: -1 } },
    { proxyHeaders: { server: { value: "x".repeat(9000) } } },
  ];
  for (const own of useless) assert.equal(classKey(own), plain, JSON.stringify(own)?.slice(0, 80));
  assert.notEqual(classKey({ connectionSettings: { httpMergeSlashes: true } }), plain);
});
