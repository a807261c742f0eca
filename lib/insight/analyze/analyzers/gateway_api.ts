/**
 * Objects of the Gateway API that Mesh would not use as they are written: what the daemon says in
 * their status, before they are applied.
 *
 * @module
 */
import { backendLookups } from "../../../mesh/derive/mod.ts";
import {
  type BackendReference,
  backendsOf,
  type BoundListener,
  gatewayOfSet,
  isRouteKind,
  type ListenerSet,
  referenced,
  type RefFault,
  resolveBackend,
  type Route,
  ROUTE_KINDS,
  routeFaults,
  type RouteKind,
} from "../../../mesh/gateway_api/mod.ts";
import { type ObjectKey, objectKey } from "../../../mesh/model/mod.ts";
import { formatPath } from "../../../mesh/schema/mod.ts";
import type { Analyzer, Context } from "../analyzer.ts";
import type { Finding } from "../message.ts";
import { hostHint, hostSeenBy } from "../references.ts";

/** Routes with a parent that is missing or does not take them, or with a backend that cannot be used. */
export const API_ROUTES: Analyzer<RouteKind> = {
  name: "gateway-api.RouteAnalyzer",
  kinds: ROUTE_KINDS,
  codes: ["MSH0101", "MSH1008"],
  *analyze(context, { meta, spec }) {
    // Messages of the kinds have the fields of all routes.
    const route: Route = { meta, spec: spec as Route["spec"], digest: "" };
    yield* parentFindings(context, route);
    const { experimental } = context.mesh.gatewayApi.options;
    const { rejected, partly } = routeFaults(route, experimental);
    if (rejected !== undefined) yield notUsed("Accepted", rejected, "spec.rules");
    if (partly !== undefined) yield notUsed("PartiallyInvalid", partly, "spec.rules");
    for (const { ref, path } of backendsOf(route)) {
      yield* backendFindings(context, route, ref, formatPath(["spec", ...path]));
    }
  },
};

/** Gateways with listeners that conflict, or that name what cannot be used. */
export const API_GATEWAYS: Analyzer<"KubernetesGateway"> = {
  name: "gateway-api.GatewayAnalyzer",
  kinds: ["KubernetesGateway"],
  codes: ["MSH1008"],
  *analyze({ read, mesh }, { meta }) {
    const bound = read.get(mesh.gatewayApi.bound.gateways, meta);
    if (bound === undefined) return;
    if (bound.rejected !== undefined) yield notUsed("Accepted", bound.rejected, "spec.addresses");
    const own = bound.listeners.filter(({ owner }) => owner.kind === "Gateway");
    yield* listenerFindings(own);
  },
};

/** ListenerSets that no Gateway takes, and their listeners. */
export const API_LISTENER_SETS: Analyzer<"ListenerSet"> = {
  name: "gateway-api.ListenerSetAnalyzer",
  kinds: ["ListenerSet"],
  codes: ["MSH0101", "MSH1008"],
  *analyze(context, row) {
    const { read, mesh } = context;
    const { meta } = row;
    const set: ListenerSet = { ...row, spec: row.spec as ListenerSet["spec"] };
    const gateway = gatewayOfSet(set);
    if (gateway === undefined) return;
    if (isMissing(context, objectKey(gateway))) {
      yield missing(objectKey(gateway), "spec.parentRef.name");
      return;
    }
    const bound = read.get(mesh.gatewayApi.bound.gateways, gateway);
    const isThis = (one: ObjectKey) => one.namespace === meta.namespace && one.name === meta.name;
    const fault = bound?.sets.find(isThis)?.fault;
    if (fault !== undefined) yield notUsed("Accepted", fault, "spec.parentRef");
    const own = (bound?.listeners ?? [])
      .filter(({ owner }) => owner.kind === "ListenerSet" && isThis(owner));
    yield* listenerFindings(own);
  },
};

/** XBackends that no request is sent to, or that name what cannot be used. */
export const API_BACKENDS: Analyzer<"XBackend"> = {
  name: "gateway-api.BackendAnalyzer",
  kinds: ["XBackend"],
  codes: ["MSH1008"],
  *analyze({ read, mesh }, { meta }) {
    const { rejected, validation } = read.get(mesh.gatewayApi.bound.backends, meta) ?? {};
    if (rejected !== undefined) yield notUsed("Accepted", rejected, "spec.tls");
    const unresolved = validation?.authorities.fault;
    if (unresolved !== undefined) yield notUsed("ResolvedRefs", unresolved, "spec.tls.validation");
  },
};

/** True if a Gateway is not described, and others are or the set is complete. */
function isMissing({ read, mesh, indexes }: Context, gateway: string): boolean {
  if (read.get(mesh.gatewayApi.api.gateways, gateway) !== undefined) return false;
  return read.any(indexes.apiGateways, "all") || read.get(indexes.complete, "all") === true;
}

function* parentFindings(context: Context, { meta, spec }: Route): Iterable<Finding> {
  const { read, mesh } = context;
  const { kind, namespace, name } = meta;
  if (!isRouteKind(kind)) return;
  const { bound } = mesh.gatewayApi;
  for (const [at, ref] of (spec.parentRefs ?? []).entries()) {
    if ((ref.kind || "Gateway") !== "Gateway") continue;
    const gateway = objectKey(referenced(ref, namespace));
    if (isMissing(context, gateway)) yield missing(gateway, `spec.parentRefs[${at}].name`);
  }
  for (const { index, byDefault, fault } of read.get(bound.routes, { kind, namespace, name })) {
    const path = byDefault ? "spec.useDefaultGateways" : `spec.parentRefs[${index}]`;
    if (fault !== undefined) yield notUsed("Accepted", fault, path);
  }
}

function* backendFindings(
  context: Context,
  route: Route,
  ref: BackendReference,
  path: string,
): Iterable<Finding> {
  const { read, mesh } = context;
  // Services of the orchestrator are known by their hosts only, so they are looked up below.
  const look = { ...backendLookups(read, mesh.gatewayApi), service: () => undefined };
  const backend = resolveBackend(ref, route, look);
  if (!("fault" in backend)) return;
  const { fault } = backend;
  const isService = (ref.kind || "Service") === "Service";
  if (fault.reason !== "BackendNotFound" || !isService) {
    yield notUsed("ResolvedRefs", fault, path);
    return;
  }
  const { namespace, name } = referenced(ref, route.meta.namespace);
  const host = `${name}.${namespace}.svc.${mesh.domain}`;
  const seen = hostSeenBy(context, host, [namespace]);
  const ports = seen?.ports;
  if (seen === undefined) {
    const remedy = `${hostHint(context, host, namespace)}Correct the name, or create Service ` +
      `${namespace}/${name}.`;
    yield { code: "MSH0101", args: ["host", host], path: `${path}.name`, remedy };
  } else if (ports !== undefined && ref.port !== undefined && !ports.includes(ref.port)) {
    const remedy = `Use a port of the service: ${ports.join(", ")}.`;
    const args = ["port", `${host}:${ref.port}`];
    yield { code: "MSH0101", args, path: `${path}.port`, remedy };
  }
}

function* listenerFindings(listeners: readonly BoundListener[]): Iterable<Finding> {
  for (const { index, conflict, rejected, unresolved, spec: { name } } of listeners) {
    const path = `spec.listeners[${index}]`;
    const of = ({ reason, message }: RefFault): RefFault => ({
      reason,
      message: `listener "${name}": ${message}`,
    });
    const fault = rejected ?? conflict;
    if (fault !== undefined) yield notUsed("Accepted", of(fault), path);
    // Certificates are objects that the analysis does not read.
    if (unresolved !== undefined && !ABOUT_CERTIFICATES.has(unresolved.reason)) {
      yield notUsed("ResolvedRefs", of(unresolved), path);
    }
  }
}

const ABOUT_CERTIFICATES: ReadonlySet<string> = new Set([
  "InvalidCertificateRef",
  "InvalidCACertificateRef",
]);

function missing(gateway: string, path: string): Finding {
  const remedy = `Correct the name or the namespace, or create Gateway ${gateway}.`;
  return { code: "MSH0101", args: ["gateway", gateway], path, remedy };
}

function notUsed(condition: string, { reason, message }: RefFault, path: string): Finding {
  return { code: "MSH1008", args: [condition, reason, message], path };
}
