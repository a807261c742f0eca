/**
 * Clients that a Sidecar and the rules that select them have in common.
 *
 * @module
 */
import { type RuleKeys, ruleKeys } from "../../derive/mod.ts";
import { type KeyCodec, keyOf, text } from "../../graph/mod.ts";

/** Clients with a Sidecar, and the rules that select them. */
export interface ClientScope {
  readonly namespace: string;
  /** Key of the Sidecar, `namespace/name`; `""` for none. */
  readonly sidecar: string;
  /** Keys of the DestinationRules that select the clients. */
  readonly rules: RuleKeys;
}

/** The codec of {@link ClientScope}. */
export const clientScopes: KeyCodec<ClientScope> = keyOf<ClientScope>({
  namespace: text,
  sidecar: text,
  rules: ruleKeys,
});
