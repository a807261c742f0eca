import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

const policy = (yaml: string) => `host: a\ntrafficPolicy:\n  ${yaml}`;
const AT = "spec.trafficPolicy";

Deno.test("DestinationRule: host, subsets, exports", () => {
  checkRules("DestinationRule", [
    ["minimal", "host: a.b"],
    ["wildcard", 'host: "*.b"'],
    ["no host", "{}", "required spec.host 0"],
    ["bad host", "host: a_b", "invalid-host spec.host 1"],
    ["subsets", "host: a\nsubsets: [{name: v1, labels: {version: v1}}, {name: v2}]"],
    ["no name", "host: a\nsubsets: [{labels: {a: b}}]", "required spec.subsets[0].name 2"],
    ["bad name", "host: a\nsubsets: [{name: a.b}]", "invalid-name spec.subsets[0].name 2"],
    ["name twice", "host: a\nsubsets: [{name: v}, {name: v}]", "duplicate spec.subsets[1].name 2"],
    [
      "labels",
      'host: a\nsubsets: [{name: v, labels: {a: "*"}}]',
      "invalid-label spec.subsets[0].labels.a 2",
    ],
    ["export", 'host: a\nexportTo: ["*", "."]', "conflict spec.exportTo 2"],
    [
      "workloads",
      'host: a\nworkloadSelector: {matchLabels: {a: b}}\nexportTo: ["*"]',
      "conflict spec.exportTo 3",
    ],
  ]);
});

Deno.test("DestinationRule: traffic policy", () => {
  checkRules("DestinationRule", [
    ["empty", policy("{}"), `required ${AT} 3`],
    [
      "of a subset, empty",
      "host: a\nsubsets: [{name: v, trafficPolicy: {}}]",
      "required spec.subsets[0].trafficPolicy 2",
    ],
    ["ports", policy("portLevelSettings: [{port: {number: 80}, loadBalancer: {simple: RANDOM}}]")],
    [
      "no port",
      policy("portLevelSettings: [{loadBalancer: {simple: RANDOM}}]"),
      `required ${AT}.portLevelSettings[0] 3`,
    ],
    [
      "port 0",
      policy("portLevelSettings: [{port: {number: 0}, loadBalancer: {simple: RANDOM}}]"),
      `invalid-port ${AT}.portLevelSettings[0].port.number 3`,
    ],
    [
      "port with nothing",
      policy("portLevelSettings: [{port: {number: 1}}]"),
      `required ${AT}.portLevelSettings[0] 3`,
    ],
    [
      "port twice",
      policy("portLevelSettings: [{port: {number: 1}, tls: {}}, {port: {number: 1}, tls: {}}]"),
      `duplicate ${AT}.portLevelSettings[1].port.number 3`,
    ],
    ["tls", policy("tls: {mode: MUTUAL, credentialName: c}")],
    ["tls files", policy("tls: {mode: MUTUAL, clientCertificate: c}"), `required ${AT}.tls 3`],
    [
      "tls both",
      policy("tls: {mode: SIMPLE, caCertificates: c, credentialName: c}"),
      `conflict ${AT}.tls.caCertificates 3`,
    ],
    [
      "tls of the mesh",
      policy("tls: {mode: MESH_MUTUAL, privateKey: k}"),
      `conflict ${AT}.tls.privateKey 3`,
    ],
    [
      "tunnel",
      policy("tunnel: {protocol: GET, targetHost: a, targetPort: 0}"),
      `unknown-value ${AT}.tunnel.protocol 3`,
      `invalid-port ${AT}.tunnel.targetPort 3`,
    ],
    [
      "retry budget",
      policy("retryBudget: {percent: 120}"),
      `out-of-range ${AT}.retryBudget.percent 3`,
    ],
  ]);
});

Deno.test("DestinationRule: load balancing", () => {
  const at = `${AT}.loadBalancer`;
  const lb = (yaml: string) => policy(`loadBalancer: {${yaml}}`);
  checkRules("DestinationRule", [
    ["simple", lb("simple: LEAST_REQUEST")],
    [
      "simple and hash",
      lb("simple: RANDOM, consistentHash: {useSourceIp: true}"),
      `exclusive-fields ${at}.consistentHash 3`,
    ],
    [
      "hash",
      lb("consistentHash: {httpCookie: {name: c, ttl: 0s}, ringHash: {minimumRingSize: 1024}}"),
    ],
    ["hash of nothing", lb("consistentHash: {}"), `required ${at}.consistentHash 3`],
    [
      "hash of no header",
      lb('consistentHash: {httpHeaderName: ""}'),
      `required ${at}.consistentHash.httpHeaderName 3`,
    ],
    [
      "two hashes",
      lb("consistentHash: {useSourceIp: true, httpHeaderName: a}"),
      `exclusive-fields ${at}.consistentHash.httpHeaderName 3`,
    ],
    [
      "cookie",
      lb("consistentHash: {httpCookie: {ttl: -1s}}"),
      `required ${at}.consistentHash.httpCookie 3`,
      `invalid-duration ${at}.consistentHash.httpCookie.ttl 3`,
    ],
    [
      "ring",
      lb("consistentHash: {useSourceIp: true, ringHash: {minimumRingSize: 9000000}}"),
      `out-of-range ${at}.consistentHash.ringHash.minimumRingSize 3`,
    ],
    ["table", lb("consistentHash: {useSourceIp: true, maglev: {tableSize: 65537}}")],
    [
      "table, no prime",
      lb("consistentHash: {useSourceIp: true, maglev: {tableSize: 65536}}"),
      `invalid-value ${at}.consistentHash.maglev.tableSize 3`,
    ],
    [
      "table too large",
      lb("consistentHash: {useSourceIp: true, maglev: {tableSize: 5000081}}"),
      `out-of-range ${at}.consistentHash.maglev.tableSize 3`,
    ],
    ["warmup", lb("warmup: {duration: 300s, minimumPercent: 5.0, aggression: 1}")],
    [
      "warmup without duration",
      lb("warmup: {minimumPercent: 5.0}"),
      `required ${at}.warmup.duration 3`,
    ],
    [
      "warmup percent",
      lb("warmup: {duration: 1s, minimumPercent: 150.0}"),
      `out-of-range ${at}.warmup.minimumPercent 3`,
    ],
    [
      "aggression",
      lb("warmup: {duration: 1s, aggression: 0.3}"),
      `out-of-range ${at}.warmup.aggression 3`,
    ],
    [
      "both warmups",
      lb("warmup: {duration: 1s}, warmupDurationSecs: 1s"),
      `conflict ${at}.warmupDurationSecs 3`,
    ],
    ["locality", lb("localityLbSetting: {distribute: [{from: a/*, to: {a/b/*: 60, c: 40}}]}")],
    [
      "locality weights",
      lb("localityLbSetting: {distribute: [{from: a, to: {b: 60}}]}"),
      `invalid-weight ${at}.localityLbSetting.distribute[0].to 3`,
    ],
    [
      "locality name",
      lb("localityLbSetting: {distribute: [{from: a/*/b, to: {b: 100}}]}"),
      `invalid-value ${at}.localityLbSetting.distribute[0].from 3`,
    ],
    [
      "failover to itself",
      lb("localityLbSetting: {failover: [{from: a, to: a}]}"),
      `invalid-value ${at}.localityLbSetting.failover[0] 3`,
    ],
    [
      "distribute and failover",
      lb(
        "localityLbSetting: {distribute: [{from: a, to: {b: 100}}], failover: [{from: a, to: b}]}",
      ),
      `conflict ${at}.localityLbSetting.failover 3`,
    ],
  ]);
});

Deno.test("DestinationRule: connection pools and outlier detection", () => {
  const at = `${AT}.connectionPool`;
  checkRules("DestinationRule", [
    [
      "pool",
      policy(
        "connectionPool: {tcp: {maxConnections: 1, connectTimeout: 30ms, idleTimeout: 0s}, http: {maxRetries: 0, h2UpgradePolicy: UPGRADE}}",
      ),
    ],
    ["empty pool", policy("connectionPool: {}"), `required ${at} 3`],
    [
      "counts",
      policy("connectionPool: {tcp: {maxConnections: -1}, http: {http2MaxRequests: -1}}"),
      `out-of-range ${at}.tcp.maxConnections 3`,
      `out-of-range ${at}.http.http2MaxRequests 3`,
    ],
    [
      "times",
      policy("connectionPool: {tcp: {connectTimeout: 0s, tcpKeepalive: {time: -1s}}}"),
      `invalid-duration ${at}.tcp.connectTimeout 3`,
      `invalid-duration ${at}.tcp.tcpKeepalive.time 3`,
    ],
    [
      "client protocol",
      policy("connectionPool: {http: {useClientProtocol: true, h2UpgradePolicy: UPGRADE}}"),
      `conflict ${at}.http.useClientProtocol 3`,
    ],
    [
      "outliers",
      policy(
        "outlierDetection: {consecutive5xxErrors: 0, interval: 5m, baseEjectionTime: 15m, maxEjectionPercent: 100}",
      ),
    ],
    [
      "outlier percent",
      policy("outlierDetection: {maxEjectionPercent: 101, minHealthPercent: -1}"),
      `out-of-range ${AT}.outlierDetection.maxEjectionPercent 3`,
      `out-of-range ${AT}.outlierDetection.minHealthPercent 3`,
    ],
    [
      "outlier interval",
      policy("outlierDetection: {interval: 0s}"),
      `invalid-duration ${AT}.outlierDetection.interval 3`,
    ],
    [
      "local failures",
      policy("outlierDetection: {consecutiveLocalOriginFailures: 5}"),
      `conflict ${AT}.outlierDetection.consecutiveLocalOriginFailures 3`,
    ],
  ]);
});

Deno.test("DestinationRule: deprecated values are warned about", () => {
  const cases: [string, string[]][] = [
    ["loadBalancer: {simple: LEAST_CONN}", [`deprecated ${AT}.loadBalancer.simple`]],
    [
      "outlierDetection: {consecutiveErrors: 3}",
      ["deprecated", "no-effect"].map((code) => `${code} ${AT}.outlierDetection.consecutiveErrors`),
    ],
  ];
  for (const [yaml, expected] of cases) {
    const { objects, warnings } = readSpec("DestinationRule", policy(yaml));
    assert.equal(objects.length, 1);
    assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`).sort(), expected);
  }
});
