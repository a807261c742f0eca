/**
 * Environment variables of the webhooks.
 *
 * @module
 */
import { declaredEnv, declareEnv, declareSwitch, envText, type EnvVar } from "../../kit/env/mod.ts";

const readers = ["pilot-discovery"] as const;

/** True: pods are injected. */
export const INJECT_ENABLED: EnvVar<boolean> = declareEnv({
  name: "INJECT_ENABLED",
  type: "bool",
  default: true,
  doc: "Answer requests for injection.",
  readers,
});

/** The mutating configuration that is kept. */
export const INJECTION_WEBHOOK_CONFIG_NAME: EnvVar<string> = declareEnv({
  name: "INJECTION_WEBHOOK_CONFIG_NAME",
  type: "string",
  default: "mesh-sidecar-injector",
  doc:
    "Name of the mutating webhook configuration that the daemon patches, beside those with the label `mesh.io/rev` of its revision; empty: none at all.",
  readers,
});

/** The validating configuration that is kept. */
export const VALIDATION_WEBHOOK_CONFIG_NAME: EnvVar<string> = declareEnv({
  name: "VALIDATION_WEBHOOK_CONFIG_NAME",
  type: "string",
  default: "mesh-mesh-system",
  doc:
    "Name of the validating webhook configuration that the daemon patches, beside those with the label `mesh.io/rev` of its revision; empty: none at all.",
  readers,
});

/** True: proxies are native sidecars; `auto`: if the version of the API server has them. */
export const ENABLE_NATIVE_SIDECARS: EnvVar<boolean | "auto"> = declareSwitch({
  name: "ENABLE_NATIVE_SIDECARS",
  default: false,
  words: ["auto"],
  doc:
    "Inject the proxy as a native sidecar container; the orchestrator must support it. `auto`: if the API server has version 1.33 or newer.",
  readers,
});

/** Names of the daemon's variables, which templates of injection may read. */
export function daemonVariables(): ReadonlySet<string> {
  const own = declaredEnv().filter(({ programs }) => programs.includes("pilot-discovery"));
  return new Set(own.map(({ name }) => name));
}

/** The value of a variable of the daemon; `undefined`: it is not set, or there is none. */
export function daemonVariable(name: string): string | undefined {
  return daemonVariables().has(name) ? envText(name) : undefined;
}
