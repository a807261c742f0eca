/**
 * The interface between sources and ingest. Files, an orchestrator, remote clusters and connected
 * workloads report through it. A source opens an {@linkcode Intake}, reports its initial set, says
 * that it is complete, and reports changes from then on.
 *
 * @module
 */
import type { KeySet } from "../derive/mod.ts";
import type { ConfigObject, Credential } from "../model/mod.ts";
import type { ObjectIdentity } from "../schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { MeshNetworks } from "#mesh/mesh/v1alpha1/network_pb.ts";

/** Objects that were added, changed and deleted in one source. */
export interface ObjectChanges {
  /** Each has the name of its source in `meta.origin.source`. */
  readonly upserts: readonly ConfigObject[];
  readonly deletes: readonly ObjectIdentity[];
}

/** Changes of everything that is not an object; each part replaces or extends the known one. */
export interface SettingChanges {
  readonly mesh?: MeshConfig;
  readonly networks?: MeshNetworks;
  /** Key sets by address. */
  readonly keySets?: ReadonlyMap<string, KeySet>;
  /** Addresses of gateways that take tunnels into a network, by host name. */
  readonly gatewayNames?: ReadonlyMap<string, readonly string[]>;
  /** The roots of the daemon's authority, each in PEM. */
  readonly authorityRoots?: readonly string[];
  /** Credentials by `namespace/name`; `undefined`: deleted. */
  readonly credentials?: ReadonlyMap<string, Credential | undefined>;
}

/** The receiving side of one source. Its functions do not throw. */
export interface Intake {
  /**
   * Reports changes of objects.
   *
   * @param seenAt when the last of them was noticed, by the clock of ingest (default: now). A
   * source that waited for its files to settle has used a part of the quiet time already.
   */
  objects(changes: ObjectChanges, seenAt?: number): void;
  /** Reports changes of settings. */
  settings(changes: SettingChanges): void;
  /** Reports that the initial set is complete. Later calls do nothing. */
  synced(): void;
  /**
   * Reports whether changes were noticed that are not reported yet. A waiting batch then waits for
   * them, for one more quiet time at most.
   */
  expecting(more: boolean): void;
  /** Reports the health of the source: `undefined`, or the reason why it cannot be read. */
  health(fault: string | undefined): void;
}

export interface SourceState {
  readonly name: string;
  /** True once the initial set is complete. */
  readonly synced: boolean;
  /** The reason why it cannot be read; what it reported last stays in use. */
  readonly fault: string | undefined;
}
