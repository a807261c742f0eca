import assert from "node:assert/strict";
import { VirtualServiceSchema } from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { LuaPerRouteSchema } from "#envoy/extensions/filters/http/lua/v3/lua_pb.ts";
import { type Any, fromBinary, fromJson, type JsonObject } from "../../../kit/proto/mod.ts";
import { type RuleSession, withApiRule } from "../../model/mod.ts";
import { SESSION_BACKEND_FILTER, SESSION_FILTER } from "../core/mod.ts";
import { translateHttpRoutes } from "./routes.ts";
import type { RouteScope } from "./scope.ts";

const SCOPE: RouteScope = {
  gateways: ["mesh"],
  port: 80,
  vsNamespace: "store",
  vsName: "shop",
  elements: true,
  mesh: { excludeUnsafe503: true },
  resolve: ({ host }) => ({ cluster: host, host, port: 80 }),
};

const COOKIE: RuleSession = { kind: "cookie", name: "s.t", path: "/" };

/** The routes of a rule with a prefix `/a` and weights by destination. */
function routesOf(weights: Readonly<Record<string, number>>, session?: RuleSession) {
  const http: JsonObject = {
    match: [{ uri: { prefix: "/a" } }],
    route: Object.entries(weights).map(([host, weight]) => ({ destination: { host }, weight })),
  };
  const service = fromJson(VirtualServiceSchema, { hosts: ["a.test"], http: [http] });
  const api = { object: "HTTPRoute/store/shop", rule: "spec.rules[0]", match: "spec.rules[0]" };
  withApiRule(service.http[0]!, session === undefined ? api : { ...api, session });
  return translateHttpRoutes(service, SCOPE);
}

/** The name of the backend that the script receives. */
function backendIn(configs: Readonly<Record<string, Any>>): unknown {
  const config = configs[SESSION_BACKEND_FILTER];
  if (config === undefined) return undefined;
  return fromBinary(LuaPerRouteSchema, config.value).filterContext?.["backend"];
}

/** The cluster of each route, and the pattern of its session. */
function shown(weights: Readonly<Record<string, number>>, session?: RuleSession) {
  return routesOf(weights, session).map(({ match, action }) => {
    assert.equal(action.case, "route");
    assert.equal(match?.pathSpecifier.case, "pathSeparatedPrefix");
    const to = action.value.clusterSpecifier;
    const text = match?.headers[0]?.headerMatchSpecifier;
    const pattern = text?.case === "stringMatch" ? text.value.matchPattern : undefined;
    return {
      to: to.case === "weightedClusters" ? to.value.clusters.map(({ name }) => name) : to.value,
      header: match?.headers[0]?.name,
      pattern: pattern?.case === "safeRegex"
        ? pattern.value.regex
        : pattern?.case === "prefix"
        ? pattern.value
        : undefined,
    };
  });
}

Deno.test("the sessions of each backend have a route, before that of the rule", () => {
  const routes = shown({ x: 1, y: 0, z: 3 }, COOKIE);
  assert.deepEqual(routes.map(({ to }) => to), ["x", "y", "z", ["x", "z"]]);
  assert.deepEqual(routes.map(({ header }) => header), ["cookie", "cookie", "cookie", undefined]);
  const filters = routesOf({ x: 1, y: 0, z: 3 }, COOKIE).map((r) => r.typedPerFilterConfig);
  for (const [i, config] of filters.entries()) {
    assert.ok(SESSION_FILTER in config);
    const name = backendIn(config);
    const { pattern = "" } = routes[i]!;
    if (i === 3) assert.equal(name, undefined);
    else assert.match(`other=1; s.t="${name}.Cg8x"; last=2`, new RegExp(`^${pattern}$`));
  }
});

Deno.test("a session of another cookie, or of another backend, has no route of its own", () => {
  const [{ pattern = "" } = {}] = shown({ x: 1, y: 1 }, COOKIE);
  const [route] = routesOf({ x: 1, y: 1 }, COOKIE);
  const name = backendIn(route!.typedPerFilterConfig);
  const regex = new RegExp(`^${pattern}$`);
  for (const yes of [`s.t=${name}.x`, `a=b;s.t="${name}.x"`]) assert.match(yes, regex);
  for (
    const no of [`sxt=${name}.x`, `as.t=${name}.x`, `s.t=${name}x`, "s.t=Cg8x", `b=s.t=${name}.x`]
  ) assert.doesNotMatch(no, regex);
});

Deno.test("sessions by header are known by the start of its value", () => {
  const session: RuleSession = { kind: "header", name: "X-Stay", path: "/" };
  const [x, y] = shown({ x: 1, y: 1 }, session);
  assert.equal(x?.header, "x-stay");
  assert.match(x?.pattern ?? "", /^[0-9a-f]{8}\.$/);
  assert.notEqual(x?.pattern, y?.pattern);
});

Deno.test("names of backends do not depend on order and weights", () => {
  const patternOf = (weights: Readonly<Record<string, number>>, to: string) =>
    shown(weights, COOKIE).find((route) => route.to === to)?.pattern;
  assert.equal(patternOf({ x: 1, y: 1 }, "y"), patternOf({ y: 0, z: 2, x: 7 }, "y"));
});

Deno.test("rules without sessions, with one backend or without any weight have one route", () => {
  assert.equal(routesOf({ x: 1, y: 1 }).length, 1);
  const [single, ...more] = routesOf({ x: 1 }, COOKIE);
  assert.deepEqual([more.length, backendIn(single!.typedPerFilterConfig)], [0, undefined]);
  assert.equal(routesOf({ x: 0, y: 0 }, COOKIE).length, 1);
});
