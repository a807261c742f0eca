/** The source of values: `Deno.env` or a map. */
export type EnvSource = ReadonlyMap<string, string> | Pick<Deno.Env, "get" | "toObject">;

let current: EnvSource = Deno.env;

/** The text of a variable in the current environment, `undefined` when it is not set. */
export function envText(name: string): string | undefined {
  return current.get(name);
}

/** The whole current environment. */
export function envTexts(): Record<string, string> {
  return "toObject" in current ? current.toObject() : Object.fromEntries(current);
}

/**
 * Replaces the current environment, for tests and for programs that run in-process:
 * `using _ = useEnvironment({ PILOT_DEBOUNCE_AFTER: "10ms" })`. Disposing restores the former one.
 */
export function useEnvironment(values: Readonly<Record<string, string>> | EnvSource): Disposable {
  const former = current;
  current = isSource(values) ? values : new Map(Object.entries(values));
  return { [Symbol.dispose]: () => void (current = former) };
}

function isSource(values: Readonly<Record<string, string>> | EnvSource): values is EnvSource {
  return typeof values.get === "function";
}
