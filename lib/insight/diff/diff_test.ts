import assert from "node:assert/strict";
import {
  type DescMessage,
  encode,
  fromJson,
  type JsonValue,
  SERVED_TYPES,
  TYPE_URL_PREFIX,
} from "../../kit/proto/mod.ts";
import { DownstreamTlsContextSchema } from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { diffJson, diffResource, renderChanges, showJson, showResource } from "./mod.ts";

const CONFIG = `${TYPE_URL_PREFIX}envoy.config.`;
const CLUSTER = `${CONFIG}cluster.v3.Cluster`;
const ENDPOINTS = `${CONFIG}endpoint.v3.ClusterLoadAssignment`;
const ROUTES = `${CONFIG}route.v3.RouteConfiguration`;
const LISTENER = `${CONFIG}listener.v3.Listener`;
const HTTP =
  `${TYPE_URL_PREFIX}envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`;

function bytesOf(typeUrl: string, json: JsonValue): Uint8Array {
  const schema = SERVED_TYPES.getMessage(typeUrl.slice(TYPE_URL_PREFIX.length)) as DescMessage;
  return encode(schema, fromJson(schema, json, { registry: SERVED_TYPES }));
}

const lb = (address: string, port: number, weight: number): JsonValue => ({
  endpoint: { address: { socketAddress: { address, portValue: port } } },
  loadBalancingWeight: weight,
});

const host = (name: string, ...routes: JsonValue[]): JsonValue => ({
  name,
  domains: [name],
  routes,
});

const prefix = (path: string, cluster: string, timeout = "0s"): JsonValue => ({
  match: { prefix: path },
  route: { cluster, timeout },
});

const manager = (idle: string): JsonValue => ({
  name: "0.0.0.0_80",
  filterChains: [{
    name: "main",
    filters: [{
      name: "http",
      typedConfig: { "@type": HTTP, statPrefix: "x", streamIdleTimeout: idle },
    }],
  }],
});

const CASES: readonly {
  readonly name: string;
  readonly type: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** The text of {@link renderChanges}. */
  readonly text: string;
}[] = [
  { name: "equal", type: CLUSTER, before: { name: "a" }, after: { name: "a" }, text: "" },
  {
    name: "a scalar, a duration and a field that came",
    type: CLUSTER,
    before: { name: "a", connectTimeout: "10s" },
    after: { name: "a", connectTimeout: "90s", type: "EDS" },
    text: "~ connectTimeout: 10s → 1m30s\n+ type: EDS\n",
  },
  {
    name: "a resource that came",
    type: CLUSTER,
    after: { name: "a", connectTimeout: "90s" },
    text: '+ {"name":"a","connectTimeout":"1m30s"}\n',
  },
  { name: "one that went", type: CLUSTER, before: { name: "a" }, text: '- {"name":"a"}\n' },
  {
    name: "endpoints by address",
    type: ENDPOINTS,
    before: {
      clusterName: "a",
      endpoints: [{ lbEndpoints: [lb("10.0.0.1", 80, 1), lb("10.0.0.2", 80, 1)] }],
    },
    after: {
      clusterName: "a",
      endpoints: [{ lbEndpoints: [lb("10.0.0.2", 80, 7), lb("10.0.0.3", 80, 1)] }],
    },
    text: "~ endpoints[0].lbEndpoints[10.0.0.2:80].loadBalancingWeight: 1 → 7\n" +
      "+ endpoints[0].lbEndpoints[10.0.0.3:80]: " +
      '{"endpoint":{"address":{"socketAddress":{"address":"10.0.0.3","portValue":80}}},"loadBalancingWeight":1}\n' +
      "- endpoints[0].lbEndpoints[10.0.0.1:80]: " +
      '{"endpoint":{"address":{"socketAddress":{"address":"10.0.0.1","portValue":80}}},"loadBalancingWeight":1}\n',
  },
  {
    name: "virtual hosts by name, routes by place among what stayed",
    type: ROUTES,
    before: { name: "80", virtualHosts: [host("b", prefix("/x", "x"), prefix("/", "y"))] },
    after: {
      name: "80",
      virtualHosts: [
        host("a"),
        host("b", prefix("/new", "n"), prefix("/x", "x"), prefix("/", "y", "5s")),
      ],
    },
    text: '+ virtualHosts[a]: {"name":"a","domains":["a"]}\n' +
      '+ virtualHosts[b].routes[0]: {"match":{"prefix":"/new"},"route":{"cluster":"n","timeout":"0s"}}\n' +
      "~ virtualHosts[b].routes[2].route.timeout: 0s → 5s\n",
  },
  {
    name: "a virtual host that is a resource of its own",
    type: `${CONFIG}route.v3.VirtualHost`,
    before: host("a", prefix("/", "x", "3s")),
    after: host("a", prefix("/", "x", "7s")),
    text: "~ routes[0].route.timeout: 3s → 7s\n",
  },
  {
    name: "order alone",
    type: ROUTES,
    before: { name: "80", virtualHosts: [host("a"), host("b")] },
    after: { name: "80", virtualHosts: [host("b"), host("a")] },
    text: '~ virtualHosts (order): ["a","b"] → ["b","a"]\n',
  },
  {
    name: "within what is packed",
    type: LISTENER,
    before: manager("300s"),
    after: manager("0s"),
    text: "~ filterChains[main].filters[http].typedConfig.streamIdleTimeout: 5m0s → 0s\n",
  },
  {
    name: "one action in place of another",
    type: ROUTES,
    before: {
      name: "80",
      virtualHosts: [host("a", { match: { prefix: "/" }, route: { cluster: "x" } })],
    },
    after: {
      name: "80",
      virtualHosts: [host("a", { match: { prefix: "/" }, redirect: { httpsRedirect: true } })],
    },
    text: '- virtualHosts[a].routes[0].route: {"cluster":"x"}\n' +
      '+ virtualHosts[a].routes[0].redirect: {"httpsRedirect":true}\n',
  },
  {
    name: "names with dots in paths",
    type: CLUSTER,
    before: { name: "a", metadata: { filterMetadata: { "com.x": { v: 1 } } } },
    after: { name: "a", metadata: { filterMetadata: { "com.x": { v: 2 } } } },
    text: "~ metadata.filterMetadata[com.x].v: 1 → 2\n",
  },
];

for (const { name, type, before, after, text } of CASES) {
  Deno.test(`differences: ${name}`, () => {
    const bytes = (json?: JsonValue) => json === undefined ? undefined : bytesOf(type, json);
    assert.equal(renderChanges(diffResource(type, bytes(before), bytes(after))), text);
  });
}

Deno.test("a long value is cut, and its length is given", () => {
  const text = renderChanges(diffJson("", "x".repeat(1000)), "  ");
  assert.match(text, /^ {2}~ "" → x{240}… \(1000 characters\)\n$/);
});

Deno.test("lists that swap elements without names are paired in order", () => {
  const changes = diffJson([{ v: 1 }, { v: 2 }, { v: 3 }], [{ v: 2 }, { v: 4 }]);
  assert.deepEqual(changes, [
    { path: "[0]", before: { v: 1 }, after: undefined },
    { path: "[1].v", before: 3, after: 4 },
  ]);
});

Deno.test("secrets are blacked out, names of files that hold them are not", () => {
  const type = `${TYPE_URL_PREFIX}${DownstreamTlsContextSchema.typeName}`;
  const json: JsonValue = {
    commonTlsContext: {
      tlsCertificates: [{
        certificateChain: { inlineString: "public" },
        privateKey: { inlineString: "verysecret" },
        password: { filename: "/etc/password" },
      }],
    },
    sessionTicketKeys: { keys: [{ inlineBytes: "dmVyeXNlY3JldA==" }] },
  };
  for (
    const shown of [
      showResource(type, bytesOf(type, json)),
      showJson([{ resource: { "@type": type, ...json as object } }]),
    ]
  ) {
    const text = JSON.stringify(shown);
    assert.ok(!text.includes("verysecret") && !text.includes("dmVyeXNlY3JldA=="), text);
    assert.ok(text.includes('"privateKey":{"inlineString":"[redacted]"}'), text);
    assert.ok(text.includes("public") && text.includes("/etc/password"), text);
  }
});

Deno.test("a value that cannot be decoded is reported", () => {
  const bytes = new Uint8Array([255, 255]);
  const of = (type: string) => showResource(type, bytes) as Record<string, unknown>;
  assert.equal(of("type.googleapis.com/no.Such").unreadable, "the type is not known here");
  assert.match(String(of(CLUSTER).unreadable), /./);
  assert.equal(of(CLUSTER).bytes, 2);
  const changes = diffResource(CLUSTER, bytes, new Uint8Array([255, 254]));
  assert.deepEqual(changes.map(({ path }) => path), ["digest"]);
});

Deno.test("a large table lists only the virtual hosts that differ", () => {
  const table = (timeout: string, count: number): JsonValue => ({
    name: "80",
    virtualHosts: Array.from(
      { length: count },
      (_, i) => host(`host-${i}.example`, prefix("/", "a cluster", i === 700 ? timeout : "0s")),
    ),
  });
  const [before, after] = [bytesOf(ROUTES, table("1s", 1000)), bytesOf(ROUTES, table("2s", 1001))];
  assert.ok(before.length > 1 << 15);
  const changes = diffResource(ROUTES, before, after);
  assert.deepEqual(changes.map(({ path }) => path), [
    "virtualHosts[host-700.example].routes[0].route.timeout",
    "virtualHosts[host-1000.example]",
  ]);
  assert.deepEqual(diffResource(ROUTES, before, before), []);
});
