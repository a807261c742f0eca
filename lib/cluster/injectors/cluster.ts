import type { OrchClient } from "../../kit/orch/mod.ts";

/** The cluster whose injectors are asked. */
export interface InjectorCluster {
  readonly client: OrchClient;
  /** Namespace of names that give none. */
  readonly namespace: string;
  /** Namespace of the control plane. */
  readonly meshNamespace: string;
}

/** A pod, as far as injection concerns it. */
export interface InjectedPod {
  readonly metadata: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly hostNetwork?: boolean };
}
