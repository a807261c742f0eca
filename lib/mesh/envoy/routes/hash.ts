/**
 * Hash policies of routes.
 *
 * @module
 */
import { RouteAction_HashPolicySchema } from "#envoy/config/route/v3/route_components_pb.ts";
import type { LoadBalancerSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create } from "../../../kit/proto/mod.ts";
import type { HashPolicy } from "./scope.ts";

/**
 * Returns the hash policies of routes to a destination; empty unless it uses consistent hashing.
 * With `ttl`, the proxy generates a missing cookie (0s: session cookie); without, only a cookie of
 * the request is used.
 */
export function hashPolicyFor(loadBalancer: LoadBalancerSettings | undefined): HashPolicy[] {
  const policy = loadBalancer?.lbPolicy;
  if (policy?.case !== "consistentHash") return [];
  const specifier = policySpecifier(policy.value.hashKey);
  return specifier === undefined
    ? []
    : [create(RouteAction_HashPolicySchema, { policySpecifier: specifier })];
}

type HashKey = Extract<LoadBalancerSettings["lbPolicy"], { case: "consistentHash" }>["value"][
  "hashKey"
];

function policySpecifier(key: HashKey) {
  switch (key.case) {
    case "httpHeaderName":
      return { case: "header" as const, value: { headerName: key.value } };
    case "httpCookie": {
      const { name, ttl, path, attributes } = key.value;
      return {
        case: "cookie" as const,
        value: {
          name,
          ttl,
          path,
          attributes: attributes.map((a) => ({ name: a.name, value: a.value })),
        },
      };
    }
    case "useSourceIp":
      return key.value
        ? { case: "connectionProperties" as const, value: { sourceIp: true } }
        : undefined;
    case "httpQueryParameterName":
      return { case: "queryParameter" as const, value: { name: key.value } };
    default:
      return undefined;
  }
}
