/**
 * Variables that are known and checked, and do not act.
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

/** A state in which setting a variable does nothing. */
export type IdleState = Exclude<EnvState, { kind: "acts" }>;

/** One variable of a theme. */
export interface IdleRow {
  readonly name: string;
  readonly type: EnvType;
  /** Undefined: it has none. */
  readonly default: EnvValue | undefined;
  readonly defaultWhen?: DefaultWhen;
  /** The only values of a text, where it is one of a few. */
  readonly choices?: readonly string[];
  readonly doc: string;
  /** Programs that take it. */
  readonly programs: readonly string[];
}

/** Variables that do not act for one reason. */
export interface IdleTheme {
  readonly state: IdleState;
  /** Programs in which they would act; these warn about them. */
  readonly readers: readonly string[];
  readonly rows: readonly IdleRow[];
}

/** A variable that is set and does nothing. */
export interface IdleEnv {
  readonly name: string;
  readonly state: IdleState;
}

/** Adds themes to the table; a variable that a room declares acts nevertheless. */
export function declareIdleEnv(themes: readonly IdleTheme[]): void {
  for (const { state, readers, rows } of themes) {
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

/** The variables that would act in a program, are set in the environment, and do nothing. */
export function idleEnv(program: string): IdleEnv[] {
  return declaredEnv().flatMap(({ name, state, readers }) => {
    if (state.kind === "acts" || !readers.includes(program)) return [];
    return (envText(name) ?? "") === "" ? [] : [{ name, state }];
  });
}

/**
 * Tells of variables that do nothing, each with what it waits for or why it never will act.
 *
 * @param warn writes the warning, for example a logger's `warn`
 */
export function warnIdleEnv(
  idle: readonly IdleEnv[],
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
): void {
  for (const { name, state } of idle) {
    if (state.kind === "later") {
      warn("this variable has no effect yet", { variable: name, waitsFor: state.reason });
    } else {
      warn("this variable has no effect here", { variable: name, reason: state.reason });
    }
  }
}
