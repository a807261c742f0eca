/**
 * Properties of a cluster that templates and profiles read.
 *
 * @module
 */
import { type OrchClient, serverVersion } from "../../kit/orch/mod.ts";
import type { ChartCapabilities } from "../charts/mod.ts";
import type { InputChange } from "./input.ts";

/** An open cluster, as far as this room needs it. */
export interface ReadCluster {
  readonly client: OrchClient;
  readonly signal?: AbortSignal;
}

/** One that is closed after use. */
export type OpenedCluster = ReadCluster & Disposable;

/** Opens the cluster that a command names. */
export type OpenCluster = () => Promise<OpenedCluster>;

/** Version and API versions of the cluster, and a document with its platform. */
export async function clusterFacts(cluster: ReadCluster): Promise<InputChange> {
  const { gitVersion } = await serverVersion(cluster.client, { signal: cluster.signal });
  const capabilities: ChartCapabilities = {
    orchVersion: gitVersion.replace(/^v/, ""),
    apiVersions: await apiVersions(cluster),
  };
  const platform = platformOf(gitVersion);
  if (platform === undefined) return { capabilities };
  const text = `apiVersion: install.mesh.io/v1alpha1
kind: MeshOperator
spec: { values: { global: { platform: ${platform} } } }
`;
  return { capabilities, before: [{ name: "the cluster", text }] };
}

interface GroupList {
  readonly groups?: readonly {
    readonly versions?: readonly { readonly groupVersion?: string }[];
  }[];
}

async function apiVersions({ client, signal }: ReadCluster): Promise<readonly string[]> {
  const { groups = [] } = await client.json<GroupList>({ path: "/apis", signal });
  return [
    "v1",
    ...groups.flatMap(({ versions = [] }) =>
      versions.flatMap(({ groupVersion }) => groupVersion ?? [])
    ),
  ];
}

/** The platform that the version of an API server tells. */
export function platformOf(gitVersion: string): string | undefined {
  if (/-gke\./.test(gitVersion)) return "gke";
  return /\+k3s\d/.test(gitVersion) ? "k3s" : undefined;
}
