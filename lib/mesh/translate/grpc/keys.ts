/**
 * Tables of proxyless gRPC programs.
 *
 * @module
 */
import { type HostKey, labelKeys, type Labels, type RuleKeys, ruleKeys } from "../../derive/mod.ts";
import { type Derived, integer, type KeyCodec, keyOf, text } from "../../graph/mod.ts";
import type { ClientScope } from "../context/mod.ts";
import type { ByLocality, HostPort, Layered, ListenerTable, RouteTable } from "../resources/mod.ts";

export interface GrpcTables {
  readonly clusters: ByLocality<HostKey>;
  readonly listeners: Layered<HostKey>;
  readonly routes: Layered<HostKey>;
  /** The listener of one target: what Sidecars import. */
  readonly targetListeners: ListenerTable<TargetKey>;
  /** The route table of one target. */
  readonly targetRoutes: RouteTable<TargetKey>;
  /** Hosts whose routes depend on the client. */
  readonly clientHosts: Derived<readonly string[], ClientScope>;
  /** Routes that differ from those of the namespace. */
  readonly clientRoutes: RouteTable<GrpcClientKey>;
  /** Key of a class → listeners of its workload. */
  readonly servers: ListenerTable;
}

/** A target that programs dial: a port of a host, as a namespace sees it. */
export interface TargetKey extends HostPort {
  readonly namespace: string;
}

/** The codec of {@link TargetKey}. */
export const targetKeys: KeyCodec<TargetKey> = keyOf<TargetKey>({
  namespace: text,
  port: integer,
  host: text,
});

/** A host for certain clients. */
export interface GrpcClientKey extends HostKey {
  readonly rules: RuleKeys;
  /** Their source labels. */
  readonly labels: Labels;
}

/** The codec of {@link GrpcClientKey}. */
export const grpcClientKeys: KeyCodec<GrpcClientKey> = keyOf<GrpcClientKey>({
  namespace: text,
  host: text,
  rules: ruleKeys,
  labels: labelKeys,
});
