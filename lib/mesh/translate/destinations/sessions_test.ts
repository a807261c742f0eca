/**
 * Sessions that stay with one endpoint, as routes, clusters and listeners show them.
 */
import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import { HealthStatus } from "#envoy/config/core/v3/health_check_pb.ts";
import { ListenerSchema } from "#envoy/config/listener/v3/listener_pb.ts";
import { RouteConfigurationSchema } from "#envoy/config/route/v3/route_pb.ts";
import { HttpConnectionManagerSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import {
  DEFAULT_FEATURES,
  proxyNode,
  startTranslation,
} from "../../../../tests/support/translation_fixture.ts";
import { SESSION_FILTER, sessionRule } from "../../envoy/mod.ts";
import { type Any, AnySchema, fromBinary, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import type { Features } from "../features.ts";
import { TYPE_URLS } from "../resources/mod.ts";

const LABELS = {
  cookie: "mesh.io/persistent-session",
  header: "mesh.io/persistent-session-header",
};

const service = (name: string, labels: string): string =>
  `apiVersion: networking.mesh.io/v1

kind: ServiceEntry

metadata: {name: ${name}, namespace: one, labels: {${labels}}}

spec:
  hosts: [${name}.example]
  resolution: STATIC
  ports: [{number: 80, name: http, protocol: HTTP}]
  endpoints: [{address: 10.0.0.1}]

`;

const ROUTES = `apiVersion: networking.mesh.io/v1

kind: VirtualService

metadata: {name: split, namespace: one}

spec:
  hosts: [split.example]
  http: [{route: [
    {destination: {host: cookie.example}, weight: 50},
    {destination: {host: plain.example}, weight: 50}]}]

`;

const WORLD = [
  service("cookie", `mesh.io/persistent-session: "stay:/shop"`),
  service("header", `mesh.io/persistent-session: stay, mesh.io/persistent-session-header: x-stay`),
  service("plain", ""),
  ROUTES,
].join("---\n");

/** The address of an endpoint, so that there is an inbound listener. */
const AT = { ip: "10.0.0.1", ips: ["10.0.0.1"] };

function served(sessions: Features["sessions"]) {
  const bench = startTranslation(undefined, { ...DEFAULT_FEATURES, sessions });
  bench.set(WORLD);
  const binding = bench.translation.source.bind(proxyNode("one", AT), () => {});
  const bytes = (type: keyof typeof TYPE_URLS, name: string) =>
    binding.view(TYPE_URLS[type])!.get(name)!.bytes;
  return {
    hosts: fromBinary(RouteConfigurationSchema, bytes("route", "80")).virtualHosts,
    cluster: (name: string) => fromBinary(ClusterSchema, bytes("cluster", name)),
    listener: (name: string) => fromBinary(ListenerSchema, bytes("listener", name)),
  };
}

Deno.test("routes say how the sessions of a service with a label are identified", () => {
  const { hosts } = served(LABELS);
  const route = (host: string) =>
    hosts.find(({ name }) => name === `${host}.example:80`)!.routes[0]!;
  const said = (configs: Readonly<Record<string, Any>>): string => {
    const own = configs[SESSION_FILTER];
    if (own === undefined) return "";
    return JSON.stringify(toJson(AnySchema, own, { registry: SERVED_TYPES }));
  };
  assert.match(said(route("cookie").typedPerFilterConfig), /"name":"stay","path":"\/shop"/);
  assert.match(
    said(route("header").typedPerFilterConfig),
    /session\.header","typedConfig":\{"name":"x-stay"/,
  );
  assert.equal(said(route("plain").typedPerFilterConfig), "");
  const { action, typedPerFilterConfig } = route("split");
  assert.equal(said(typedPerFilterConfig), "");
  assert.ok(action.case === "route" && action.value.clusterSpecifier.case === "weightedClusters");
  const shares = action.value.clusterSpecifier.value.clusters;
  assert.deepEqual(shares.map((c) => said(c.typedPerFilterConfig) !== ""), [true, false]);
});

Deno.test("clusters of such services let sessions stay with endpoints that drain", () => {
  const { cluster } = served(LABELS);
  const statuses = (host: string) => {
    const { commonLbConfig } = cluster(`outbound|80||${host}.example`);
    return commonLbConfig?.overrideHostStatus?.statuses;
  };
  const stays = [
    HealthStatus.UNKNOWN,
    HealthStatus.HEALTHY,
    HealthStatus.DEGRADED,
    HealthStatus.DRAINING,
  ];
  assert.deepEqual(statuses("cookie"), stays);
  assert.deepEqual(statuses("header"), stays);
  assert.equal(statuses("plain"), undefined);
});

Deno.test("the filter of sessions stands before the one that forwards, outbound alone", () => {
  const filters = (sessions: Features["sessions"], name: string): string[] => {
    const { filterChains } = served(sessions).listener(name);
    return filterChains.flatMap((chain) => chain.filters)
      .filter((filter) => filter.name.endsWith("http_connection_manager"))
      .flatMap(({ configType }) => {
        assert.ok(configType.case === "typedConfig");
        return fromBinary(HttpConnectionManagerSchema, configType.value.value).httpFilters;
      }).map(({ name }) => name);
  };
  const [before, last] = filters(LABELS, "0.0.0.0_80").slice(-2);
  assert.deepEqual([before, last], [SESSION_FILTER, "envoy.filters.http.router"]);
  assert.ok(filters(LABELS, "virtualInbound").length > 0);
  assert.ok(!filters(LABELS, "virtualInbound").includes(SESSION_FILTER));
});

Deno.test("without the switch nothing of it is there", () => {
  const { hosts, cluster, listener } = served(undefined);
  for (const { routes } of hosts) {
    for (const { typedPerFilterConfig } of routes) assert.deepEqual(typedPerFilterConfig, {});
  }
  const { commonLbConfig } = cluster("outbound|80||cookie.example");
  assert.equal(commonLbConfig?.overrideHostStatus, undefined);
  const text = JSON.stringify(
    toJson(ListenerSchema, listener("0.0.0.0_80"), { registry: SERVED_TYPES }),
  );
  assert.ok(!text.includes("stateful_session"));
});

const VALUES: readonly [value: string, expected: { name: string; path: string } | undefined][] = [
  ["stay:/shop", { name: "stay", path: "/shop" }],
  ["stay", { name: "stay", path: "/" }],
  ["stay:", { name: "stay", path: "/" }],
  [":/shop", undefined],
  ["", undefined],
  ["two words", undefined],
];

for (const [value, expected] of VALUES) {
  Deno.test(`the label ${JSON.stringify(value)} names ${JSON.stringify(expected)}`, () => {
    const rule = sessionRule({ [LABELS.cookie]: value }, LABELS);
    const text = rule && JSON.stringify(
      toJson(AnySchema, rule.config, { registry: SERVED_TYPES }),
    );
    assert.equal(
      text?.includes(JSON.stringify({ cookie: expected }).slice(1, -1)) ?? false,
      expected !== undefined,
    );
    assert.equal(rule === undefined, expected === undefined);
  });
}

Deno.test("an empty label name is no label", () => {
  assert.equal(sessionRule({ "": "stay" }, { cookie: "", header: "" }), undefined);
});
