/**
 * Keys of listeners, and the tables with them.
 *
 * @module
 */
import {
  labelKeys,
  type Labels,
  type ListenerMember,
  type RuleKeys,
  ruleKeys,
} from "../../derive/mod.ts";
import {
  type Derived,
  flag,
  integer,
  type KeyCodec,
  keyOf,
  optional,
  text,
} from "../../graph/mod.ts";
import { type ListenerVariant, listenerVariants } from "../context/mod.ts";
import { type EgressMember, egressMembers } from "../egress/mod.ts";
import type { ListenerTable } from "../resources/mod.ts";

/** The outbound listeners of a member. */
export interface ListenerKey extends ListenerMember {
  readonly variant: ListenerVariant;
  readonly namespace: string;
}

/** The codec of {@link ListenerKey}. */
export const listenerKeys: KeyCodec<ListenerKey> = keyOf<ListenerKey>({
  variant: listenerVariants,
  namespace: text,
  port: integer,
  host: optional(text),
});

/** Clients that rules distinguish from others of their namespace. */
export interface Clients {
  /** Keys of the DestinationRules that select them, oldest first. */
  readonly rules: RuleKeys;
  /** Their source labels. */
  readonly labels: Labels;
}

/** The outbound listeners of a member for certain clients. */
export interface ClientListenerKey extends ListenerKey, Clients {}

/** The codec of {@link ClientListenerKey}. */
export const clientListenerKeys: KeyCodec<ClientListenerKey> = keyOf<ClientListenerKey>({
  variant: listenerVariants,
  namespace: text,
  rules: ruleKeys,
  port: integer,
  host: optional(text),
  labels: labelKeys,
});

/** A namespace, and the rules that select clients there. */
export interface RulesKey {
  readonly namespace: string;
  readonly rules: RuleKeys;
}

/** The codec of {@link RulesKey}. */
export const rulesKeys: KeyCodec<RulesKey> = keyOf<RulesKey>({
  namespace: text,
  rules: ruleKeys,
});

/** The listeners of a member of a Sidecar. */
export interface EgressListenerKey {
  readonly variant: ListenerVariant;
  readonly namespace: string;
  /** Key of the Sidecar, `namespace/name`. */
  readonly sidecar: string;
  readonly member: EgressMember;
}

/** The codec of {@link EgressListenerKey}. */
export const egressListenerKeys: KeyCodec<EgressListenerKey> = keyOf<EgressListenerKey>({
  variant: listenerVariants,
  namespace: text,
  sidecar: text,
  member: egressMembers,
});

/** The listeners of a member of a Sidecar for certain clients. */
export interface ClientEgressKey extends EgressListenerKey, Clients {}

/** The codec of {@link ClientEgressKey}. */
export const clientEgressKeys: KeyCodec<ClientEgressKey> = keyOf<ClientEgressKey>({
  variant: listenerVariants,
  namespace: text,
  sidecar: text,
  rules: ruleKeys,
  member: egressMembers,
  labels: labelKeys,
});

/** A Sidecar, and the rules that select clients. */
export interface EgressRulesKey extends RulesKey {
  readonly autoAddresses: boolean;
  readonly sidecar: string;
}

/** The codec of {@link EgressRulesKey}. */
export const egressRulesKeys: KeyCodec<EgressRulesKey> = keyOf<EgressRulesKey>({
  autoAddresses: flag("autoAddresses"),
  namespace: text,
  sidecar: text,
  rules: ruleKeys,
});

/** The tables of listeners for certain clients. */
export interface SourceLabelListeners {
  /** Members that rules for certain clients may change. */
  readonly members: Derived<readonly ListenerMember[], RulesKey>;
  /** Listeners that differ from those of the namespace. */
  readonly listeners: ListenerTable<ClientListenerKey>;
  /** Members of a Sidecar's listeners that such rules may change. */
  readonly egressMembers: Derived<readonly EgressMember[], EgressRulesKey>;
  /** Listeners that differ from those of the Sidecar. */
  readonly egressListeners: ListenerTable<ClientEgressKey>;
}

/** The tables of listeners for all clients. */
export interface PlainListeners {
  readonly listeners: ListenerTable<ListenerKey>;
  readonly egressListeners: ListenerTable<EgressListenerKey>;
}
