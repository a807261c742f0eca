import assert from "node:assert/strict";
import { toJson } from "../../../kit/proto/mod.ts";
import { meshOf } from "../../../../tests/support/mesh_fixture.ts";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";

/** A VirtualService; `namespace/name`, specification as YAML in one line. */
const service = (key: string, spec: string) => {
  const [namespace, name] = key.split("/");
  return `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: ${name}, namespace: ${namespace}}
spec: ${spec}
`;
};

/** The HTTP rules of `one/root`, with those of its delegates in place, as JSON. */
function rulesOf(...services: readonly string[]): unknown {
  const mesh = meshOf(services.join("---\n"));
  const spec = mesh.graph.peek(mesh.routes.spec, "one/root");
  return (toJson(VirtualServiceSchema, spec!) as { http: unknown }).http;
}

const root = (rule: string) => service("one/root", `{hosts: [a.example], http: [${rule}]}`);
const inner = (rules: string, more = "") => service("one/inner", `{http: [${rules}]${more}}`);
const TO = "route: [{destination: {host: b}}]";
const SENT = [{ destination: { host: "b.one.svc.cluster.local" } }];

Deno.test("delegates: rules stand in place, narrowed and named after both", () => {
  const rules = rulesOf(
    root(
      "{name: out, match: [{name: mm, uri: {prefix: /api}, method: {exact: GET}}], delegate: {name: inner}}",
    ),
    inner(
      `{name: in, match: [{name: nn, uri: {prefix: /api/v1}, headers: {x: {exact: z}}}], ${TO}}, {${TO}}`,
    ),
  );
  assert.deepEqual(rules, [
    {
      name: "out-in",
      match: [{
        name: "mm-nn",
        uri: { prefix: "/api/v1" },
        method: { exact: "GET" },
        headers: { x: { exact: "z" } },
      }],
      route: SENT,
    },
    {
      name: "out",
      match: [{ name: "mm", uri: { prefix: "/api" }, method: { exact: "GET" } }],
      route: SENT,
    },
  ]);
});

Deno.test("delegates: a rule inherits unset fields from the delegating rule", () => {
  const lent = "timeout: 5s, retries: {attempts: 1}, headers: {request: {add: {a: b}}}, " +
    "rewrite: {uri: /r}, mirrors: [{destination: {host: m}}], corsPolicy: {allowMethods: [GET]}, " +
    "fault: {delay: {fixedDelay: 1s, percentage: {value: 1}}}";
  const [first, second] = rulesOf(
    root(`{${lent}, delegate: {name: inner}}`),
    inner(`{timeout: 9s, ${TO}}, {${TO}}`),
  ) as Record<string, unknown>[];
  assert.equal(first?.timeout, "9s");
  assert.deepEqual(second?.timeout, "5s");
  for (const field of ["retries", "headers", "rewrite", "mirrors", "corsPolicy", "fault"]) {
    assert.notEqual(first?.[field], undefined, field);
    assert.deepEqual(first?.[field], second?.[field], field);
  }
});

Deno.test("delegates: a rule that matches nothing of the delegating rule is left out", () => {
  const kept = (outer: string, inside: string): number =>
    (rulesOf(
      root(`{match: [{${outer}}], delegate: {name: inner}}`),
      inner(`{match: [{${inside}}], ${TO}}`),
    ) as unknown[] | undefined)?.length ?? 0;
  const cases: [outer: string, inside: string, kept: number][] = [
    ["uri: {prefix: /a}", "uri: {prefix: /a/b}", 1],
    ["uri: {prefix: /a}", "uri: {exact: /a/b}", 1],
    ["uri: {prefix: /a/b}", "uri: {prefix: /a}", 0],
    ["uri: {exact: /a}", "uri: {exact: /a}", 1],
    ["uri: {exact: /a}", "uri: {exact: /b}", 0],
    ["uri: {exact: /a}", "uri: {prefix: /a}", 0],
    ["method: {exact: GET}", "method: {exact: PUT}", 0],
    ["headers: {a: {exact: b}}", "headers: {c: {exact: d}}", 1],
    ["headers: {a: {exact: b}}", "headers: {a: {exact: d}}", 0],
    ["queryParams: {a: {exact: b}}", "queryParams: {a: {exact: c}}", 0],
    ["withoutHeaders: {a: {exact: b}}", "withoutHeaders: {a: {exact: c}}", 0],
    ["port: 80", "port: 80", 1],
    ["port: 80", "port: 81", 0],
    ["sourceNamespace: x", "sourceNamespace: z", 0],
    ["sourceLabels: {a: b}", "sourceLabels: {c: d}", 1],
    ["sourceLabels: {a: b}", "sourceLabels: {a: d}", 0],
    ["gateways: [g, mesh]", "gateways: [one/g]", 1],
    ["gateways: [g]", "gateways: [other]", 0],
    ["ignoreUriCase: true, uri: {prefix: /a}", "uri: {prefix: /a}", 0],
  ];
  for (const [outer, inside, expected] of cases) {
    assert.equal(kept(outer, inside), expected, `${outer} / ${inside}`);
  }
});

Deno.test("delegates: names are those of the delegate's own namespace", () => {
  const rules = rulesOf(
    root("{delegate: {name: inner, namespace: two}}"),
    service("two/inner", `{http: [{${TO}, mirror: {host: c}}]}`),
  );
  assert.deepEqual(rules, [{
    route: [{ destination: { host: "b.two.svc.cluster.local" } }],
    mirror: { host: "c.two.svc.cluster.local" },
  }]);
});

Deno.test("delegates: a rule with an invalid delegate matches no request", () => {
  const rule = "{delegate: {name: inner, namespace: two}}";
  const untouched = [{ delegate: { name: "inner", namespace: "two" } }];
  const cases = [
    service("two/other", `{http: [{${TO}}]}`),
    service("two/inner", `{hosts: [z.example], http: [{${TO}}]}`),
    service("two/inner", `{exportTo: ["."], http: [{${TO}}]}`),
  ];
  for (const delegate of cases) {
    assert.deepEqual(rulesOf(root(rule), delegate), untouched, delegate);
  }
  const exported = service("two/inner", `{exportTo: [one], http: [{${TO}}]}`);
  assert.notDeepEqual(rulesOf(root(rule), exported), untouched);
});
