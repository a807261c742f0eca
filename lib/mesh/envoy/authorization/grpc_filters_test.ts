import assert from "node:assert/strict";
import { RBACSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import { objectsOf } from "../../../../tests/support/mesh_fixture.ts";
import { fromBinary, type JsonObject, toJson } from "../../../kit/proto/mod.ts";
import { grpcAccessFilters } from "./grpc_filters.ts";
import type { PolicyObject } from "./rules.ts";

/** The filters of policies, by name. */
function filtersOf(...specs: readonly string[]): Record<string, JsonObject> {
  const yaml = specs.map((spec, i) =>
    `apiVersion: security.mesh.io/v1

kind: AuthorizationPolicy

metadata: {name: p${i}, namespace: one${
      spec.startsWith("!") ? ', annotations: {"mesh.io/dry-run": "true"}' : ""
    }}

spec: ${spec.replace("!", "")}

`
  ).join("---\n");
  const policies = objectsOf(yaml) as PolicyObject[];
  const filters = grpcAccessFilters({
    policies,
    trustDomains: ["cluster.local"],
    otherSpellings: false,
  });
  return Object.fromEntries(filters.map(({ name, configType: { value } }) => {
    assert.ok(value !== undefined && "typeUrl" in value);
    return [name, toJson(RBACSchema, fromBinary(RBACSchema, value.value)) as JsonObject];
  }));
}

const rulesOf = (filter: JsonObject | undefined): string[] =>
  Object.keys(((filter?.rules ?? {}) as JsonObject).policies ?? {});

Deno.test("libraries: each filter has its own name, and none only logs or is only tried", () => {
  const any = "rules: [{to: [{operation: {paths: [/a]}}]}]";
  const filters = filtersOf(
    `{action: ALLOW, ${any}}`,
    `{action: DENY, ${any}}`,
    `{action: AUDIT, ${any}}`,
    `!{action: DENY, ${any}}`,
    `{action: CUSTOM, provider: {name: x}, ${any}}`,
  );
  assert.deepEqual(Object.keys(filters), [
    "envoy.filters.http.rbac.custom",
    "envoy.filters.http.rbac.deny",
    "envoy.filters.http.rbac.allow",
  ]);
  for (const filter of Object.values(filters)) assert.deepEqual(Object.keys(filter), ["rules"]);
  assert.equal((filters["envoy.filters.http.rbac.custom"]!.rules as JsonObject).action, "DENY");
});

Deno.test("libraries: unsupported conditions never allow, and deny more", () => {
  const inexpressible: readonly string[] = [
    `when: [{key: "request.auth.claims[a]", values: [b]}]`,
    `when: [{key: "request.auth.claims[a]", notValues: [b]}]`,
    `when: [{key: request.auth.audiences, notValues: [b]}]`,
    `when: [{key: request.auth.presenter, notValues: [b]}]`,
    `from: [{source: {notRequestPrincipals: ["*"]}}]`,
    `when: [{key: connection.sni, notValues: [a]}]`,
    `when: [{key: "request.headers[grpc-timeout]", notValues: [a]}]`,
    `when: [{key: "experimental.envoy.filters.a.b[c]", notValues: [a]}]`,
  ];
  for (const rule of inexpressible) {
    const allow = filtersOf(`{action: ALLOW, rules: [{${rule}}]}`);
    assert.deepEqual(rulesOf(allow["envoy.filters.http.rbac.allow"]), [], rule);
    const deny = filtersOf(`{action: DENY, rules: [{${rule}}]}`)["envoy.filters.http.rbac.deny"];
    assert.equal(rulesOf(deny).length, 1, rule);
    assert.ok(!JSON.stringify(deny).includes("not"), `${rule}: ${JSON.stringify(deny)}`);
  }
});

Deno.test("libraries: templates of paths are expressions", () => {
  const filters = filtersOf(`{rules: [{to: [{operation: {paths: ["/a.B/{*}"]}}]}]}`);
  const text = JSON.stringify(filters);
  assert.ok(text.includes("/a\\\\\\\\.B/[^/]+") || text.includes("/a\\\\.B/[^/]+"), text);
});
