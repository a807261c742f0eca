import assert from "node:assert/strict";
import { checkRules, readSpec } from "../../../../tests/support/spec_text.ts";

/** A VirtualService with one HTTP route; the route's first line is the third. */
function route(yaml: string): string {
  const body = yaml.split("\n").map((line) => `  ${line}`).join("\n").slice(2);
  return `hosts: [a]\nhttp:\n- ${body}`;
}

const TO = "route: [{destination: {host: a}}]";

Deno.test("VirtualService: hosts, gateways, routes at all", () => {
  const http = `http: [{${TO}}]`;
  checkRules("VirtualService", [
    ["minimal", `hosts: [a]\n${http}`],
    ["address as host", `hosts: ["1.2.3.4", "::1"]\n${http}`],
    ["bad host", `hosts: [a_b]\n${http}`, "invalid-host spec.hosts[0] 1"],
    ["all in the mesh", `hosts: ["*"]\n${http}`, "invalid-host spec.hosts[0] 1"],
    ["all at a gateway", `hosts: ["*"]\ngateways: [g]\n${http}`],
    ["all at both", `hosts: ["*"]\ngateways: [g, mesh]\n${http}`, "invalid-host spec.hosts[0] 1"],
    ["overlap", `hosts: ["*.a.b", c, "*.b"]\n${http}`, "duplicate spec.hosts[2] 1"],
    ["overlap with a name", `hosts: ["*.b", x.a.b]\n${http}`, "duplicate spec.hosts[1] 1"],
    ["same twice", `hosts: [a, a]\n${http}`, "duplicate spec.hosts[1] 1"],
    ["no overlap", `hosts: ["*.a.b", a.b, "*.c"]\n${http}`],
    ["no hosts but gateways", `gateways: [g]\n${http}`, "required spec.hosts 0"],
    ["gateway names", `hosts: [a]\ngateways: [g, n/g, mesh]\n${http}`],
    [
      "gateway",
      `hosts: [a]\ngateways: [a/b/c, "", "a/*"]\n${http}`,
      "invalid-name spec.gateways[0] 2",
      "invalid-name spec.gateways[1] 2",
      "invalid-name spec.gateways[2] 2",
    ],
    ["nobody", `hosts: [a]\nexportTo: ["~"]\n${http}`, "invalid-name spec.exportTo[0] 2"],
    ["no routes", "hosts: [a]", "required spec 1"],
  ]);
});

Deno.test("VirtualService: actions of a route", () => {
  checkRules("VirtualService", [
    ["nowhere", route("name: x"), "required spec.http[0] 3"],
    ["redirect and route", route(`redirect: {uri: /x}\n${TO}`), "conflict spec.http[0].redirect 3"],
    [
      "response and route",
      route(`directResponse: {status: 200}\n${TO}`),
      "conflict spec.http[0].directResponse 3",
    ],
    [
      "redirect and rewrite",
      route("redirect: {uri: /x}\nrewrite: {uri: /y}"),
      "conflict spec.http[0].rewrite 4",
    ],
    ["empty redirect", route("redirect: {}"), "required spec.http[0].redirect 3"],
    [
      "redirect code",
      route("redirect: {uri: /, redirectCode: 200}"),
      "unknown-value spec.http[0].redirect.redirectCode 3",
    ],
    [
      "redirect scheme",
      route("redirect: {scheme: ftp}"),
      "unknown-value spec.http[0].redirect.scheme 3",
    ],
    [
      "redirect port",
      route("redirect: {uri: /, port: 0}"),
      "invalid-port spec.http[0].redirect.port 3",
    ],
    [
      "redirect uri",
      route("redirect: {uri: /, prefixRewrite: /}"),
      "conflict spec.http[0].redirect.prefixRewrite 3",
    ],
    ["derived port", route("redirect: {authority: a.b, derivePort: FROM_REQUEST_PORT}")],
    [
      "two ports",
      route("redirect: {uri: /, port: 1, derivePort: FROM_REQUEST_PORT}"),
      "exclusive-fields spec.http[0].redirect.derivePort 3",
    ],
    ["response", route("directResponse: {status: 503, body: {string: x}}")],
    [
      "response status",
      route("directResponse: {status: 100}"),
      "out-of-range spec.http[0].directResponse.status 3",
    ],
    [
      "response body",
      route("directResponse: {status: 200, body: {}}"),
      "required spec.http[0].directResponse.body 3",
    ],
    [
      "large body",
      route(`directResponse: {status: 200, body: {string: "${"x".repeat(1100000)}"}}`),
      "out-of-range spec.http[0].directResponse.body 3",
    ],
    ["empty rewrite", route(`rewrite: {}\n${TO}`), "required spec.http[0].rewrite 3"],
    ["rewrite", route(`rewrite: {uriRegexRewrite: {match: "/(a)", rewrite: "/\\\\1"}}\n${TO}`)],
    [
      "rewrite regex",
      route(`rewrite: {uri: /, uriRegexRewrite: {match: "(?=a)", rewrite: x}}\n${TO}`),
      "conflict spec.http[0].rewrite.uriRegexRewrite 3",
      "invalid-regex spec.http[0].rewrite.uriRegexRewrite.match 3",
    ],
    ["delegate", route("delegate: {name: d, namespace: ns}")],
    [
      "delegate with company",
      route("delegate: {name: d}\nfault: {abort: {httpStatus: 500, percentage: {value: 1}}}"),
    ],
    [
      "delegate by expression",
      route("delegate: {name: d}\nmatch: [{uri: {regex: a}, headers: {b: {regex: c}}}]"),
      "conflict spec.http[0].match[0].uri.regex 4",
      "conflict spec.http[0].match[0].headers.b.regex 4",
    ],
    ["delegated", `http: [{${TO}}]`],
    [
      "delegated by expression",
      `http: [{match: [{method: {regex: a}}], ${TO}}]`,
      "conflict spec.http[0].match[0].method.regex 1",
    ],
    [
      "delegated and delegating",
      "http: [{delegate: {name: d}}]",
      "conflict spec.http[0].delegate 1",
    ],
    ["delegate and route", route(`delegate: {name: d}\n${TO}`), "conflict spec.http[0].delegate 3"],
  ]);
});

Deno.test("VirtualService: destinations and weights", () => {
  checkRules("VirtualService", [
    [
      "split",
      route(
        "route:\n- destination: {host: a, subset: v1, port: {number: 80}}\n  weight: 80\n- destination: {host: a}\n  weight: 20",
      ),
    ],
    [
      "no destination",
      route("route: [{weight: 1}]"),
      "required spec.http[0].route[0].destination 3",
    ],
    [
      "no host",
      route("route: [{destination: {}}]"),
      "required spec.http[0].route[0].destination.host 3",
    ],
    [
      "any host",
      route('route: [{destination: {host: "*"}}]'),
      "invalid-host spec.http[0].route[0].destination.host 3",
    ],
    [
      "port 0",
      route("route: [{destination: {host: a, port: {number: 0}}}]"),
      "invalid-port spec.http[0].route[0].destination.port.number 3",
    ],
    [
      "subset",
      route("route: [{destination: {host: a, subset: a_b}}]"),
      "invalid-name spec.http[0].route[0].destination.subset 3",
    ],
    [
      "negative",
      route("route:\n- destination: {host: a}\n  weight: -1"),
      "out-of-range spec.http[0].route[0].weight 5",
    ],
    [
      "all 0",
      route("route:\n- destination: {host: a}\n- destination: {host: b}"),
      "invalid-weight spec.http[0].route 4",
    ],
    [
      "too much",
      route(
        "route:\n- {destination: {host: a}, weight: 2147483647}\n- {destination: {host: b}, weight: 2147483647}\n- {destination: {host: c}, weight: 9}",
      ),
      "invalid-weight spec.http[0].route 4",
    ],
  ]);
});

Deno.test("VirtualService: matches", () => {
  const match = (yaml: string) => route(`match:\n- ${yaml}\n${TO}`);
  const at = "spec.http[0].match[0]";
  checkRules("VirtualService", [
    [
      "all kinds",
      match(
        "{uri: {prefix: /a}, method: {exact: GET}, headers: {x-y: {regex: 'a|b'}, z: {}}, queryParams: {q: {exact: ''}}, port: 80, gateways: [mesh], withoutHeaders: {w: {}}}",
      ),
    ],
    ["regex", match("uri: {regex: '('}"), `invalid-regex ${at}.uri.regex 4`],
    [
      "look-ahead",
      match("headers: {a: {regex: '(?!b)'}}"),
      `invalid-regex ${at}.headers.a.regex 4`,
    ],
    ["empty prefix", match("uri: {prefix: ''}"), `invalid-value ${at}.uri.prefix 4`],
    ["empty match", match("uri: {}"), `required ${at}.uri 4`],
    ["header name", match("headers: {'a b': {}}"), `invalid-header ${at}.headers["a b"] 4`],
    ["pseudo header", match("headers: {':path': {}}"), `invalid-header ${at}.headers[":path"] 4`],
    ["claim", match("headers: {'@request.auth.claims[iss]': {exact: x}}")],
    ["port", match("port: 70000"), `invalid-port ${at}.port 4`],
    ["gateway", match("gateways: [a/b/c]"), `invalid-name ${at}.gateways[0] 4`],
    ["namespace", match("sourceNamespace: A"), `invalid-name ${at}.sourceNamespace 4`],
    ["labels", match("sourceLabels: {a: '-'}"), `invalid-label ${at}.sourceLabels.a 4`],
  ]);
});

/** Numbers of headers that are set and added. */
function headers(set: number, add: number): string {
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "a"]));
  return JSON.stringify({ request: { set: named(set), add: named(add) } });
}

Deno.test("VirtualService: retries, timeouts, faults, mirrors, CORS, headers", () => {
  const at = "spec.http[0]";
  const one = (name: string, yaml: string, ...said: string[]) =>
    [name, route(`${TO}\n${yaml}`), ...said] as const;
  checkRules("VirtualService", [
    one("timeout", "timeout: 1ms"),
    one("timeout 0", "timeout: 0s", `invalid-duration ${at}.timeout 4`),
    one("timeout of µs", "timeout: 1500us", `invalid-duration ${at}.timeout 4`),
    one("negative timeout", "timeout: -1s", `invalid-duration ${at}.timeout 4`),
    one(
      "retries",
      "retries: {attempts: 3, perTryTimeout: 1s, retryOn: '5xx,reset,503', backoff: 25ms}",
    ),
    one("retries off", "retries: {attempts: 0}"),
    one("retries off and set", "retries: {retryOn: 5xx}", `conflict ${at}.retries 4`),
    one("attempts", "retries: {attempts: -1}", `out-of-range ${at}.retries.attempts 4`),
    one(
      "retryOn",
      "retries: {attempts: 1, retryOn: 'nope, 999'}",
      `unknown-value ${at}.retries.retryOn 4`,
      `unknown-value ${at}.retries.retryOn 4`,
    ),
    one(
      "per try",
      "retries: {attempts: 1, perTryTimeout: 0s}",
      `invalid-duration ${at}.retries.perTryTimeout 4`,
    ),
    one("headers", `headers: ${headers(500, 500)}`),
    one("too many headers", `headers: ${headers(500, 501)}`, `too-large ${at}.headers.request 4`),
    [
      "too many headers of a rule and its destination",
      route(
        `headers: ${headers(500, 0)}\nroute: [{destination: {host: a}, headers: ${
          headers(0, 501)
        }}]`,
      ),
      `too-large ${at}.route[0].headers.request 4`,
    ],
    [
      "headers of a rule and of two destinations",
      route(
        `headers: ${headers(500, 0)}\nroute: [{weight: 1, destination: {host: a}, headers: ${
          headers(0, 501)
        }}, {weight: 1, destination: {host: b}}]`,
      ),
    ],
    one(
      "fault",
      "fault: {delay: {fixedDelay: 1s, percentage: {value: 0.1}}, abort: {grpcStatus: UNAVAILABLE}}",
    ),
    one("empty fault", "fault: {}", `required ${at}.fault 4`),
    one("delay without length", "fault: {delay: {}}", `required ${at}.fault.delay 4`),
    one(
      "exponential",
      "fault: {delay: {exponentialDelay: 1s}}",
      `invalid-value ${at}.fault.delay.exponentialDelay 4`,
    ),
    one(
      "percentage",
      "fault: {delay: {fixedDelay: 1s, percentage: {value: 101}}}",
      `out-of-range ${at}.fault.delay.percentage.value 4`,
    ),
    one("abort without status", "fault: {abort: {}}"),
    one(
      "abort status",
      "fault: {abort: {httpStatus: 99}}",
      `out-of-range ${at}.fault.abort.httpStatus 4`,
    ),
    one(
      "gRPC status",
      "fault: {abort: {grpcStatus: NOPE}}",
      `unknown-value ${at}.fault.abort.grpcStatus 4`,
    ),
    one(
      "two statuses",
      "fault: {abort: {grpcStatus: OK, httpStatus: 500}}",
      `exclusive-fields ${at}.fault.abort.httpStatus 4`,
    ),
    one(
      "HTTP/2 error",
      "fault: {abort: {http2Error: x}}",
      `invalid-value ${at}.fault.abort.http2Error 4`,
    ),
    one("mirror", "mirror: {host: b}\nmirrorPercentage: {value: 50}"),
    one("mirrors", "mirrors: [{destination: {host: b}, percentage: {value: 1}}]"),
    one(
      "both mirrors",
      "mirror: {host: b}\nmirrors: [{destination: {host: b}}]",
      `conflict ${at}.mirrors 5`,
    ),
    one(
      "mirror percent",
      "mirror: {host: b}\nmirrorPercentage: {value: -1}",
      `out-of-range ${at}.mirrorPercentage.value 5`,
    ),
    one("mirrors' destination", "mirrors: [{}]", `required ${at}.mirrors[0].destination 4`),
    one(
      "CORS",
      "corsPolicy: {allowOrigins: [{exact: a}], allowMethods: [GET], allowHeaders: [x], maxAge: 24h, allowCredentials: true}",
    ),
    one(
      "CORS origin",
      "corsPolicy: {allowOrigins: [{}]}",
      `required ${at}.corsPolicy.allowOrigins[0] 4`,
    ),
    one(
      "CORS method",
      "corsPolicy: {allowMethods: [get]}",
      `unknown-value ${at}.corsPolicy.allowMethods[0] 4`,
    ),
    one(
      "CORS header",
      "corsPolicy: {exposeHeaders: ['a b']}",
      `invalid-header ${at}.corsPolicy.exposeHeaders[0] 4`,
    ),
    one("CORS age", "corsPolicy: {maxAge: 1500ms}", `invalid-duration ${at}.corsPolicy.maxAge 4`),
    one(
      "headers",
      "headers: {request: {set: {Host: a, x: 'a%%b', y: '%REQ(a)%'}, remove: [z]}, response: {add: {x: z}}}",
    ),
    one(
      "header name",
      "headers: {request: {add: {'a b': c}}}",
      `invalid-header ${at}.headers.request.add["a b"] 4`,
    ),
    one(
      "header value",
      "headers: {request: {set: {a: '5%'}}}",
      `invalid-header ${at}.headers.request.set.a 4`,
    ),
    one(
      "host removed",
      "headers: {request: {remove: [host]}}",
      `invalid-header ${at}.headers.request.remove[0] 4`,
    ),
    one(
      "pseudo header",
      "headers: {request: {set: {':path': x}}}",
      `invalid-header ${at}.headers.request.set[":path"] 4`,
    ),
    one(
      "line break",
      'headers: {response: {set: {a: "b\\r\\nc: d"}}}',
      `invalid-header ${at}.headers.response.set.a 4`,
    ),
  ]);
});

Deno.test("VirtualService: TCP and TLS routes", () => {
  checkRules("VirtualService", [
    ["tcp", `hosts: [a]\ntcp: [{match: [{port: 1, destinationSubnets: [10.0.0.0/8]}], ${TO}}]`],
    ["tcp nowhere", "hosts: [a]\ntcp: [{match: [{port: 1}]}]", "required spec.tcp[0] 2"],
    [
      "subnet",
      `hosts: [a]\ntcp: [{match: [{destinationSubnets: [x]}], ${TO}}]`,
      "invalid-address spec.tcp[0].match[0].destinationSubnets[0] 2",
    ],
    [
      "source subnet",
      `hosts: [a]\ntcp: [{match: [{sourceSubnet: x}], ${TO}}]`,
      "invalid-address spec.tcp[0].match[0].sourceSubnet 2",
    ],
    ["tls", `hosts: ["*.a"]\ngateways: [g]\ntls: [{match: [{sniHosts: [b.a]}], ${TO}}]`],
    ["tls without match", `hosts: [a]\ntls: [{${TO}}]`, "required spec.tls[0] 2"],
    [
      "tls without names",
      `hosts: [a]\ntls: [{match: [{port: 1}], ${TO}}]`,
      "required spec.tls[0].match[0] 2",
    ],
    [
      "tls for another",
      `hosts: [a]\ntls: [{match: [{sniHosts: [b]}], ${TO}}]`,
      "conflict spec.tls[0].match[0].sniHosts[0] 2",
    ],
  ]);
});

Deno.test("VirtualService: warnings", () => {
  const cases: [string, string, string][] = [
    ["unreachable", `hosts: [a]\nhttp: [{${TO}}, {${TO}}]`, "unreachable spec.http[1]"],
    [
      "regex ignoring case",
      route(`match: [{uri: {regex: a}, ignoreUriCase: true}]\n${TO}`),
      "conflict spec.http[0].match[0].ignoreUriCase",
    ],
    [
      "mirrorPercent",
      route(`${TO}\nmirror: {host: b}\nmirrorPercent: 3`),
      "deprecated spec.http[0].mirrorPercent",
    ],
    [
      "gateway with dots",
      `hosts: [a]\ngateways: [g.n.svc]\nhttp: [{${TO}}]`,
      "deprecated spec.gateways[0]",
    ],
  ];
  for (const [name, spec, expected] of cases) {
    const { objects, warnings } = readSpec("VirtualService", spec);
    assert.equal(objects.length, 1, name);
    assert.deepEqual(warnings.map(({ code, path }) => `${code} ${path}`), [expected], name);
  }
});

Deno.test("VirtualService: the number of hosts is bounded", () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, i) => `h${i}.test`).join(", ");
  assert.equal(
    readSpec("VirtualService", `hosts: [${hosts(5_000)}]\nhttp: [{${TO}}]`).objects.length,
    1,
  );
  const { objects, problems } = readSpec(
    "VirtualService",
    `hosts: [${hosts(5_001)}]\nhttp: [{${TO}}]`,
  );
  assert.deepEqual(objects, []);
  assert.deepEqual(problems.map(({ code, path, message }) => [code, path, message]), [
    ["too-large", "spec.hosts", "the VirtualService has more than 5000 hosts"],
  ]);
});
