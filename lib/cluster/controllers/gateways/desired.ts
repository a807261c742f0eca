/**
 * The objects that a Gateway must have.
 *
 * @module
 */
import { GATEWAY_NAME_LABEL } from "../../../mesh/model/mod.ts";
import { MeshError } from "../../../kit/base/mod.ts";
import type { OrchObject } from "../../../kit/orch/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { gatewayObjects, type InjectionConfig, waypointObjects } from "../../inject/mod.ts";
import { EAST_WEST_CONTROLLER, WAYPOINT_CONTROLLER } from "./classes.ts";
import {
  accountOf,
  deploymentName,
  EAST_WEST_MANAGED,
  listenerSetsOf,
  MANAGED,
  metadataOf,
  servicePorts,
  serviceType,
  wantedAddress,
  WAYPOINT_MANAGED,
} from "./managed.ts";
import {
  DEFAULTS_LABEL,
  isConfigMapReference,
  overlaid,
  type Overlay,
  overlayOf,
} from "./overlays.ts";
import type {
  ConfigMapItem,
  GatewayClassItem,
  GatewayItem,
  ListenerSetItem,
  ParametersReference,
  Texts,
} from "./types.ts";

/** Settings of the daemon that the objects have. */
export interface GatewaySettings {
  readonly config: InjectionConfig;
  readonly mesh: MeshConfig;
  readonly revision: string;
  readonly clusterId: string;
  readonly compliancePolicy: string;
  /** Version of the orchestrator: 136 is 1.36. */
  readonly kubeVersion: number;
  /** Namespace with the defaults of classes. */
  readonly rootNamespace: string;
}

/** Settings that the objects of a Gateway depend on. */
export interface GatewayContext {
  readonly settings: GatewaySettings;
  /** The ListenerSets that name a Gateway. */
  listenerSets(gateway: GatewayItem): readonly ListenerSetItem[];
  labelsOf(namespace: string): Texts;
  configMap(namespace: string, name: string): ConfigMapItem | undefined;
  /** ConfigMaps of the root namespace with the label of defaults. */
  readonly defaults: readonly ConfigMapItem[];
}

/**
 * The objects of a Gateway.
 *
 * @throws MeshError for parameters, annotations or templates that are wrong
 */
export function desiredObjects(
  gateway: GatewayItem,
  of: GatewayClassItem,
  context: GatewayContext,
): OrchObject[] {
  const { settings: { config, rootNamespace: _, ...settings } } = context;
  const { metadata: { name, namespace = "", uid = "" }, spec } = gateway;
  const { controllerName } = of.spec;
  const isWaypoint = controllerName === WAYPOINT_CONTROLLER;
  const isEastWest = controllerName === EAST_WEST_CONTROLLER;
  const type = serviceType(gateway, isWaypoint ? "ClusterIP" : undefined);
  if (type === undefined) {
    throw new MeshError("gateway-service-type", "networking.mesh.io/service-type is no type", {
      remedy: "Use LoadBalancer, NodePort or ClusterIP.",
    });
  }
  const account = accountOf(gateway);
  const { labels, annotations } = metadataOf(gateway);
  const sets = listenerSetsOf(gateway, context.listenerSets(gateway), context.labelsOf);
  const { clusterId: clusterID, ...others } = settings;
  const objects = (isWaypoint || isEastWest ? waypointObjects : gatewayObjects)({
    ...others,
    clusterID,
    name,
    namespace,
    uid,
    deploymentName: deploymentName(gateway),
    serviceAccount: account.name,
    gatewayNameLabel: GATEWAY_NAME_LABEL,
    controllerLabel: isEastWest ? EAST_WEST_MANAGED : isWaypoint ? WAYPOINT_MANAGED : MANAGED,
    ports: servicePorts([spec, ...sets.map((set) => set.spec)]
      .flatMap(({ listeners = [] }) => listeners)),
    serviceType: type,
    loadBalancerIP: wantedAddress(gateway),
    infrastructureLabels: labels,
    infrastructureAnnotations: annotations,
  }, config);
  const own = objects.filter(({ kind }) => !(account.own && kind === "ServiceAccount"));
  // Plain data, as the API has them.
  return JSON.parse(JSON.stringify(overlaid(own, overlaysOf(gateway, of, context))));
}

/** The overlays: defaults of the class, its parameters, the Gateway's own. */
function overlaysOf(
  { metadata: { namespace = "" }, spec }: GatewayItem,
  of: GatewayClassItem,
  context: GatewayContext,
): Overlay[] {
  const defaults = context.defaults.filter(({ metadata: { labels } }) =>
    labels?.[DEFAULTS_LABEL] === of.metadata.name
  );
  const own = spec.infrastructure?.parametersRef;
  const ofClass = of.spec.parametersRef;
  return [
    ...defaults.map(overlayOf),
    ...ofClass === undefined ? [] : [referenced(ofClass, ofClass.namespace ?? "", context)],
    ...own === undefined ? [] : [referenced(own, namespace, context)],
  ];
}

function referenced(
  reference: ParametersReference,
  namespace: string,
  context: GatewayContext,
): Overlay {
  const { kind, name } = reference;
  if (!isConfigMapReference(reference)) {
    throw new MeshError("gateway-parameters", `parametersRef: ${kind} has no parameters`, {
      remedy: "Refer to a ConfigMap.",
    });
  }
  const found = context.configMap(namespace, name);
  if (found !== undefined) return overlayOf(found);
  throw new MeshError(
    "gateway-parameters",
    `parametersRef: there is no ConfigMap ${namespace}/${name}`,
    { remedy: "Create it, or remove the reference." },
  );
}
