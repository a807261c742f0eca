import type { Scope } from "./scope.ts";

/** A Sidecar that imports what a workload class uses; `index` makes its name, beginning with 0. */
export function sidecarOf({ namespace, labels, names }: Scope, index: number): unknown {
  const hosts = [...new Set(names.map(({ host }) => host).filter((host) => host !== ""))].sort();
  return {
    apiVersion: "networking.mesh.io/v1",
    kind: "Sidecar",
    metadata: { name: `learned-${index + 1}`, namespace },
    spec: {
      ...Object.keys(labels).length > 0 && { workloadSelector: { labels } },
      // Without hosts a Sidecar would import everything.
      egress: [{ hosts: hosts.length === 0 ? ["~/*"] : hosts.map((host) => `*/${host}`) }],
    },
  };
}
