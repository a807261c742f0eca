/**
 * Views of the mesh as a whole: its configuration, clusters, networks, policies.
 *
 * @module
 */
import { MESH_ROW, TABLE_KINDS, tableOf } from "../../mesh/derive/mod.ts";
import { localityText } from "../../mesh/model/mod.ts";
import { type JsonValue, toJson } from "../../kit/proto/mod.ts";
import { KINDS, writtenKind } from "../../mesh/schema/mod.ts";
import { json, type Route } from "../../kit/web/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { debugRoute } from "./access.ts";
import { allServices, objectView } from "./config.ts";
import type { DebugInputs } from "./inputs.ts";
import { proxyId } from "./proxies.ts";

/** `/debug/mesh`, `…/clusterz`, `…/networkz`, `…/resourcesz`, `…/authorizationz`, `…/telemetryz`, `…/push_status`, `…/pushcontext`. */
export function meshRoutes(inputs: DebugInputs): Route[] {
  const show = (path: string, view: () => unknown): Route =>
    debugRoute("GET", `/debug/${path}`, () => json(view()));
  return [
    show("mesh", () => meshConfig(inputs)),
    show("clusterz", () => [ownCluster(inputs), ...remoteClusters(inputs)]),
    show("networkz", () => networkGateways(inputs)),
    show(
      "resourcesz",
      () =>
        KINDS.map((one) => ({
          group: one.group,
          version: one.versions[0],
          kind: writtenKind(one),
        })),
    ),
    show("authorizationz", () => ({
      authorization_policies: {
        namespace_to_policies: byNamespace(inputs, "AuthorizationPolicy"),
        root_namespace: rootNamespace(inputs),
      },
    })),
    show("telemetryz", () => ({
      namespace_to_telemetries: byNamespace(inputs, "Telemetry"),
      root_namespace: rootNamespace(inputs),
    })),
    show("push_status", () => pushStatus(inputs)),
    show("pushcontext", () => pushContext(inputs)),
  ];
}

/** The clusters that secrets name, which services come from. */
function remoteClusters({ clusters }: DebugInputs): Record<string, unknown>[] {
  return (clusters?.() ?? []).map(({ cluster, secret, state, fault, validity, ...rest }) => ({
    id: cluster,
    secretName: secret,
    syncStatus: state,
    ...(fault === undefined ? {} : { fault }),
    ...(validity === undefined
      ? {}
      : { credentialsEnd: new Date(validity.notAfter).toISOString() }),
    ...rest,
  }));
}

/** The daemon's own cluster, which all configuration comes from. */
function ownCluster({ clusterId, orchestrator }: DebugInputs): Record<string, unknown> {
  const cluster = { id: clusterId, secretName: "", syncStatus: "synced" };
  if (orchestrator === undefined) return cluster;
  const resources = orchestrator();
  const fault = resources.find((one) => one.fault !== undefined)?.fault;
  return { ...cluster, ...(fault === undefined ? {} : { fault }), resources };
}

function meshConfig({ mesh }: DebugInputs): JsonValue {
  const row = mesh.tables.mesh.peek(MESH_ROW);
  return row === undefined ? {} : toJson(MeshConfigSchema, row);
}

function rootNamespace({ mesh }: DebugInputs): string {
  return mesh.tables.mesh.peek(MESH_ROW)?.rootNamespace ?? "";
}

/** A gateway of a network. One with an IP address is in use; one with a name is declared. */
interface GatewayView {
  readonly network: string;
  readonly address: string;
  readonly service: string;
  readonly port: number;
  readonly locality: string;
}

/** The declared gateways, and those in use whose addresses come from Services. */
function networkGateways({ mesh }: DebugInputs): GatewayView[] {
  const networks = mesh.tables.networks.peek(MESH_ROW)?.networks ?? {};
  const declared = Object.entries(networks).flatMap(([network, { gateways }]) =>
    gateways.map(({ gw, port, locality }): GatewayView => ({
      network,
      address: gw.case === "address" ? gw.value : "",
      service: gw.case === "registryServiceName" ? gw.value : "",
      port,
      locality,
    }))
  );
  const known = new Set(declared.map(placeOf));
  const found = [...mesh.graph.peek(mesh.networks.all, "").gateways].flatMap(([network, ways]) =>
    ways.map(({ address, port, locality }): GatewayView => ({
      network,
      address,
      service: "",
      port,
      locality: locality === undefined ? "" : localityText(locality),
    }))
  );
  return [...declared, ...found.filter((one) => !known.has(placeOf(one)))]
    .sort((a, b) => a.network < b.network ? -1 : a.network > b.network ? 1 : 0);
}

function placeOf({ network, address, port }: GatewayView): string {
  return JSON.stringify([network, address, port]);
}

function byNamespace(inputs: DebugInputs, kind: string): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const object of inputs.objects()) {
    if (object.meta.kind === kind) (found[object.meta.namespace] ??= []).push(objectView(object));
  }
  return found;
}

/** Errors of pushes: metric → proxy or resource → message. */
function pushStatus(inputs: DebugInputs): Record<string, Record<string, unknown>> {
  const found: Record<string, Record<string, unknown>> = {};
  for (const session of inputs.sessions()) {
    const proxy = proxyId(session);
    for (const { short, nack } of session.types) {
      if (nack === undefined) continue;
      (found[`pilot_xds_${short}_reject`] ??= {})[proxy] = { proxy, message: nack.message };
    }
    for (const { view } of session.types) {
      for (const layer of view?.layers ?? []) {
        for (const [name, claimants] of layer.conflicts) {
          (found.mesh_resource_conflicts ??= {})[name] = { message: claimants.join(", ") };
        }
      }
    }
  }
  return found;
}

function differenceView({ oldestDifference, now }: DebugInputs): Record<string, unknown> | null {
  const found = oldestDifference?.();
  if (found === undefined) return null;
  const { since, ...rest } = found;
  return { ...rest, since: new Date(since).toISOString(), seconds: (now() - since) / 1000 };
}

function pushContext(inputs: DebugInputs): Record<string, unknown> {
  const { mesh } = inputs;
  const { revision, published, rows, cells, computed, cutOff, faults } = mesh.graph.stats();
  const sessions = inputs.sessions();
  return {
    revision,
    published,
    objects: Object.fromEntries(
      TABLE_KINDS.map((kind) => [kind, tableOf(mesh.tables, kind).size]),
    ),
    services: allServices(inputs).length,
    engine: { rows, cells, computed, cutOff, faults },
    proxies: sessions.length,
    proxyClasses: new Set(sessions.map(({ classKey }) => classKey)).size,
    problems: inputs.problems().length,
    oldestDifference: differenceView(inputs),
  };
}
