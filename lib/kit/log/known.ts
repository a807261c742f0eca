import { MeshError } from "../base/mod.ts";
import { openScopes } from "./scope.ts";
import { SCOPE_DESCRIPTIONS, SCOPES } from "./scopes.ts";
import { changeSettings, type ScopeSettings, settingsOf } from "./settings.ts";

/** A scope with its current settings. */
export interface ScopeState extends ScopeSettings {
  readonly name: string;
  /** Empty for a scope that is not documented. */
  readonly description: string;
}

/** Names of the documented scopes and of further open scopes, sorted. */
export function knownScopes(): string[] {
  return [...new Set([...SCOPES, ...openScopes()])].sort();
}

/** The settings of all scopes. */
export function scopeStates(): ScopeState[] {
  return knownScopes().map(stateOf);
}

/** The settings of a scope; `undefined` for an unknown scope. */
export function scopeState(name: string): ScopeState | undefined {
  return knownScopes().includes(name) ? stateOf(name) : undefined;
}

/**
 * Changes the settings of a scope until the process ends. Absent fields of `change` are kept.
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
