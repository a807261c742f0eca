/**
 * Each variable of translation, flipped in the environment: the resources that it changes.
 */
import assert from "node:assert/strict";
import {
  featuresWith,
  proxyNode,
  startTranslation,
} from "../../../tests/support/translation_fixture.ts";
import { type Any, AnySchema, create, SERVED_TYPES, toJson } from "../../kit/proto/mod.ts";
import { parseMeshConfig, parseMeshNetworks } from "../schema/mod.ts";
import { TYPE_URLS } from "./resources/mod.ts";

const object = (kind: string, name: string, spec: string, namespace = "one"): string =>
  `apiVersion: networking.mesh.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;

const service = (name: string, port: string, more: string, address = "240.0.0.1"): string =>
  object(
    "ServiceEntry",
    name,
    `{hosts: [${name}.example], addresses: [${address}], location: MESH_INTERNAL, ports: [${port}], ${more}}`,
  );

const web = "{number: 80, name: http, protocol: HTTP}";
const DOCUMENTS = [
  service(
    "web",
    web,
    "resolution: STATIC, endpoints: [{address: 10.0.0.1, locality: r/z}, " +
      "{address: 10.0.0.2, labels: {mesh.io/draining: 'true', other: 'true'}}]",
  ),
  service(
    "own",
    web,
    "resolution: STATIC, endpoints: [{address: 172.16.0.1}, {address: 'fd00::1'}]",
    "240.0.0.2",
  ),
  service("named", web, "resolution: DNS, endpoints: [{address: db.example}]", "240.0.0.3"),
  service(
    "documents",
    "{number: 27017, name: mongo, protocol: Mongo}",
    "resolution: STATIC, endpoints: [{address: 10.0.0.3}]",
    "240.0.0.4",
  ),
  service(
    "unresolved",
    "{number: 85, name: http, protocol: HTTP, targetPort: 8085}",
    "resolution: NONE",
    "240.0.0.5",
  ),
  service(
    "anything",
    "{number: 9002, name: any, protocol: ''}",
    "resolution: STATIC, endpoints: [{address: 10.0.0.4}]",
    "240.0.0.6",
  ),
  service(
    "secure",
    web,
    "resolution: STATIC, endpoints: [{address: 10.0.0.5}]",
    "240.0.0.7",
  ),
  object(
    "DestinationRule",
    "secure",
    "{host: secure.example, trafficPolicy: {tls: {mode: SIMPLE}}}",
  ),
  object(
    "DestinationRule",
    "first",
    "{host: web.example, exportTo: ['.'], subsets: [{name: a, labels: {v: a}}]}",
  ),
  object("DestinationRule", "second", "{host: web.example, subsets: [{name: b, labels: {v: b}}]}"),
].join("---\n");

/** All resources of some proxies, as lines of JSON. */
function linesWith(env: Readonly<Record<string, string>>): string[] {
  const config = parseMeshConfig("{accessLogFile: /dev/stdout}", "mesh").value;
  const bench = startTranslation(config, featuresWith(env));
  bench.set(DOCUMENTS);
  const networks = parseMeshNetworks(
    "networks: {far: {endpoints: [{fromCidr: 100.64.0.0/10}], gateways: [{address: 1.1.1.1, port: 1}]}}",
    "networks",
  ).value;
  bench.apply({ networks });
  const proxies = [proxyNode("one"), proxyNode("one", { ip: "fd00::1", ips: ["fd00::1"] })];
  return proxies.flatMap((node) => {
    const binding = bench.translation.source.bind(node, () => {});
    return Object.values(TYPE_URLS).flatMap((typeUrl) =>
      [...binding.view(typeUrl)?.entries() ?? []].flatMap(({ name, version, bytes }) => {
        const any: Any = create(AnySchema, { typeUrl, value: bytes });
        const json = toJson(AnySchema, any, { registry: SERVED_TYPES });
        // JSON does not show fields that the generated code does not have; the version does.
        const lines = [`version ${version}`, ...JSON.stringify(json, null, 1).split("\n")];
        return lines.map((line) => `${name} ${line.trim()}`);
      })
    );
  });
}

/** Lines that one of the two has more often. */
function differences(a: readonly string[], b: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of b) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts].flatMap(([line, count]) => count === 0 ? [] : [line]).sort();
}

/** Variable, the value that is not its default, and a line that is in only one of the two. */
const FLIPPED: readonly [variable: string, value: string, line: RegExp][] = [
  ["DATAPROXY_DNS_JITTER_DURATION", "7s", /named\.example version/],
  ["ENABLE_100_CONTINUE_HEADERS", "false", /proxy100Continue/],
  ["ENABLE_AUTO_SNI", "false", /secure\.example.*autoSni/],
  ["ENABLE_ENHANCED_DESTINATIONRULE_MERGE", "false", /\|[ab]\|web\.example/],
  ["ENABLE_HCM_INTERNAL_NETWORKS", "true", /100\.64\.0\.0/],
  ["ENABLE_INBOUND_RETRY_POLICY", "false", /retryOn|retryPolicy/],
  ["ENABLE_LOCALITY_WEIGHTED_LB_CONFIG", "true", /localityWeightedLbConfig/],
  ["ENABLE_RESOLUTION_NONE_TARGET_PORT", "false", /unresolved\.example.*8085/],
  ["EXCLUDE_UNSAFE_503_FROM_DEFAULT_RETRY", "false", /503|retriableStatusCodes|retryOn/],
  ["MESH_ENABLE_IPV4_OUTBOUND_LISTENER_FOR_IPV6_CLUSTERS", "true", /0\.0\.0\.0/],
  ["PILOT_DRAINING_LABEL", "other.test/label", /web\.example.*DRAINING/],
  ["PILOT_ENABLE_ALPN_FILTER", "false", /alpn|set_filter_state|http\/1\.1/i],
  ["PILOT_ENABLE_DOCDB_FILTER", "false", /mongo_proxy/],
  ["PILOT_ENABLE_METADATA_EXCHANGE", "false", /peer|metadata/i],
  ["PILOT_HTTP10", "true", /acceptHttp10/],
  ["PILOT_SEND_UNHEALTHY_ENDPOINTS", "true", /healthyPanicThreshold|panic/i],
  ["PILOT_SIDECAR_USE_REMOTE_ADDRESS", "true", /useRemoteAddress/],
];

const BEFORE = linesWith({});

for (const [variable, value, line] of FLIPPED) {
  Deno.test(`${variable}=${value} changes resources`, () => {
    const changed = differences(BEFORE, linesWith({ [variable]: value }));
    assert.ok(changed.some((one) => line.test(one)), changed.slice(0, 30).join("\n"));
  });
}
