import assert from "node:assert/strict";
import { type ApiRoute, apiRouteLines } from "./describe_api_routes.ts";

const ROUTES: readonly ApiRoute[] = [
  {
    kind: "HTTPRoute",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      parentRefs: [
        { name: "edge", namespace: "infra", sectionName: "https" },
        { name: "later" },
      ],
      hostnames: ["www.shop.test"],
      rules: [
        { backendRefs: [{ name: "web", port: 80, weight: 80 }, { name: "next", weight: 20 }] },
        { backendRefs: [{ name: "other", port: 80 }] },
      ],
    },
    status: {
      parents: [{
        parentRef: { kind: "Gateway", name: "edge", namespace: "infra", sectionName: "https" },
        conditions: [
          { type: "Accepted", status: "True" },
          { type: "ResolvedRefs", status: "False", reason: "BackendNotFound", message: "no next" },
        ],
      }],
    },
  },
  {
    kind: "GRPCRoute",
    metadata: { name: "calls", namespace: "shop" },
    spec: { parentRefs: [{ group: "", kind: "Service", name: "web", port: 81 }] },
    status: {
      parents: [{ parentRef: { group: "", kind: "Service", name: "web", port: 81 } }],
    },
  },
  {
    kind: "HTTPRoute",
    metadata: { name: "web", namespace: "elsewhere" },
    spec: { rules: [{ backendRefs: [{ name: "web" }] }] },
  },
];

Deno.test("routes of the Gateway API that lead to a service, and those that it is a parent of", () => {
  assert.deepEqual(apiRouteLines(ROUTES, { namespace: "shop", name: "web" }), [
    "HTTPRoute: web.shop",
    "   Parent: Gateway edge.infra, listener https",
    "WARNING: Gateway edge.infra, listener https: ResolvedRefs is False (BackendNotFound): no next",
    "   Parent: Gateway later.shop",
    "WARNING: no controller has reported on Gateway later.shop",
    "   Hostnames: www.shop.test",
    "   2 rule(s), 1 to web",
    "   Weight in rule 1: 80 of 100",
    "GRPCRoute: calls.shop",
    "   Parent: Service web.shop, port 81",
    "   0 rule(s), 0 to web",
  ]);
  assert.deepEqual(apiRouteLines(ROUTES, { namespace: "shop", name: "none" }), []);
});
