import { MeshError } from "../base/mod.ts";
import { openScopes } from "./scope.ts";
import { SCOPE_DESCRIPTIONS, SCOPES } from "./scopes.ts";
import { changeSettings, type ScopeSettings, settingsOf } from "./settings.ts";

/** A scope with what is written of it now. */
export interface ScopeState extends ScopeSettings {
  readonly name: string;
  /** Empty for a scope that is not documented. */
  readonly description: string;
}

/** Names of the documented scopes and of those that rooms opened beside them, sorted. */
export function knownScopes(): string[] {
  return [...new Set([...SCOPES, ...openScopes()])].sort();
}

/** What is written of every scope. */
export function scopeStates(): ScopeState[] {
  return knownScopes().map(stateOf);
}

/** What is written of a scope; `undefined` when there is no such scope. */
export function scopeState(name: string): ScopeState | undefined {
  return knownScopes().includes(name) ? stateOf(name) : undefined;
}

/**
 * Changes what is written of a scope, from its next message on and until the process ends; what
 * `change` leaves out stays.
 *
 * @throws {MeshError} `log-scope-unknown`
 */
export function changeScope(name: string, change: Partial<ScopeSettings>): void {
  if (!knownScopes().includes(name)) {
    throw new MeshError("log-scope-unknown", `there is no scope ${JSON.stringify(name)}`, {
      remedy: `The scopes are: ${knownScopes().join(", ")}.`,
    });
  }
  changeSettings(name, change);
}

function stateOf(name: string): ScopeState {
  return { name, description: SCOPE_DESCRIPTIONS[name] ?? "", ...settingsOf(name) };
}
