import assert from "node:assert/strict";
import { ClusterSchema } from "#envoy/config/cluster/v3/cluster_pb.ts";
import {
  type RouteMatch,
  RouteMatchSchema,
  RouteSchema,
} from "#envoy/config/route/v3/route_components_pb.ts";
import { HTTPFaultSchema } from "#envoy/extensions/filters/http/fault/v3/fault_pb.ts";
import {
  LoadBalancerSettings_SimpleLB as SimpleLB,
  LoadBalancerSettingsSchema,
  OutlierDetectionSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  create,
  durationOf,
  fromBinary,
  type MessageInitShape,
  packAny,
} from "../../../kit/proto/mod.ts";
import { FAULT_FILTER } from "../routes/mod.ts";
import { grpcOutcome } from "./action.ts";
import { applyGrpcBalancing } from "./cluster.ts";
import { grpcMatches } from "./match.ts";
import { grpcOutlierDetection } from "./outlier_detection.ts";

type MatchInit = MessageInitShape<typeof RouteMatchSchema>;

const text = (name: string, exact: string, more = {}) => ({
  name,
  headerMatchSpecifier: {
    case: "stringMatch" as const,
    value: { matchPattern: { case: "exact" as const, value: exact } },
  },
  ...more,
});

/** The header matchers of each match, as `name` or `!name`. */
function headersOf(init: MatchInit): string[][] {
  const match: RouteMatch = create(RouteMatchSchema, {
    pathSpecifier: { case: "prefix", value: "/" },
    ...init,
  });
  return grpcMatches(match, "a.example:80").map(({ headers }) =>
    headers.map((h) =>
      `${h.invertMatch ? "!" : ""}${h.name}${
        h.headerMatchSpecifier.case === "presentMatch" ? "?" : ""
      }`
    )
  );
}

Deno.test("matches: properties that every call has are decided at translation", () => {
  const missing = { invertMatch: true, treatMissingHeaderAsEmpty: true };
  const claim = { filter: "f", value: { matchPattern: { case: "presentMatch", value: true } } };
  const cases: readonly (readonly [what: string, MatchInit, string[][]])[] = [
    ["nothing", {}, [[]]],
    ["a header", { headers: [text("who", "me")] }, [["who"]]],
    ["POST", { headers: [text(":method", "POST")] }, [[]]],
    ["GET", { headers: [text(":method", "GET")] }, []],
    ["its authority", { headers: [text(":authority", "a.example:80")] }, [[]]],
    ["another authority", { headers: [text(":authority", "b.example")] }, []],
    ["not another one", { headers: [text(":authority", "b", { invertMatch: true })] }, [[]]],
    ["a query", { queryParameters: [{ name: "a" }] }, []],
    ["a claim", { dynamicMetadata: [claim] } as MatchInit, []],
    ["no claim", { dynamicMetadata: [{ ...claim, invert: true }] } as MatchInit, [[]]],
    ["another value or none", { headers: [text("who", "me", missing)] }, [["!who?"], ["!who"]]],
    ["not the empty value", { headers: [text("who", "", missing)] }, [["!who"]]],
  ];
  for (const [what, init, expected] of cases) assert.deepEqual(headersOf(init), expected, what);
});

Deno.test("matches: headers that are not to be there double matches so often and no further", () => {
  const headers = ["a", "b", "c", "d", "e", "f"].map((name) =>
    text(name, "x", { invertMatch: true, treatMissingHeaderAsEmpty: true })
  );
  assert.equal(headersOf({ headers }).length, 16);
});

Deno.test("actions: an answer without a service is a fault that always strikes", () => {
  const cases = [
    [{ case: "directResponse", value: { status: 429 } }, 429],
    [{ case: "redirect", value: {} }, 301],
    [{ case: undefined }, 503],
  ] as const;
  for (const [action, status] of cases) {
    const outcome = grpcOutcome(create(RouteSchema, { action }), "outbound|80||a");
    assert.equal(outcome.action.case, "route");
    const { abort } = fromBinary(HTTPFaultSchema, outcome.fault!.value);
    assert.deepEqual(abort?.errorType, { case: "httpStatus", value: status });
    assert.equal(abort?.percentage?.numerator, 100);
  }
});

Deno.test("actions: limits, retries and settings of filters, as far as libraries know them", () => {
  const route = create(RouteSchema, {
    action: {
      case: "route",
      value: {
        clusterSpecifier: { case: "cluster", value: "c" },
        timeout: durationOf(0),
        prefixRewrite: "/x",
        retryPolicy: { retryOn: "5xx,gateway-error", numRetries: 3 },
        hashPolicy: [{ policySpecifier: { case: "cookie", value: { name: "c" } } }],
      },
    },
    typedPerFilterConfig: { "envoy.filters.http.cors": {} },
  });
  const { action, fault } = grpcOutcome(route, "own");
  assert.equal(fault, undefined);
  assert.ok(action.case === "route");
  assert.deepEqual(
    [
      action.value.maxStreamDuration,
      action.value.retryPolicy,
      action.value.hashPolicy,
      action.value.prefixRewrite,
    ],
    [undefined, undefined, [], ""],
  );
  route.typedPerFilterConfig[FAULT_FILTER] = packAny(HTTPFaultSchema, {});
  assert.equal(grpcOutcome(route, "own").fault, route.typedPerFilterConfig[FAULT_FILTER]);
});

Deno.test("balancing: policies that only some libraries support fall back to round robin", () => {
  const policiesOf = (simple: SimpleLB): string[] => {
    const cluster = create(ClusterSchema);
    const lbPolicy = { case: "simple" as const, value: simple };
    applyGrpcBalancing(cluster, create(LoadBalancerSettingsSchema, { lbPolicy }));
    return cluster.loadBalancingPolicy?.policies.map((p) => p.typedExtensionConfig!.name) ?? [];
  };
  const listed = ["wrr_locality", "round_robin"].map((n) => `envoy.load_balancing_policies.${n}`);
  assert.deepEqual(policiesOf(SimpleLB.LEAST_REQUEST), listed);
  for (const simple of [SimpleLB.ROUND_ROBIN, SimpleLB.RANDOM, SimpleLB.UNSPECIFIED]) {
    assert.deepEqual(policiesOf(simple), []);
  }
});

Deno.test("outlier detection: as many calls as failures in a row, all of which failed", () => {
  const volume = (init: MessageInitShape<typeof OutlierDetectionSchema>) =>
    grpcOutlierDetection(create(OutlierDetectionSchema, init))?.failurePercentageRequestVolume;
  assert.equal(volume({}), 5);
  assert.equal(volume({ consecutive5xxErrors: 7, consecutiveGatewayErrors: 2 }), 7);
  assert.equal(volume({ consecutiveGatewayErrors: 2 }), 2);
  assert.equal(volume({ consecutive5xxErrors: 0, consecutiveGatewayErrors: 3 }), 3);
  assert.equal(volume({ consecutive5xxErrors: 0 }), undefined);
});
