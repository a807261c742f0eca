/**
 * The objects that run a waypoint.
 *
 * @module
 */
import { toJson } from "../../kit/proto/mod.ts";
import { defaultProxyConfig } from "../../mesh/schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { InjectionConfig } from "./config.ts";
import { changedProxyFields, proxyImage } from "./data.ts";
import { injectionFunctions } from "./functions.ts";
import type { Json } from "./objects.ts";
import { renderObjects } from "./render.ts";
import { structureOf } from "../../kit/template/mod.ts";

/** A Gateway of the class of waypoints. */
export interface WaypointInput {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Names of the objects. */
  readonly deploymentName: string;
  readonly serviceAccount: string;
  /** The label that selects the pods; its value is the name of the Gateway. */
  readonly gatewayNameLabel: string;
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    readonly appProtocol: string;
  }[];
  readonly serviceType: string;
  readonly infrastructureLabels: Readonly<Record<string, string>>;
  readonly infrastructureAnnotations: Readonly<Record<string, string>>;
  readonly revision: string;
  /** Version of the orchestrator: 128 is 1.28. */
  readonly kubeVersion: number;
  readonly mesh: MeshConfig;
}

/**
 * Renders the template `waypoint`.
 *
 * @throws MeshError `inject-template` or `inject-result`
 */
export function waypointObjects(input: WaypointInput, config: InjectionConfig): readonly Json[] {
  const { mesh, uid, ...fields } = input;
  const proxy = mesh.defaultConfig ?? defaultProxyConfig();
  const data = structureOf({
    ...fields,
    UID: uid,
    objectMeta: { labels: {}, annotations: input.infrastructureAnnotations },
    spec: {},
    values: config.values,
    proxyImage: proxyImage({}, proxy, config.values),
    proxyConfig: structureOf(
      toJson(ProxyConfigSchema, proxy, { alwaysEmitImplicit: true }) as Json,
      changedProxyFields(proxy),
    ),
    meshConfig: toJson(MeshConfigSchema, mesh, { alwaysEmitImplicit: true }),
  });
  const definitions = config.templates.get("waypoint")!;
  const functions = injectionFunctions(() => undefined);
  return renderObjects({ name: "waypoint", definitions, functions }, data);
}
