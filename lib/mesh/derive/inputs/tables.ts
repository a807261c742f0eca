/**
 * The input tables and their indexes: the only way configuration enters.
 *
 * @module
 */
import type { Graph, Input } from "../../graph/mod.ts";
import type { ConfigObject } from "../../model/mod.ts";
import {
  type SpecOf,
  TABLE_KINDS,
  TABLED_KINDS,
  type TabledKinds,
  type TableKind,
} from "../../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";

export { TABLE_KINDS, type TableKind };

/** Keys that tokens are verified with, as they were fetched. */
export interface KeySet {
  /** A JSON Web Key Set; absent when none could be had so far. */
  readonly jwks?: string;
}

/** Tables of configuration objects, one for each kind of `TABLED_KINDS`; keys are `namespace/name`. */
export type ObjectTables = {
  readonly [K in TableKind as TabledKinds[K]["table"]]: Input<ConfigObject<SpecOf<K>>>;
};

/** All input tables. Rows of `namespaces` are keyed by `/name`. */
export interface Tables extends ObjectTables {
  /** Address of a key set → what it holds, or why it could not be had. */
  readonly keySets: Input<KeySet>;
  /** Host name of a gateway that takes tunnels into a network → its addresses. */
  readonly gatewayNames: Input<readonly string[]>;
  /** One row, key `config`: the roots of the daemon's authority, each in PEM. */
  readonly authorityRoots: Input<readonly string[]>;
  /** One row, key `config`. */
  readonly mesh: Input<MeshConfig>;
  /** One row, key `config`. */
  readonly networks: Input<MeshNetworks>;
}

export function createTables(graph: Graph): Tables {
  const objects = TABLE_KINDS.map((kind) =>
    [TABLED_KINDS[kind].table, graph.input<ConfigObject>(kind, { equal: sameObject })] as const
  );
  return {
    ...Object.fromEntries(objects) as unknown as ObjectTables,
    keySets: graph.input("KeySet"),
    gatewayNames: graph.input("GatewayName"),
    authorityRoots: graph.input("AuthorityRoots"),
    mesh: graph.input("MeshConfig"),
    networks: graph.input("MeshNetworks"),
  };
}

export function tableOf(tables: Tables, kind: TableKind): Input<ConfigObject> {
  return tables[TABLED_KINDS[kind].table];
}

/** Rows are equal when nothing that generation reads differs; where the object stands in its file does not matter. */
function sameObject(a: ConfigObject, b: ConfigObject): boolean {
  return a.digest === b.digest && a.meta.creationTime === b.meta.creationTime;
}
