/**
 * The objects that run a Gateway of the Gateway API: the templates `kube-gateway` and `waypoint`.
 *
 * @module
 */
import { toJson } from "../../kit/proto/mod.ts";
import { defaultProxyConfig } from "../../mesh/schema/mod.ts";
import { type MeshConfig, MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { type InjectionConfig, mergeValues } from "./config.ts";
import { changedProxyFields, proxyImage } from "./data.ts";
import { injectionFunctions } from "./functions.ts";
import type { Json } from "./objects.ts";
import { renderObjects } from "./render.ts";
import { structureOf } from "../../kit/template/mod.ts";

/** A Gateway whose objects a template makes. */
export interface ManagedGateway {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Names of the objects. */
  readonly deploymentName: string;
  readonly serviceAccount: string;
  /** The label that selects the pods; its value is the name of the Gateway. */
  readonly gatewayNameLabel: string;
  /** The value of the label `gateway.mesh.io/managed`; default: that of waypoints. */
  readonly controllerLabel?: string;
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    /** `TCP` or `UDP`. */
    readonly protocol: string;
    readonly appProtocol: string;
  }[];
  readonly serviceType: string;
  /** Address that the Service asks for; empty: any. */
  readonly loadBalancerIP?: string;
  readonly infrastructureLabels: Readonly<Record<string, string>>;
  readonly infrastructureAnnotations: Readonly<Record<string, string>>;
  readonly revision: string;
  /** Version of the orchestrator: 128 is 1.28. */
  readonly kubeVersion: number;
  /** Id of the cluster, for templates that users write. */
  readonly clusterID?: string;
  readonly compliancePolicy?: string;
  readonly mesh: MeshConfig;
}

/** The label of a network, which precedes that of the values. */
const NETWORK_LABEL = "topology.mesh.io/network";

/**
 * Renders the template `waypoint`.
 *
 * @throws MeshError `inject-template` or `inject-result`
 */
export function waypointObjects(input: ManagedGateway, config: InjectionConfig): readonly Json[] {
  return objectsOf("waypoint", input, config);
}

/**
 * Renders the template `kube-gateway`.
 *
 * @throws MeshError `inject-template` or `inject-result`
 */
export function gatewayObjects(input: ManagedGateway, config: InjectionConfig): readonly Json[] {
  return objectsOf("kube-gateway", input, config);
}

function objectsOf(
  name: "kube-gateway" | "waypoint",
  input: ManagedGateway,
  config: InjectionConfig,
): readonly Json[] {
  const { mesh, uid, ...fields } = input;
  const proxy = mesh.defaultConfig ?? defaultProxyConfig();
  const network = input.infrastructureLabels[NETWORK_LABEL];
  const values = network === undefined
    ? config.values
    : mergeValues(config.values, { global: { network } });
  const data = structureOf({
    loadBalancerIP: "",
    clusterID: "",
    controllerLabel: "mesh.io-mesh-controller",
    compliancePolicy: "",
    ...fields,
    UID: uid,
    typeMeta: { apiVersion: "apps/v1", kind: "Deployment" },
    deploymentMeta: { name: input.deploymentName, namespace: input.namespace },
    objectMeta: {
      labels: input.infrastructureLabels,
      annotations: input.infrastructureAnnotations,
    },
    spec: {},
    values,
    proxyImage: proxyImage({}, proxy, config.values),
    proxyConfig: structureOf(
      toJson(ProxyConfigSchema, proxy, { alwaysEmitImplicit: true }) as Json,
      changedProxyFields(proxy),
    ),
    meshConfig: toJson(MeshConfigSchema, mesh, { alwaysEmitImplicit: true }),
  });
  const definitions = config.templates.get(name)!;
  const functions = injectionFunctions(() => undefined);
  return renderObjects({ name, definitions, functions }, data);
}
