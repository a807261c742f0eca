/**
 * The security policies of a workload, as the daemon derives them.
 *
 * @module
 */
import {
  createMesh,
  type Mesh,
  MESH_ROW,
  type PeerModes,
  tableOf,
  type Workload,
  workloadKeys,
} from "../../mesh/derive/mod.ts";
import { createGraph, type Graph } from "../../mesh/graph/mod.ts";
import { upsertOf } from "../../mesh/ingest/mod.ts";
import { type ConfigObject, objectKeys } from "../../mesh/model/mod.ts";
import { AuthorizationPolicy_Action } from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";

/** The policies, as names `NAME.NAMESPACE`. */
export interface EffectivePolicies {
  /** The mode of mutual TLS that the proxy of the workload enforces. */
  readonly modes: PeerModes;
  /** The PeerAuthentications that take part in the mode. */
  readonly peers: readonly string[];
  /** The AuthorizationPolicies, each with its action. */
  readonly access: readonly { readonly name: string; readonly action: string }[];
  /** The RequestAuthentications. */
  readonly tokens: readonly string[];
}

/** The DNS suffix of a mesh that does not set another one. */
const DOMAIN = "cluster.local";

/** Derives the policies of a workload from the objects of a mesh. */
export function effectivePolicies(
  objects: readonly ConfigObject[],
  settings: MeshConfig,
  workload: Workload,
): EffectivePolicies {
  const graph = createGraph({ now: () => 0 });
  const mesh = createMesh(graph, { domain: DOMAIN });
  graph.transaction((tx) => {
    tx.set(mesh.tables.mesh, MESH_ROW, settings);
    for (const { kind, key, object } of objects.flatMap((one) => upsertOf(one) ?? [])) {
      if (object !== undefined) tx.set(tableOf(mesh.tables, kind), key, object);
    }
  });
  const { security, tables } = mesh;
  return {
    modes: graph.peek(security.peerModes, workload),
    peers: peersOf(graph, mesh, workload),
    access: graph.peek(security.authorization, workload).map((key) => ({
      name: nameOf(key),
      action: actionOf(tables.authorizationPolicies.peek(key)?.spec.action),
    })),
    tokens: graph.peek(security.tokens, workload).map(nameOf),
  };
}

function actionOf(action = AuthorizationPolicy_Action.ALLOW): string {
  return AuthorizationPolicy_Action[action] ?? `${action}`;
}

/** The PeerAuthentications that the derivation of the mode names. */
function peersOf(graph: Graph, { security }: Mesh, workload: Workload): readonly string[] {
  const key = workloadKeys.encode(workload);
  const decisions = graph.explain({ table: security.peerModes.name, key })?.decisions ?? [];
  const found = decisions.flatMap(({ object }) => object ?? []);
  return [...new Set(found)].map((ref) => nameOf(ref.slice(ref.indexOf("/") + 1)));
}

function nameOf(key: string): string {
  const { namespace, name } = objectKeys.decode(key);
  return `${name}.${namespace}`;
}
