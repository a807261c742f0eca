/**
 * The tables of the Gateway API in a mesh, with their status, for tests.
 *
 * @module
 */
import { createGraph, type Graph, type Input } from "../../lib/mesh/graph/mod.ts";
import { type ConfigObject, objectKey } from "../../lib/mesh/model/mod.ts";
import { isRouteKind, type RouteKind } from "../../lib/mesh/gateway_api/mod.ts";
import {
  createMesh,
  deriveGatewayApiStatus,
  type GatewayApiStatus,
  type GatewayApiTables,
  MESH_ROW,
} from "../../lib/mesh/derive/mod.ts";
import { objectsOf } from "./gateway_api_world.ts";
import { objectsOf as meshObjectsOf, testMeshConfig } from "./mesh_fixture.ts";

const TABLES: Readonly<Record<string, Exclude<keyof GatewayApiTables, "routes">>> = {
  Gateway: "gateways",
  GatewayClass: "gatewayClasses",
  ListenerSet: "listenerSets",
  ReferenceGrant: "referenceGrants",
  BackendTLSPolicy: "backendTlsPolicies",
  XBackendTrafficPolicy: "backendTrafficPolicies",
  XBackend: "backends",
  XMesh: "meshes",
};

/** Tables that tests write. */
export interface TestTables {
  readonly graph: Graph;
  readonly status: GatewayApiStatus;
  /** Sets objects of the Gateway API, and after a line `# entries` those of Mesh. */
  apply(documents: string): void;
  set(objects: readonly ConfigObject[]): void;
  remove(kind: RouteKind, namespace: string, name: string): void;
}

/** Tables without rows; hosts of Services end in `.svc.cluster.local`. */
export function createGatewayApiTables(): TestTables {
  const graph = createGraph();
  const mesh = createMesh(graph, { domain: "cluster.local", experimentalGatewayApi: true });
  const { tables: own, gatewayApi } = mesh;
  graph.transaction((change) => change.set(own.mesh, MESH_ROW, testMeshConfig()));
  const { api } = gatewayApi;
  const status = deriveGatewayApiStatus(mesh);
  const tableOf = (kind: string): Input<ConfigObject> =>
    isRouteKind(kind) ? api.routes[kind as RouteKind] : api[TABLES[kind]!];
  const set = (objects: readonly ConfigObject[]) => {
    graph.transaction((change) => {
      for (const object of objects) {
        const { kind, namespace, name } = object.meta;
        const scope = kind === "GatewayClass" || kind === "XMesh" ? "" : namespace;
        change.set(tableOf(kind), objectKey({ namespace: scope, name }), object);
      }
    });
  };
  return {
    graph,
    status,
    set,
    apply(documents) {
      const [foreign = "", entries = ""] = documents.split("# entries\n");
      set(objectsOf(foreign));
      graph.transaction((change) => {
        for (const object of meshObjectsOf(entries)) {
          const table: Input<ConfigObject> = object.meta.kind === "DestinationRule"
            ? own.destinationRules
            : own.serviceEntries;
          change.set(table, objectKey(object.meta), object);
        }
      });
    },
    remove(kind, namespace, name) {
      graph.transaction((change) =>
        change.delete(api.routes[kind], objectKey({ namespace, name }))
      );
    },
  };
}
