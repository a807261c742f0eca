/** Rules of routes with what rules of VirtualServices lack: sessions, servers that are asked. */
import assert from "node:assert/strict";
import { HTTPRouteSchema } from "#mesh/gateway/v1/http_route_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { apiRuleOf } from "../../model/mod.ts";
import { convertHttpRules } from "./http_rules.ts";

type Rule = NonNullable<MessageInitShape<typeof HTTPRouteSchema>["rules"]>[number];

function rulesOf(rule: Rule, experimental = true) {
  const spec = create(HTTPRouteSchema, {
    rules: [{}, { backendRefs: [{ name: "b", port: 80 }], ...rule }],
  });
  const meta = {
    kind: "HTTPRoute",
    namespace: "shop",
    name: "r",
    labels: {},
    annotations: {},
    generation: 1,
    creationTime: 0,
    origin: { source: "file" },
  };
  const destinations = ({ name }: { readonly name: string }) =>
    name === "absent" ? { host: "" } : { host: `${name}.test`, port: { number: 80 } };
  return convertHttpRules({ meta, spec, digest: "" }, { destinations, experimental }).slice(1);
}

const prefix = (value: string) => ({ path: { type: "PathPrefix", value } });

Deno.test("rules know the route that they come from", () => {
  const places = rulesOf({ matches: [prefix("/a"), prefix("/b")] }).map(apiRuleOf);
  const common = { object: "HTTPRoute/shop/r", rule: "spec.rules[1]" };
  assert.deepEqual(places, [
    { ...common, match: "spec.rules[1].matches[0]" },
    { ...common, match: "spec.rules[1].matches[1]" },
  ]);
  assert.deepEqual(rulesOf({}).map(apiRuleOf), [{ ...common, match: "spec.rules[1]" }]);
});

Deno.test("sessions of rules", () => {
  const name = "session-8ed196802536";
  const cases: readonly (readonly [session: Rule["sessionPersistence"], expected: unknown])[] = [
    [{}, { kind: "cookie", name, path: "/" }],
    [{ sessionName: "s" }, { kind: "cookie", name: "s", path: "/" }],
    [{ type: "Header" }, { kind: "header", name: `x-${name}`, path: "/" }],
    [{ type: "Header", sessionName: "x-s", absoluteTimeout: "1h" }, {
      kind: "header",
      name: "x-s",
      path: "/",
    }],
    [{ absoluteTimeout: "1h" }, { kind: "cookie", name, path: "/" }],
    [
      {
        sessionName: "s",
        absoluteTimeout: "1h1500ms",
        cookieConfig: { lifetimeType: "Permanent" },
      },
      { kind: "cookie", name: "s", path: "/", seconds: 3602 },
    ],
  ];
  for (const [sessionPersistence, expected] of cases) {
    const [rule] = rulesOf({ ...(sessionPersistence && { sessionPersistence }) });
    assert.deepEqual(apiRuleOf(rule!)?.session, expected, JSON.stringify(sessionPersistence));
  }
  const [off] = rulesOf({ sessionPersistence: {} }, false);
  assert.equal(apiRuleOf(off!)?.session, undefined);
});

Deno.test("backends without weight are destinations of rules with sessions alone", () => {
  const backendRefs = [{ name: "x", port: 80, weight: 0 }, { name: "y", port: 80 }];
  const weightsOf = (sessionPersistence?: Rule["sessionPersistence"]) =>
    rulesOf({ backendRefs, ...(sessionPersistence && { sessionPersistence }) })[0]?.route.map((
      { weight },
    ) => weight);
  assert.deepEqual(weightsOf(), [0]);
  assert.deepEqual(weightsOf({}), [0, 1]);
});

Deno.test("the cookie of a session is for the only path of its rule", () => {
  const exact = { path: { type: "Exact", value: "/x" } };
  const cases: readonly (readonly [matches: NonNullable<Rule["matches"]>, path: string])[] = [
    [[prefix("/shop/")], "/shop"],
    [[exact], "/x"],
    [[{ path: { type: "RegularExpression", value: "/x.*" } }], "/"],
    [[{ method: "GET" }], "/"],
    [[prefix("/a"), prefix("/b")], "/"],
    [[prefix("/a;b")], "/"],
  ];
  for (const [matches, path] of cases) {
    for (const rule of rulesOf({ matches, sessionPersistence: {} })) {
      assert.equal(apiRuleOf(rule)?.session?.path, path, JSON.stringify(matches));
    }
  }
});

Deno.test("servers that are asked about the requests of rules", () => {
  type Auth = NonNullable<NonNullable<Rule["filters"]>[number]["externalAuth"]>;
  const auth = (externalAuth: Auth) => ({ filters: [{ type: "ExternalAuth", externalAuth }] });
  const backendRef = { name: "auth", port: 80 };
  const common = { host: "auth.test", port: 80 };
  const cases: readonly (readonly [auth: Auth, expected: unknown])[] = [
    [{ protocol: "GRPC", backendRef, grpc: {} }, {
      ...common,
      protocol: "GRPC",
      path: "",
      requestHeaders: [],
      responseHeaders: [],
      bodyBytes: 0,
    }],
    [
      {
        protocol: "HTTP",
        backendRef,
        http: { path: "check", allowedHeaders: ["X-A", "x-a"], allowedResponseHeaders: ["X-B"] },
        forwardBody: { maxSize: 10 },
      },
      {
        ...common,
        protocol: "HTTP",
        path: "/check",
        requestHeaders: ["authorization", "x-a"],
        responseHeaders: ["x-b"],
        bodyBytes: 10,
      },
    ],
  ];
  for (const [one, expected] of cases) {
    const [rule] = rulesOf(auth(one));
    assert.deepEqual(apiRuleOf(rule!)?.authorizer, expected);
    assert.equal(rule!.route.length, 1);
    const [off] = rulesOf(auth(one), false);
    assert.equal(off!.directResponse?.status, 500);
  }
  const [nobody] = rulesOf(auth({ protocol: "GRPC", backendRef: { name: "absent", port: 80 } }));
  assert.equal(nobody!.directResponse?.status, 500);
  assert.equal(nobody!.route.length, 0);
});
