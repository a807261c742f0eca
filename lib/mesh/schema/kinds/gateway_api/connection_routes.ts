/**
 * TLSRoute, TCPRoute and UDPRoute: names, effective fields, rules.
 *
 * @module
 */
import {
  type ConnectionRule,
  type TCPRoute,
  TCPRouteSchema,
  type TLSRoute,
  TLSRouteSchema,
  type UDPRoute,
  UDPRouteSchema,
} from "#mesh/gateway/v1/connection_routes_pb.ts";
import type { TabledKind } from "../../kind.ts";
import type { ObjectIdentity, Report } from "../../problem.ts";
import { REQUIRED } from "../../rules/mod.ts";
import {
  checkBackend,
  checkDefaultScope,
  checkHostnames,
  checkParents,
  checkSectionName,
  GATEWAY_API,
} from "./common.ts";

export const TLS_ROUTE: TabledKind<"TLSRoute", "tlsRoutes", TLSRoute> = {
  kind: "TLSRoute",
  ...GATEWAY_API,
  versions: ["v1", "v1alpha3", "v1alpha2"],
  plural: "tlsroutes",
  table: "tlsRoutes",
  schema: TLSRouteSchema,
  effective: {
    paths: [
      "parentRefs",
      "hostnames",
      "useDefaultGateways",
      "rules",
    ],
  },
  validate: (spec, _identity, report) => {
    checkParents(spec.parentRefs, report);
    checkHostnames(spec.hostnames, ["spec", "hostnames"], report);
    checkDefaultScope(spec.useDefaultGateways, ["spec", "useDefaultGateways"], report);
    checkRules(spec.rules, report);
  },
};

/** Properties of kinds whose routes have no hostnames. */
const WITHOUT_HOSTNAMES = {
  ...GATEWAY_API,
  versions: ["v1", "v1alpha2"],
  effective: { paths: ["parentRefs", "useDefaultGateways", "rules"] },
  validate: (
    { parentRefs, useDefaultGateways, rules }: Pick<
      TCPRoute,
      "parentRefs" | "useDefaultGateways" | "rules"
    >,
    _identity: ObjectIdentity,
    report: Report,
  ) => {
    checkParents(parentRefs, report);
    checkDefaultScope(useDefaultGateways, ["spec", "useDefaultGateways"], report);
    checkRules(rules, report);
  },
};

export const TCP_ROUTE: TabledKind<"TCPRoute", "tcpRoutes", TCPRoute> = {
  ...WITHOUT_HOSTNAMES,
  kind: "TCPRoute",
  plural: "tcproutes",
  table: "tcpRoutes",
  schema: TCPRouteSchema,
};

export const UDP_ROUTE: TabledKind<"UDPRoute", "udpRoutes", UDPRoute> = {
  ...WITHOUT_HOSTNAMES,
  kind: "UDPRoute",
  plural: "udproutes",
  table: "udpRoutes",
  schema: UDPRouteSchema,
};

function checkRules(rules: readonly ConnectionRule[], report: Report): void {
  const path = ["spec", "rules"];
  if (rules.length === 0) report.fail(path, REQUIRED, "there is no rule", "Add a rule.");
  rules.forEach(({ name, backendRefs }, index) => {
    checkSectionName(name, [...path, index, "name"], report);
    if (backendRefs.length === 0) {
      const message = "the rule has no destinations";
      report.fail([...path, index], REQUIRED, message, "Give backendRefs.");
    }
    backendRefs.forEach((ref, i) => checkBackend(ref, [...path, index, "backendRefs", i], report));
  });
}
