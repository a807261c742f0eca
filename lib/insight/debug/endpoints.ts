/**
 * Views of the endpoints of services, and of the reachable services of single proxies.
 *
 * @module
 */
import {
  AGENT_TYPE_URLS,
  type Endpoint,
  type ProxyClass,
  type Service,
  TYPE_URLS,
} from "../../mesh/model/mod.ts";
import { AnySchema, create, type JsonValue, SERVED_TYPES, toJson } from "../../kit/proto/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import { showJson } from "../diff/mod.ts";
import { json, type Route, text } from "../../kit/web/mod.ts";
import { SidecarSchema } from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { debugRoute } from "./access.ts";
import { allServices } from "./config.ts";
import { withProxy } from "./find.ts";
import type { DebugInputs } from "./inputs.ts";
import { proxyId } from "./proxies.ts";

/** `/debug/endpointShardz`, `…/endpointz`, `…/instancesz`, `…/sidecarz`, `…/ecdsz`, `…/ndsz`, `…/proxyconfigz`. */
export function endpointRoutes(inputs: DebugInputs): Route[] {
  const shards = () => json(endpointShards(inputs));
  const typed = (path: string, typeUrl: string, missing: string): Route =>
    debugRoute(
      "GET",
      `/debug/${path}`,
      ({ url }) => withProxy(inputs, url, (session) => resourcesOf(session, typeUrl, missing)),
    );
  return [
    debugRoute("GET", "/debug/endpointShardz", shards),
    debugRoute("GET", "/debug/endpointz", shards),
    debugRoute("GET", "/debug/instancesz", () => json(instances(inputs))),
    debugRoute(
      "GET",
      "/debug/sidecarz",
      ({ url }) => withProxy(inputs, url, (session) => json(sidecarScope(inputs, session))),
    ),
    typed(
      "ecdsz",
      TYPE_URLS.extension,
      "a library that speaks xDS itself is served no extensions",
    ),
    typed(
      "ndsz",
      AGENT_TYPE_URLS.nameTable,
      "a library that speaks xDS itself is served no name table",
    ),
    typed(
      "proxyconfigz",
      AGENT_TYPE_URLS.proxyConfig,
      "a library that speaks xDS itself has no proxy to set up",
    ),
  ];
}

/** Host → namespace → endpoints, by the registry they come from. */
function endpointShards(inputs: DebugInputs): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const service of allServices(inputs)) {
    const { host, namespace } = service;
    const endpoints = inputs.mesh.graph.peek(inputs.mesh.services.endpoints, service);
    (found[host] ??= {})[namespace] = {
      Shards: shardsOf(inputs, endpoints),
      ServiceAccounts: serviceAccounts(endpoints),
    };
  }
  return found;
}

/** Cluster → endpoints. */
function shardsOf({ clusterId }: DebugInputs, endpoints: readonly Endpoint[]) {
  const byCluster = Map.groupBy(endpoints, ({ cluster }) => cluster);
  const own = { [`File/${clusterId}`]: byCluster.get(undefined) ?? [] };
  byCluster.delete(undefined);
  const remote = [...byCluster].map(([id, some]) => [`Orchestrator/${id}`, some]);
  return { ...own, ...Object.fromEntries(remote) };
}

function serviceAccounts(endpoints: readonly Endpoint[]): string[] {
  return [...new Set(endpoints.map((e) => e.serviceAccount).filter(Boolean))].sort();
}

/** Proxy → the service ports of its workload. */
function instances(inputs: DebugInputs): Record<string, unknown> {
  return Object.fromEntries(
    inputs.sessions().map((s) => [proxyId(s), classOf(s).targets]),
  );
}

/** Returns the class of a session; its key is its content. */
export function classOf({ classKey }: SessionInfo): Omit<ProxyClass, "key"> {
  return JSON.parse(classKey) as Omit<ProxyClass, "key">;
}

/** Returns the key of the Sidecar that applies to a proxy; `""` for none. Gateways have none. */
export function sidecarKeyOf({ mesh }: Pick<DebugInputs, "mesh">, session: SessionInfo): string {
  const { role, namespace, labels } = classOf(session);
  return role === "sidecar" ? mesh.graph.peek(mesh.scopes.sidecar, { namespace, labels }) : "";
}

/**
 * Returns the reachable services of a proxy: those that its Sidecar imports, or all that its
 * namespace sees.
 */
function sidecarScope(inputs: DebugInputs, session: SessionInfo): Record<string, unknown> {
  const { mesh } = inputs;
  const { namespace } = classOf(session);
  const key = sidecarKeyOf(inputs, session);
  const row = key === "" ? undefined : mesh.tables.sidecars.peek(key);
  const hosts = key === ""
    ? [...new Set(allServices(inputs).map(({ host }) => host))]
    : mesh.graph.peek(mesh.scopes.egressHosts, { namespace, sidecar: key, listener: undefined });
  return {
    name: row?.meta.name ?? "",
    namespace,
    sidecar: row === undefined ? null : toJson(SidecarSchema, row.spec),
    egressListeners: (row?.spec.egress ?? []).map(({ port, bind, hosts }, at) => ({
      port: port?.number ?? 0,
      bind,
      hosts,
      services: mesh.graph.peek(mesh.scopes.egressHosts, {
        namespace,
        sidecar: key,
        listener: at,
      }),
    })),
    services: hosts.flatMap((host) => serviceSeen(inputs, namespace, host)),
  };
}

function serviceSeen(
  { mesh }: DebugInputs,
  namespace: string,
  host: string,
): Pick<Service, "host" | "namespace" | "ports">[] {
  const key = mesh.graph.peek(mesh.services.resolve, { namespace, host });
  const service = key === undefined ? undefined : mesh.graph.peek(mesh.services.service, key);
  if (service === undefined) return [];
  return [{ host, namespace: service.namespace, ports: service.ports }];
}

function resourcesOf(session: SessionInfo, typeUrl: string, missing: string): Response {
  const view = session.view(typeUrl);
  if (view === undefined) return text(`${missing}\n`, { status: 404 });
  const names = [...view.names()].sort();
  return json(names.map((name): JsonValue => {
    const any = create(AnySchema, { typeUrl, value: view.get(name)!.bytes });
    return showJson(toJson(AnySchema, any, { registry: SERVED_TYPES }));
  }));
}
