import { envText } from "./source.ts";
import { defaultInForce, defaultTexts, type DefaultWhen, describeEnv } from "./table.ts";
import {
  type DefaultOf,
  type EnvRange,
  type EnvType,
  type EnvValues,
  parseValue,
} from "./value.ts";

/** Declaration of a variable by the room that reads it. */
export interface EnvDeclaration<K extends EnvType, D extends DefaultOf<K> | undefined> {
  readonly name: string;
  readonly type: K;
  /** Absent: the variable has no default and reads as `undefined`. */
  readonly default?: D;
  /** A default that applies instead while another variable is true. */
  readonly defaultWhen?: DefaultWhen<DefaultOf<K>>;
  /** Bounds of a number or duration (in milliseconds). Other values are invalid. */
  readonly range?: EnvRange;
  /** The values that a string takes, or that a bool takes with words. Other values are invalid. */
  readonly choices?: readonly string[];
  /** One sentence for the generated reference. */
  readonly doc: string;
  /** Programs that read it, such as `pilot-discovery`. */
  readonly readers: readonly string[];
}

/** A declared variable. */
export interface EnvVar<T> {
  readonly name: string;
  /** Reports if the environment sets it, by the rule of {@link EnvVar.get}. */
  isSet(): boolean;
  /**
   * The value, or the default. An empty variable counts as not set, except for strings, whose value
   * is then the empty string.
   *
   * @throws {MeshError} `env-invalid`, naming the variable, the value and the accepted form.
   */
  get(): T;
}

/**
 * Declares a variable that the calling room reads. Two rooms may declare the same variable if type
 * and default are equal; the reference then lists the readers of both.
 *
 * @throws {MeshError} `env-declared-twice` when they disagree, `env-invalid` on a bad default.
 */
export function declareEnv<K extends EnvType, const D extends DefaultOf<K> | undefined = undefined>(
  declaration: EnvDeclaration<K, D>,
): EnvVar<undefined extends D ? EnvValues[K] | undefined : EnvValues[K]> {
  type Result = undefined extends D ? EnvValues[K] | undefined : EnvValues[K];
  const { name, type, range, choices, doc, readers } = declaration;
  const defaults = defaultTexts(name, type, declaration.default, declaration.defaultWhen);
  describeEnv({
    name,
    type,
    ...defaults,
    ...range && { range },
    ...choices && { choices },
    doc,
    readers,
    programs: readers,
    state: { kind: "effective" },
  });
  const raw = () => {
    const text = envText(name);
    return text === "" && type !== "string" ? undefined : text;
  };
  return {
    name,
    isSet: () => raw() !== undefined,
    get: () => {
      const text = raw() ?? defaultInForce(defaults);
      return (text === undefined
        ? undefined
        : parseValue(name, type, text, { range, choices })) as Result;
    },
  };
}

/** Declaration of a switch that takes words beside true and false, such as `auto`. */
export interface SwitchDeclaration<W extends string> {
  readonly name: string;
  readonly default: boolean;
  readonly words: readonly W[];
  readonly doc: string;
  readonly readers: readonly string[];
}

/**
 * Declares a switch. In the reference it is a bool with its words.
 *
 * @throws {MeshError} as {@link declareEnv}
 */
export function declareSwitch<const W extends string>(
  { words, ...declaration }: SwitchDeclaration<W>,
): EnvVar<boolean | W> {
  const choices = ["true", "false", ...words];
  const variable = declareEnv({ ...declaration, type: "bool", choices });
  return {
    ...variable,
    get: () => {
      const value = variable.get();
      return words.find((word) => word === String(value)) ?? value;
    },
  };
}
