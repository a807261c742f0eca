import assert from "node:assert/strict";
import { HttpFilterSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { type JsonObject, SERVED_TYPES, toJson } from "../../../kit/proto/mod.ts";
import { parseMeshConfig } from "../../schema/mod.ts";
import { type AuthorizationFilters, authorizationFilters } from "./filters.ts";
import type { PolicyObject } from "./rules.ts";

const ANY = "rules: [{}]";

/** A policy of namespace `one`. */
function policy(name: string, spec: string, dryRun?: string): string {
  const annotations = dryRun === undefined ? {} : { "mesh.io/dry-run": dryRun };
  return `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: ${JSON.stringify({ name, namespace: "one", annotations })}
spec: {${spec}}
`;
}

/** The filters of policies in a mesh whose only service is `ask.test`. */
function build(policies: readonly string[], providers = ""): AuthorizationFilters {
  const { value: mesh } = parseMeshConfig(`extensionProviders: [${providers}]`, "mesh");
  return authorizationFilters({
    policies: objectsOf(policies.join("---\n")) as PolicyObject[],
    providers: mesh?.extensionProviders ?? [],
    findService: (service, port) =>
      service === "ask.test"
        ? { host: service, cluster: `outbound|${port}||${service}` }
        : undefined,
    trustDomains: ["cluster.local"],
    otherSpellings: false,
  });
}

/** The configurations of the HTTP filters. */
function configs({ http }: AuthorizationFilters): JsonObject[] {
  return [...http.asking, ...http.deciding].map((filter) => {
    const json = toJson(HttpFilterSchema, filter, { registry: SERVED_TYPES }) as JsonObject;
    return json.typedConfig as JsonObject;
  });
}

/** The names of policies: those in force, and those on trial. */
function names(config: JsonObject | undefined): { enforced: string[]; tried: string[] } {
  const of = (rules: unknown) => Object.keys((rules as JsonObject | undefined)?.policies ?? {});
  return { enforced: of(config?.rules), tried: of(config?.shadowRules) };
}

Deno.test("a policy is on trial for every spelling of true, and in force for every other text", () => {
  const rule = "ns[one]-policy[p]-rule[0]";
  for (const text of ["1", "t", "T", "true", "TRUE", "True"]) {
    const [config] = configs(build([policy("p", `action: DENY, ${ANY}`, text)]));
    assert.deepEqual(names(config), { enforced: [], tried: [rule] }, text);
  }
  for (const text of ["0", "f", "false", "False", "yes", "", "on"]) {
    const [config] = configs(build([policy("p", `action: DENY, ${ANY}`, text)]));
    assert.deepEqual(names(config), { enforced: [rule], tried: [] }, text);
  }
});

Deno.test("the prefix of trials is that of their action, and rules that log have none", () => {
  const cases: readonly (readonly [action: string, dryRun: string | undefined, prefix: unknown])[] =
    [
      ["ALLOW", undefined, "mesh_dry_run_allow_"],
      ["ALLOW", "true", "mesh_dry_run_allow_"],
      ["DENY", undefined, "mesh_dry_run_allow_"],
      ["DENY", "true", "mesh_dry_run_deny_"],
      ["AUDIT", undefined, "mesh_dry_run_allow_"],
      ["AUDIT", "true", undefined],
    ];
  for (const [action, dryRun, prefix] of cases) {
    const [config] = configs(build([policy("p", `action: ${action}, ${ANY}`, dryRun)]));
    assert.equal(config?.shadowRulesStatPrefix, prefix, `${action} ${dryRun}`);
  }
});

const HTTP = "service: ask.test, port: 80";
const provider = (more: string, name = "x") => `{name: ${name}, dataproxyExtAuthzHttp: {${more}}}`;
const GRPC = "{name: x, dataproxyExtAuthzGrpc: {service: ask.test, port: 80";

Deno.test("an unusable provider denies what its rules select, under a name that says so", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["none", ""],
    ["another one", provider(HTTP, "z")],
    ["two of one name", `${provider(HTTP)}, ${provider(HTTP)}`],
    ["no name", provider(HTTP, '""')],
    ["no authoriser", "{name: x, zipkin: {service: ask.test, port: 80}}"],
    ["an unknown service", provider("service: nobody.test, port: 80")],
    ["no port", provider("service: ask.test")],
    ["no such port", provider("service: ask.test, port: 70000")],
    ["a prefix without slash", provider(`${HTTP}, pathPrefix: check`)],
    ["a status without name", provider(`${HTTP}, statusOnError: "299"`)],
    ["a status out of range", provider(`${HTTP}, statusOnError: "600"`)],
    ["no status", `${GRPC}, statusOnError: "x"}}`],
    ["a status that Envoy rejects, gRPC", `${GRPC}, statusOnError: "430"}}`],
    ...[
      "includeHeadersInCheck",
      "includeRequestHeadersInCheck",
      "headersToUpstreamOnAllow",
      "headersToDownstreamOnDeny",
      "headersToDownstreamOnAllow",
    ].map((list) => [list, provider(`${HTTP}, ${list}: [x-a, "*"]`)] as const),
  ];
  const custom = policy("p", "action: CUSTOM, provider: {name: x}, rules: [{}, {}]");
  for (const [what, providers] of cases) {
    const filters = build([custom], providers);
    const [config, ...more] = configs(filters);
    assert.deepEqual(more, [], what);
    assert.equal((config?.rules as JsonObject).action, "DENY", what);
    assert.deepEqual(names(config).enforced, [
      "mesh-ext-authz-ns[one]-policy[p]-rule[0]-deny-due-to-bad-CUSTOM-action",
      "mesh-ext-authz-ns[one]-policy[p]-rule[1]-deny-due-to-bad-CUSTOM-action",
    ], what);
    assert.equal(filters.tcp.length, 1, what);
  }
});

Deno.test("a usable provider is asked", () => {
  const good = [
    provider(HTTP),
    provider(`${HTTP}, pathPrefix: /check, statusOnError: "503"`),
    provider(`${HTTP}, headersToUpstreamOnAllow: ["x-*", "*-y"], statusOnError: "226"`),
    `${GRPC}, statusOnError: "511"}}`,
  ];
  const custom = policy("p", `action: CUSTOM, provider: {name: x}, ${ANY}`);
  for (const text of good) {
    const [select, ask] = configs(build([custom], text));
    assert.deepEqual(names(select), {
      enforced: [],
      tried: ["mesh-ext-authz-ns[one]-policy[p]-rule[0]"],
    }, text);
    assert.match(String(ask?.["@type"]), /ext_authz/, text);
  }
});

Deno.test("two names of providers at one workload deny; one that is only tried does not count", () => {
  const one = policy("p", `action: CUSTOM, provider: {name: x}, ${ANY}`);
  const other = `action: CUSTOM, provider: {name: z}, ${ANY}`;
  const providers = `${provider(HTTP)}, ${provider(HTTP, "z")}`;
  const [denied] = configs(build([one, policy("q", other)], providers));
  assert.equal(names(denied).enforced.length, 2);
  const [asked] = configs(build([one, policy("q", other, "T")], providers));
  assert.deepEqual(names(asked).enforced, []);
});

/** The principals of a policy with one condition. */
function principals(condition: string): JsonObject[] {
  const [config] = configs(build([policy("p", `rules: [{when: [{${condition}}]}]`)]));
  const policies = (config?.rules as JsonObject).policies as Record<string, JsonObject>;
  const [only] = policies["ns[one]-policy[p]-rule[0]"]?.principals as JsonObject[];
  return (only?.andIds as JsonObject).ids as JsonObject[];
}

Deno.test("claims: one matcher for all values, as text or in a list", () => {
  const exact = (text: string) => ({ stringMatch: { exact: text } });
  const claim = (names: readonly string[], one: JsonObject) => ({
    metadata: {
      filter: "envoy.filters.http.jwt_authn",
      path: [{ key: "payload" }, ...names.map((key) => ({ key }))],
      value: { orMatch: { valueMatchers: [{ listMatch: { oneOf: one } }, one] } },
    },
  });
  const both = { orMatch: { valueMatchers: [exact("a"), exact("b")] } };
  const keys: readonly (readonly [string, readonly string[]])[] = [
    ["request.auth.audiences", ["aud"]],
    ["request.auth.presenter", ["azp"]],
    ["request.auth.claims[c]", ["c"]],
    ["request.auth.claims[c][d]", ["c", "d"]],
  ];
  for (const [key, path] of keys) {
    assert.deepEqual(principals(`key: "${key}", values: [a]`), [claim(path, exact("a"))], key);
    assert.deepEqual(principals(`key: "${key}", values: [a, b]`), [claim(path, both)], key);
    assert.deepEqual(
      principals(`key: "${key}", values: [a], notValues: [a, b]`),
      [claim(path, exact("a")), { notId: claim(path, both) }],
      key,
    );
  }
});

Deno.test("request principals: a single one stands alone", () => {
  const [one] = principals('key: request.auth.principal, values: ["i/s"]');
  assert.deepEqual(Object.keys(one ?? {}), ["andIds"]);
  const [two] = principals('key: request.auth.principal, values: ["i/s", "i/t"]');
  assert.deepEqual(Object.keys(two ?? {}), ["orIds"]);
  const [none] = principals('key: request.auth.principal, notValues: ["i/s"]');
  assert.deepEqual(Object.keys((none?.notId ?? {}) as JsonObject), ["andIds"]);
});
