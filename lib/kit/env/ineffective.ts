/**
 * Variables that are checked but have no effect.
 *
 * @module
 */
import { envText } from "./source.ts";
import {
  declaredEnv,
  defaultTexts,
  type DefaultWhen,
  describeEnv,
  type EnvState,
} from "./table.ts";
import type { EnvType, EnvValue } from "./value.ts";

/** The state of a variable without effect. */
export type IneffectiveState = Exclude<EnvState, { kind: "effective" }>;

/** One variable of a group. */
export interface IneffectiveRow {
  readonly name: string;
  readonly type: EnvType;
  /** `undefined`: the variable has no default. */
  readonly default: EnvValue | undefined;
  readonly defaultWhen?: DefaultWhen;
  /** The values that a string takes; absent when it takes any. */
  readonly choices?: readonly string[];
  readonly doc: string;
  /** Programs that accept and check it. */
  readonly programs: readonly string[];
}

/** Variables without effect for one reason. */
export interface IneffectiveGroup {
  readonly state: IneffectiveState;
  /** Programs that the variables are meant for; these warn when one is set. */
  readonly readers: readonly string[];
  readonly rows: readonly IneffectiveRow[];
}

/** A variable that is set and has no effect. */
export interface IneffectiveVariable {
  readonly name: string;
  readonly state: IneffectiveState;
}

/** Adds groups to the table. A variable that a room declares is effective nevertheless. */
export function declareIneffectiveVariables(groups: readonly IneffectiveGroup[]): void {
  for (const { state, readers, rows } of groups) {
    for (const { name, type, doc, programs, ...rest } of rows) {
      const defaults = defaultTexts(name, type, rest.default, rest.defaultWhen);
      describeEnv({
        name,
        type,
        ...defaults,
        ...rest.choices && { choices: rest.choices },
        doc,
        readers,
        programs: [...new Set([...programs, ...readers])].sort(),
        state,
      });
    }
  }
}

/** The variables that are meant for a program, are set in the environment, and have no effect. */
export function ineffectiveVariables(program: string): IneffectiveVariable[] {
  return declaredEnv().flatMap(({ name, state, readers }) => {
    if (state.kind === "effective" || !readers.includes(program)) return [];
    return (envText(name) ?? "") === "" ? [] : [{ name, state }];
  });
}

/**
 * Writes a warning for each variable without effect, with the missing feature or the reason.
 *
 * @param warn writes a warning, for example a logger's `warn`
 */
export function warnIneffectiveVariables(
  variables: readonly IneffectiveVariable[],
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
): void {
  for (const { name, state } of variables) {
    if (state.kind === "unsupported") {
      warn("this variable has no effect: not implemented", {
        variable: name,
        missing: state.reason,
      });
    } else {
      warn("this variable has no effect", { variable: name, reason: state.reason });
    }
  }
}
