/**
 * A mesh from YAML, for tests of derivation and translation.
 *
 * @module
 */
import {
  createMesh,
  type Mesh,
  MESH_ROW,
  type TableKind,
  tableOf,
} from "../../lib/mesh/derive/mod.ts";
import { createGraph } from "../../lib/mesh/graph/mod.ts";
import { type ConfigObject, objectKey, type ServiceFacts } from "../../lib/mesh/model/mod.ts";
import { create } from "../../lib/kit/proto/mod.ts";
import { parseConfigDocuments } from "../../lib/mesh/schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";

/** Parses documents that must all be good; ages are in the order of the documents, 1 the oldest. */
export function objectsOf(yaml: string): ConfigObject[] {
  const parsed = parseConfigDocuments(yaml, "test.yaml");
  if (parsed.problems.length > 0) {
    throw new Error(parsed.problems.map((p) => `${p.line}: ${p.path}: ${p.message}`).join("\n"));
  }
  return parsed.objects.map((o, i) => ({
    meta: {
      kind: o.kind,
      namespace: o.meta.namespace,
      name: o.meta.name,
      labels: o.meta.labels,
      annotations: o.meta.annotations,
      generation: 1,
      creationTime: i + 1,
      origin: { source: "file", file: "test.yaml", line: o.meta.line },
    },
    spec: o.spec,
    digest: o.digest,
  }));
}

/** Facts of a Service of an orchestrator; unless given, it has no endpoints and no specialities. */
export function serviceFacts(facts: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    headless: false,
    selector: {},
    distribution: "any",
    nodeLocal: false,
    externalAddresses: [],
    endpoints: [],
    ...facts,
  };
}

/** The mesh configuration tests start from. */
export function testMeshConfig(): MeshConfig {
  return create(MeshConfigSchema, { rootNamespace: "mesh-system" });
}

/** A mesh of these documents. */
export function meshOf(
  yaml: string,
  options: Partial<Parameters<typeof createMesh>[1]> = {},
): Mesh {
  const graph = createGraph();
  const mesh = createMesh(graph, { domain: "cluster.local", ...options });
  graph.transaction((tx) => {
    tx.set(mesh.tables.mesh, MESH_ROW, testMeshConfig());
    tx.set(mesh.tables.networks, MESH_ROW, create(MeshNetworksSchema));
    for (const object of objectsOf(yaml)) {
      tx.set(tableOf(mesh.tables, object.meta.kind as TableKind), objectKey(object.meta), object);
    }
  });
  return mesh;
}
