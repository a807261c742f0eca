import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

/** A filter with one patch; the patch's first line is the second. */
function patch(yaml: string): string {
  return `configPatches:\n- ${yaml.split("\n").map((line) => `  ${line}`).join("\n").trimStart()}`;
}

const AT = "spec.configPatches[0]";
const REMOVE = "patch: {operation: REMOVE}";
const HCM = "envoy.filters.network.http_connection_manager";

Deno.test("DataproxyFilter: patches", () => {
  checkRules("DataproxyFilter", [
    ["nothing", "{}"],
    [
      "all",
      `priority: -10\nworkloadSelector: {labels: {a: b}}\n${patch(`applyTo: CLUSTER\n${REMOVE}`)}`,
    ],
    [
      "selector and target",
      "workloadSelector: {labels: {a: b}}\ntargetRefs: [{kind: Service, name: s}]",
      "conflict spec.targetRefs 2",
    ],
    [
      "wildcard",
      "workloadSelector: {labels: {a: '*'}}",
      "invalid-value spec.workloadSelector.labels.a 1",
    ],
    ["no applyTo", patch(REMOVE), `required ${AT}.applyTo 2`],
    ["no patch", patch("applyTo: CLUSTER"), `required ${AT}.patch 2`],
    [
      "no operation",
      patch("applyTo: CLUSTER\npatch: {value: {}}"),
      `required ${AT}.patch.operation 3`,
    ],
    [
      "no value",
      patch("applyTo: CLUSTER\npatch: {operation: MERGE}"),
      `required ${AT}.patch.value 3`,
    ],
    [
      "expression",
      patch(`applyTo: CLUSTER\nmatch: {proxy: {proxyVersion: '(?=a)'}}\n${REMOVE}`),
      `invalid-regex ${AT}.match.proxy.proxyVersion 3`,
    ],
  ]);
});

Deno.test("DataproxyFilter: matches", () => {
  const match = (applyTo: string, yaml: string) =>
    patch(`applyTo: ${applyTo}\nmatch: ${yaml}\n${REMOVE}`);
  const filter = `${AT}.match.listener.filterChain.filter`;
  checkRules("DataproxyFilter", [
    [
      "listener",
      match(
        "HTTP_FILTER",
        `{listener: {filterChain: {filter: {name: ${HCM}, subFilter: {name: a}}}}}`,
      ),
    ],
    ["waypoint", match("HTTP_FILTER", "{context: WAYPOINT, waypoint: {portNumber: 80}}")],
    [
      "waypoint elsewhere",
      match("HTTP_FILTER", "{context: GATEWAY, waypoint: {}}"),
      `conflict ${AT}.match.waypoint 3`,
    ],
    ["waypoint without", match("HTTP_FILTER", "{context: WAYPOINT}"), `conflict ${AT}.match 3`],
    [
      "waypoint by listener",
      match("HTTP_FILTER", "{context: WAYPOINT, listener: {}}"),
      `conflict ${AT}.match.listener 3`,
    ],
    ["cluster by listener", match("CLUSTER", "{listener: {}}"), `conflict ${AT}.match.listener 3`],
    [
      "listener by route",
      match("LISTENER", "{routeConfiguration: {}}"),
      `conflict ${AT}.match.routeConfiguration 3`,
    ],
    ["route by cluster", match("VIRTUAL_HOST", "{cluster: {}}"), `conflict ${AT}.match.cluster 3`],
    [
      "two matches",
      match("CLUSTER", "{cluster: {}, listener: {}}"),
      `exclusive-fields ${AT}.match.listener 3`,
    ],
    [
      "no filter name",
      match("NETWORK_FILTER", "{listener: {filterChain: {filter: {}}}}"),
      `required ${filter} 3`,
    ],
    [
      "inner filter",
      match(
        "NETWORK_FILTER",
        `{listener: {filterChain: {filter: {name: ${HCM}, subFilter: {name: a}}}}}`,
      ),
      `conflict ${filter}.subFilter 3`,
    ],
    [
      "inner filter of another",
      match("HTTP_FILTER", "{listener: {filterChain: {filter: {name: a, subFilter: {name: b}}}}}"),
      `conflict ${filter}.name 3`,
    ],
    [
      "inner filter without name",
      match("HTTP_FILTER", `{listener: {filterChain: {filter: {name: ${HCM}, subFilter: {}}}}}`),
      `required ${filter}.subFilter 3`,
    ],
  ]);
});

Deno.test("DataproxyFilter: values are read by the descriptor of what they patch", () => {
  const value = (applyTo: string, yaml: string) =>
    patch(`applyTo: ${applyTo}\npatch:\n  operation: MERGE\n  value: ${yaml}`);
  const at = `${AT}.patch.value`;
  const http =
    `type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`;
  checkRules("DataproxyFilter", [
    [
      "cluster",
      value("CLUSTER", "{connect_timeout: 5s, lbPolicy: RANDOM, http2_protocol_options: {}}"),
    ],
    [
      "wrong type",
      value("CLUSTER", "{connect_timeout: 5}"),
      `invalid-duration ${at}.connectTimeout 5`,
    ],
    ["wrong enum", value("CLUSTER", "{lb_policy: FAST}"), `unknown-value ${at}.lbPolicy 5`],
    [
      "group",
      value("CLUSTER", "{type: EDS, cluster_type: {name: x}}"),
      `exclusive-fields ${at}.clusterType 5`,
    ],
    ["well-known", value("CLUSTER", "{metadata: {filter_metadata: {a: {b: [1, x]}}}}")],
    [
      "in a filter",
      value("NETWORK_FILTER", `{name: x, typed_config: {"@type": ${http}, stat_prefix: a}}`),
    ],
    [
      "wrong in a filter",
      value("NETWORK_FILTER", `{name: x, typed_config: {"@type": ${http}, stat_prefix: 1}}`),
      `wrong-type ${at}.typedConfig.statPrefix 5`,
    ],
    [
      "no type",
      value("HTTP_FILTER", "{name: x, typed_config: {a: 1}}"),
      `required ${at}.typedConfig 5`,
    ],
    [
      "unknown type",
      value("HTTP_FILTER", '{name: a, typed_config: {"@type": type.example/a.B}}'),
      `unknown-type ${at}.typedConfig["@type"] 5`,
    ],
    [
      "unknown type by name",
      value(
        "HTTP_FILTER",
        '{name: a, typed_config: {"@type": type.googleapis.com/udpa.type.v1.TypedStruct, type_url: type.example/a.B, value: {c: 1}}}',
      ),
    ],
    [
      "listener",
      value("LISTENER", "{per_connection_buffer_limit_bytes: -1}"),
      `out-of-range ${at}.perConnectionBufferLimitBytes 5`,
    ],
    ["filter chain", value("FILTER_CHAIN", "{filters: {}}"), `wrong-type ${at}.filters 5`],
    ["listener filter", value("LISTENER_FILTER", "{name: 1}"), `wrong-type ${at}.name 5`],
    ["route table", value("ROUTE_CONFIGURATION", "{name: 1}"), `wrong-type ${at}.name 5`],
    ["virtual host", value("VIRTUAL_HOST", "{domains: a}"), `wrong-type ${at}.domains 5`],
    [
      "route",
      value("HTTP_ROUTE", "{route: {timeout: x}}"),
      `invalid-duration ${at}.route.timeout 5`,
    ],
    ["extension", value("EXTENSION_CONFIG", "{name: []}"), `wrong-type ${at}.name 5`],
    ["bootstrap", value("BOOTSTRAP", "{admin: 1}"), `wrong-type ${at}.admin 5`],
  ]);
});

Deno.test("DataproxyFilter: ineffective settings give warnings", () => {
  const typed = (yaml: string) =>
    patch(`applyTo: HTTP_FILTER\npatch: {operation: ADD, value: ${yaml}}`);
  const listenerMatch = "match: {listener: {filterChain: {filter: {name: a}}}}";
  const cases: [string, string][] = [
    [typed("{nmae: a}"), `unknown-field ${AT}.patch.value.nmae`],
    [
      patch("applyTo: ROUTE_CONFIGURATION\npatch: {operation: ADD, value: {}}"),
      `no-effect ${AT}.patch.operation`,
    ],
    [
      patch("applyTo: BOOTSTRAP\npatch: {operation: MERGE, value: {}}"),
      `no-effect ${AT}.applyTo`,
    ],
    [
      patch(`applyTo: LISTENER\n${REMOVE}`) + "\ntargetRefs: [{kind: Service, name: a}]",
      `no-effect ${AT}.applyTo`,
    ],
    [
      patch(`applyTo: LISTENER\nmatch: {listener: {portName: a}}\n${REMOVE}`),
      `no-effect ${AT}.match.listener.portName`,
    ],
    [
      patch("applyTo: CLUSTER\npatch: {operation: INSERT_FIRST, value: {}}"),
      `no-effect ${AT}.patch.operation`,
    ],
    [
      patch("applyTo: CLUSTER\npatch: {operation: REPLACE, value: {}}"),
      `no-effect ${AT}.patch.operation`,
    ],
    [
      patch(`applyTo: LISTENER\n${listenerMatch}\n${REMOVE}`),
      `no-effect ${AT}.match.listener.filterChain.filter`,
    ],
    ["workloadSelector: {}", "required spec.workloadSelector"],
  ];
  for (const [spec, expected] of cases) {
    const { objects, warnings, problems } = readSpec("DataproxyFilter", spec);
    assert.deepEqual(problems, [], spec);
    assert.equal(objects.length, 1);
    const said = warnings.map(({ code, path }) => `${code} ${path}`);
    assert.deepEqual(said, expected.split(","), spec);
  }
});
