/** Where values come from; `Deno.env` has this shape, and so has a `Map<string, string>`. */
export interface EnvSource {
  get(name: string): string | undefined;
}

let current: EnvSource = Deno.env;

/** The raw text of a variable in the environment in force, `undefined` when it is not set. */
export function envText(name: string): string | undefined {
  return current.get(name);
}

/**
 * Puts another environment in force, for tests and for programs that run in-process:
 * `using _ = useEnvironment({ PILOT_DEBOUNCE_AFTER: "10ms" })`. Disposing brings back the former.
 */
export function useEnvironment(values: Readonly<Record<string, string>> | EnvSource): Disposable {
  const former = current;
  current = isSource(values) ? values : new Map(Object.entries(values));
  return { [Symbol.dispose]: () => void (current = former) };
}

function isSource(values: Readonly<Record<string, string>> | EnvSource): values is EnvSource {
  return typeof values.get === "function";
}
