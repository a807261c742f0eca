/**
 * The subjects of the reference: the supported kinds and the two configuration files.
 *
 * @module
 */
import { isGatewayGroup } from "../../lib/mesh/gateway_api/mod.ts";
import { toJson } from "../../lib/kit/proto/mod.ts";
import {
  defaultMeshConfig,
  defaultProxyConfig,
  type Kind,
  KINDS,
  MESH_CONFIG_FIELDS,
  MESH_NETWORKS_FIELDS,
} from "../../lib/mesh/schema/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { MeshNetworksSchema } from "#mesh/mesh/v1alpha1/network_pb.ts";
import { defaultsOfKinds } from "./defaults.ts";
import type { Subject } from "./page.ts";

function valuesOf(json: unknown): Readonly<Record<string, unknown>> {
  return json as Readonly<Record<string, unknown>>;
}

/** Sentences about documents beyond those of the protos. */
const INTROS: Readonly<Record<string, string>> = {
  Namespace:
    "A namespace of the orchestrator. Only its labels are used, by `discoverySelectors` of " +
    "the mesh configuration.",
  WorkloadGroup: "The daemon makes a WorkloadEntry for each agent that registers with the group.",
};

/** False for the kinds of the Gateway API, which its own pages describe. */
export function isDescribed({ group }: Pick<Kind, "group">): boolean {
  return !isGatewayGroup(group);
}

/**
 * All subjects, sorted by title.
 *
 * @param example the example of a subject by its title
 */
export async function subjects(example: (title: string) => Promise<string>): Promise<Subject[]> {
  const defaults = defaultsOfKinds();
  const kinds = KINDS.filter(isDescribed).map((kind) => ({
    title: kind.kind,
    names: kind,
    schema: kind.schema,
    effective: kind.effective,
    isMetadataOnly: kind.metadataOnly,
    intro: INTROS[kind.kind] ?? "",
    defaults,
  }));
  const files = [{
    title: "MeshConfig",
    schema: MeshConfigSchema,
    effective: MESH_CONFIG_FIELDS,
    defaults: {
      ...defaults,
      [MeshConfigSchema.typeName]: valuesOf(toJson(MeshConfigSchema, defaultMeshConfig())),
      [ProxyConfigSchema.typeName]: valuesOf(toJson(ProxyConfigSchema, defaultProxyConfig())),
    },
    intro: "The mesh configuration: the file that `--meshConfig` of the daemon and of the agent " +
      "names. It has no `apiVersion` and no `metadata`. `PROXY_CONFIG` of an agent has the fields " +
      "of `defaultConfig`.",
  }, {
    title: "MeshNetworks",
    schema: MeshNetworksSchema,
    effective: MESH_NETWORKS_FIELDS,
    defaults: {},
    intro:
      "The networks of the mesh: the file that `--networksConfig` of the daemon names. It has " +
      "no `apiVersion` and no `metadata`.",
  }];
  const all = [...kinds, ...files].sort((a, b) => a.title < b.title ? -1 : 1);
  return await Promise.all(all.map(async (one) => ({ ...one, example: await example(one.title) })));
}
