/**
 * Pods for tests of injection.
 *
 * @module
 */
import { defaultMeshConfig } from "../../mesh/schema/mod.ts";
import {
  defaultInjectionConfig,
  type InjectionConfig,
  type InjectionInput,
  injectPod,
  type Pod,
} from "./mod.ts";
import { proxyOf } from "./objects.ts";

/** Changes of a pod with one container `web`. */
export interface PodChange {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A pod with one container `web`. */
export function podOf({ annotations = {}, labels = {}, spec = {} }: PodChange = {}): Pod {
  return {
    metadata: { name: "a", labels: { ...labels }, annotations: { ...annotations } },
    spec: { containers: [{ name: "web", image: "web:1" }], ...spec } as Pod["spec"],
  };
}

/** The input of an injection with the built-in configuration. */
export function inputOf(
  change: Partial<InjectionInput> = {},
  config: InjectionConfig = defaultInjectionConfig(),
): InjectionInput {
  return {
    config,
    mesh: defaultMeshConfig(),
    revision: "",
    nativeSidecars: false,
    compliancePolicy: "",
    workload: { apiVersion: "v1", kind: "Pod", name: "a", namespace: "shop" },
    ...change,
  };
}

/** The pod of a change, injected. */
export function injectedPod(change: PodChange = {}, input: Partial<InjectionInput> = {}): Pod {
  return injectPod(podOf(change), inputOf(input));
}

/** The value of a variable of the proxy. */
export function variableOf(pod: Pod, name: string): string | undefined {
  return proxyOf(pod)?.env?.find((one) => one.name === name)?.value;
}
