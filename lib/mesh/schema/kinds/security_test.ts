import assert from "node:assert/strict";
import { conditionKey, parseConfigDocuments } from "../mod.ts";
import { checkRules, readSpec, type RuleCase } from "../../../../tests/support/spec_text.ts";

const to = (operation: string): string => `rules: [{to: [{operation: {${operation}}}]}]`;
const from = (source: string): string => `rules: [{from: [{source: {${source}}}]}]`;
const when = (condition: string): string => `rules: [{when: [{${condition}}]}]`;

const AUTHORIZATION: readonly RuleCase[] = [
  ["nothing", "{}"],
  ["everything", "rules: [{}]"],
  ["an operation", to('methods: [GET], paths: ["/a/*"], hosts: [a.b], ports: ["80"]')],
  ["a template", to('paths: ["/a/{*}/b/{**}"]')],
  ["a source", from('principals: ["*"], ipBlocks: [10.0.0.0/8, "::1"], namespaces: [a]')],
  ["accounts", from("serviceAccounts: [a, ns/b], trustDomains: [cluster.local]")],
  ["conditions", when('key: "request.headers[x]", values: [a]')],
  ["a provider", "action: CUSTOM\nprovider: {name: x}\nrules: [{}]"],
  [
    "a provider for another action",
    "provider: {name: x}\nrules: [{}]",
    "conflict spec.provider 1",
  ],
  ["no provider", "action: CUSTOM\nrules: [{}]", "required spec.action 1"],
  [
    "a provider without a name",
    "action: CUSTOM\nprovider: {}\nrules: [{}]",
    "required spec.provider.name 2",
  ],
  ["nothing to ask about", "action: CUSTOM\nprovider: {name: x}", "required spec 0"],
  ["no source", "rules: [{from: [{}]}]", "required spec.rules[0].from[0] 1"],
  ["no operation", "rules: [{to: [{}]}]", "required spec.rules[0].to[0] 1"],
  ["an empty source", from(""), "required spec.rules[0].from[0].source 1"],
  ["an empty operation", to(""), "required spec.rules[0].to[0].operation 1"],
  [
    "an empty entry",
    to('methods: [""]'),
    "invalid-value spec.rules[0].to[0].operation.methods[0] 1",
  ],
  [
    "no address",
    from("notIpBlocks: [10.0.0]"),
    "invalid-address spec.rules[0].from[0].source.notIpBlocks[0] 1",
  ],
  ["no port", to('ports: ["0"]'), "invalid-port spec.rules[0].to[0].operation.ports[0] 1"],
  [
    "two open ends",
    to('paths: ["/{**}/{**}"]'),
    "invalid-value spec.rules[0].to[0].operation.paths[0] 1",
  ],
  [
    "a template beside text",
    to('paths: ["/a{*}"]'),
    "invalid-value spec.rules[0].to[0].operation.paths[0] 1",
  ],
  [
    "accounts and namespaces",
    from("serviceAccounts: [a], namespaces: [b]"),
    "conflict spec.rules[0].from[0].source 1",
  ],
  [
    "an account with a wildcard",
    from('serviceAccounts: ["a/*"]'),
    "invalid-name spec.rules[0].from[0].source.serviceAccounts[0] 1",
  ],
  [
    "too many accounts",
    from(`serviceAccounts: [${Array.from({ length: 17 }, (_, i) => `a${i}`)}]`),
    "out-of-range spec.rules[0].from[0].source.serviceAccounts 1",
  ],
  [
    "no trust domain",
    from('trustDomains: ["a b"]'),
    "invalid-name spec.rules[0].from[0].source.trustDomains[0] 1",
  ],
  ["no key", when("values: [a]"), "required spec.rules[0].when[0].key 1"],
  [
    "an unknown key",
    when("key: source.port, values: [a]"),
    "unknown-value spec.rules[0].when[0].key 1",
  ],
  ["no values", when("key: source.ip"), "required spec.rules[0].when[0] 1"],
  [
    "an empty value",
    when('key: source.namespace, values: [""]'),
    "invalid-value spec.rules[0].when[0].values[0] 1",
  ],
  [
    "a bad value",
    when("key: destination.port, notValues: [x]"),
    "invalid-port spec.rules[0].when[0].notValues[0] 1",
  ],
  [
    "a bad range",
    when("key: remote.ip, values: [x]"),
    "invalid-address spec.rules[0].when[0].values[0] 1",
  ],
  [
    "a selector and a target",
    "selector: {matchLabels: {a: b}}\ntargetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: g}",
    "conflict spec.targetRef 2",
  ],
];

const PEER: readonly RuleCase[] = [
  ["nothing", "{}"],
  [
    "ports",
    "selector: {matchLabels: {a: b}}\nmtls: {mode: STRICT}\nportLevelMtls: {80: {mode: DISABLE}}",
  ],
  ["an unknown mode", "mtls: {mode: BLAH}", "unknown-value spec.mtls.mode 1"],
  [
    "ports of everybody",
    "portLevelMtls: {80: {mode: DISABLE}}",
    "required spec.portLevelMtls 1",
  ],
  ["no ports", "portLevelMtls: {}", "required spec.portLevelMtls 1"],
  [
    "a port that is none",
    "selector: {matchLabels: {a: b}}\nportLevelMtls: {0: {mode: DISABLE}}",
    'invalid-port spec.portLevelMtls["0"] 2',
  ],
];

const rule = (more: string): string => `jwtRules: [{issuer: a, ${more}}]`;

const REQUEST: readonly RuleCase[] = [
  ["nothing", "{}"],
  ["keys", rule(`jwks: '{"keys": [{"kty": "RSA"}]}'`)],
  ["an address", rule("jwksUri: https://a.example/keys, timeout: 5s")],
  ["no issuer", "jwtRules: [{}]", "required spec.jwtRules[0].issuer 1"],
  ["no keys", rule("jwks: x"), "invalid-value spec.jwtRules[0].jwks 1"],
  [
    "keys twice",
    rule(`jwksUri: "https://a", jwks: '{"keys": [{"kty": "RSA"}]}'`),
    "conflict spec.jwtRules[0].jwks 1",
  ],
  ["no address", rule("jwksUri: file:///x"), "invalid-value spec.jwtRules[0].jwksUri 1"],
  [
    "an address with a password",
    rule('jwksUri: "https://a:b@c"'),
    "invalid-value spec.jwtRules[0].jwksUri 1",
  ],
  [
    "a header without a name",
    rule('fromHeaders: [{name: ""}]'),
    "invalid-value spec.jwtRules[0].fromHeaders[0].name 1",
  ],
  [
    "an empty parameter",
    rule('fromParams: [""]'),
    "invalid-value spec.jwtRules[0].fromParams[0] 1",
  ],
  ["an empty cookie", rule('fromCookies: [""]'), "invalid-value spec.jwtRules[0].fromCookies[0] 1"],
  ["an empty audience", rule('audiences: [""]'), "invalid-value spec.jwtRules[0].audiences[0] 1"],
  ["a wait that is none", rule("timeout: 0s"), "invalid-duration spec.jwtRules[0].timeout 1"],
  [
    "a claim without a header",
    rule("outputClaimToHeaders: [{claim: a}]"),
    "invalid-value spec.jwtRules[0].outputClaimToHeaders[0].header 1",
  ],
  [
    "a header without a claim",
    rule("outputClaimToHeaders: [{header: a}]"),
    "invalid-value spec.jwtRules[0].outputClaimToHeaders[0].claim 1",
  ],
  [
    "a header that is none",
    rule('outputClaimToHeaders: [{claim: a, header: ":authority"}]'),
    "invalid-name spec.jwtRules[0].outputClaimToHeaders[0].header 1",
  ],
  [
    "two claims in one header",
    rule("outputClaimToHeaders: [{claim: a, header: x}, {claim: b, header: X}]"),
    "duplicate spec.jwtRules[0].outputClaimToHeaders[1].header 1",
  ],
  [
    "a payload in what is no header",
    rule("outputPayloadToHeader: a b"),
    "invalid-name spec.jwtRules[0].outputPayloadToHeader 1",
  ],
  [
    "a claim with blanks that is empty",
    rule('spaceDelimitedClaims: [""]'),
    "invalid-value spec.jwtRules[0].spaceDelimitedClaims[0] 1",
  ],
];

Deno.test("AuthorizationPolicy: rules", () => checkRules("AuthorizationPolicy", AUTHORIZATION));
Deno.test("PeerAuthentication: rules", () => checkRules("PeerAuthentication", PEER));
Deno.test("RequestAuthentication: rules", () => checkRules("RequestAuthentication", REQUEST));

Deno.test("security: settings that can never have an effect give warnings", () => {
  const cases: readonly (readonly [kind: string, spec: string, path: string])[] = [
    ["AuthorizationPolicy", "action: DENY", "spec"],
    [
      "AuthorizationPolicy",
      `action: CUSTOM\nprovider: {name: x}\n${from('requestPrincipals: ["*"]')}`,
      "spec.rules[0].from[0].source.requestPrincipals",
    ],
    [
      "AuthorizationPolicy",
      `action: CUSTOM\nprovider: {name: x}\n${when("key: request.auth.presenter, values: [a]")}`,
      "spec.rules[0].when[0].key",
    ],
    ["RequestAuthentication", rule(`jwks: '{"keys": []}'`), "spec.jwtRules[0].jwks"],
  ];
  for (const [kind, spec, path] of cases) {
    const { problems, warnings } = readSpec(kind, spec);
    assert.deepEqual(problems, [], spec);
    assert.deepEqual(warnings.map((one) => one.path), [path], spec);
  }
});

Deno.test("AuthorizationPolicy: a trial that is no boolean is warned of", () => {
  const paths = (dryRun: string): string[] => {
    const { problems, warnings } = parseConfigDocuments(
      `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: b, annotations: {mesh.io/dry-run: "${dryRun}"}}
spec: {rules: [{}]}
`,
      "f.yaml",
    );
    assert.deepEqual(problems, []);
    return warnings.map(({ path }) => path);
  };
  for (const text of ["true", "True", "0"]) assert.deepEqual(paths(text), [], text);
  for (const text of ["yes", ""]) {
    assert.deepEqual(paths(text), ['metadata.annotations["mesh.io/dry-run"]'], text);
  }
});

Deno.test("conditions: one function reads keys", () => {
  const cases: readonly (readonly [string, string | undefined, ...string[]])[] = [
    ["source.ip", "source-ip"],
    ["request.headers[x-a]", "header", "x-a"],
    ["request.headers[a][b]", undefined],
    ["request.headers", undefined],
    ["request.auth.claims[a][b]", "claim", "a", "b"],
    ["request.auth.claims[]", undefined],
    ["experimental.envoy.filters.a.b[c]", "filter", "c"],
    ["experimental.envoy.filters.a.b", undefined],
    ["toString", undefined],
  ];
  for (const [text, kind, ...names] of cases) {
    const key = conditionKey(text);
    assert.equal(key?.kind, kind, text);
    assert.deepEqual(key?.names ?? [], names, text);
  }
  assert.equal(conditionKey("experimental.envoy.filters.a.b[c]")?.filter, "envoy.filters.a.b");
});
