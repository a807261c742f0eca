/**
 * Simulation from documents: translates the mesh for one proxy and follows the call through the
 * resources of that proxy.
 *
 * @module
 */
import { createGraph } from "../../mesh/graph/mod.ts";
import type { ConfigObject, ProxyNode } from "../../mesh/model/mod.ts";
import { create } from "../../kit/proto/mod.ts";
import { upsertOf } from "../../mesh/ingest/mod.ts";
import { createPipeline, type Features } from "../../mesh/translate/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { type MeshNetworks, MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import type { Call } from "./call.ts";
import { follow } from "./follow.ts";
import { type Resources, resourcesOf } from "./resources.ts";
import type { Verdict } from "./verdict.ts";

/** The documents of a mesh. */
export interface Documents {
  /** Parsed and validated objects; kinds that are not used for proxies are ignored. */
  readonly objects: readonly ConfigObject[];
  readonly config: MeshConfig;
  readonly networks?: MeshNetworks;
  readonly features: Features;
  /** The mesh's DNS suffix. Default: `cluster.local`. */
  readonly domain?: string;
  /** Cluster of endpoints from files. */
  readonly clusterId: string;
}

/** Translates the mesh for one proxy. Throws `MeshError` for a node that cannot be served. */
export function servedTo(world: Documents, proxy: ProxyNode): Resources {
  const pipeline = createPipeline(createGraph(), {
    domain: world.domain ?? "cluster.local",
    clusterId: world.clusterId,
    features: world.features,
  });
  pipeline.apply({
    mesh: world.config,
    networks: world.networks ?? create(MeshNetworksSchema),
    objects: world.objects.flatMap((object) => upsertOf(object) ?? []),
  });
  const binding = pipeline.translation.source.bind(proxy, () => {});
  return resourcesOf((typeUrl) => binding.view(typeUrl));
}

/**
 * Simulates a call from (or to) a proxy in a mesh of these documents.
 *
 * @example
 * ```ts
 * import { type Documents, simulate } from "./mod.ts";
 * import type { ProxyNode } from "../../mesh/model/mod.ts";
 *
 * // The shares of a request from the proxy's workload, by outcome.
 * function shares(world: Documents, proxy: ProxyNode) {
 *   const { endings } = simulate(world, proxy, {
 *     direction: "outbound",
 *     source: { ip: proxy.ip },
 *     destination: { ip: "10.0.0.9", port: 80 },
 *     http: { host: "reviews.shop", path: "/" },
 *   });
 *   return endings.map(({ share, kind }) => [kind, share]);
 * }
 * ```
 */
export function simulate(world: Documents, proxy: ProxyNode, call: Call): Verdict {
  return follow(servedTo(world, proxy), call);
}
