/**
 * Texts of the code that have the form of a label or an annotation and need no row in the table of
 * objects.
 *
 * @module
 */

/** Texts of the form of a key that are none, or are of no object that users write, with the reasons. */
export const NO_KEYS: Readonly<Record<string, string>> = {
  "app.kubernetes.io/part-of": "written to definitions",
  "apps.kubernetes.io/pod-index":
    "differs between replicas or releases of a workload; left out of its class",
  "authentication.kubernetes.io/pod-name": "an answer of token reviews",
  "authentication.kubernetes.io/pod-uid": "an answer of token reviews",
  "batch.kubernetes.io/controller-uid":
    "differs between replicas or releases of a workload; left out of its class",
  "batch.kubernetes.io/job-name":
    "differs between replicas or releases of a workload; left out of its class",
  "cni.mesh.io/not-ready": "a taint of Nodes: spec.taints",
  "cni.mesh.io/uninitialized":
    "the default of a flag: a label that the repair gives to broken Pods",
  "deployment.kubernetes.io/revision":
    "written by the orchestrator, to Deployments and ReplicaSets",
  "extensions.mesh.io/wasmplugin": "a name of filters",
  "gateway.networking.k8s.io/bundle-version": "on definitions of the Gateway API",
  "internal.mesh.io/gateway-semantics": "on objects that are made of Gateways of the Gateway API",
  "internal.mesh.io/gateway-service": "on objects that are made of Gateways of the Gateway API",
  "internal.mesh.io/parents": "on objects that are made of objects of the Gateway API",
  "internal.mesh.io/route-semantics":
    "on objects that are made of Ingresses and of routes of the Gateway API",
  "internal.mesh.io/webhook-always-reject": "on the object by which a webhook is tried",
  "kubectl.kubernetes.io/last-applied-configuration": "dropped when objects are read",
  "kubernetes.io/config.hash": "written by the kubelet, to copies of its static pods",
  "kubernetes.io/h2c": "a value of appProtocol",
  "kubernetes.io/service-account-token": "a type of Secrets",
  "kubernetes.io/ws": "a value of appProtocol",
  "kubernetes.io/wss": "a value of appProtocol",
  "mesh.io/WaypointBound": "a type of conditions",
  "mesh.io/ca-root": "a type of Secrets",
  "mesh.io/config": "written to ConfigMaps",
  "mesh.io/deactivated": "on webhook configurations",
  "mesh.io/debug": "a type of resources of xDS",
  "mesh.io/gateway-controller": "a controller of GatewayClasses",
  "mesh.io/mesh-controller": "a controller of GatewayClasses",
  "mesh.io/eastwest-controller": "a controller of GatewayClasses",
  "mesh.io/unmanaged-gateway": "a controller of GatewayClasses",
  "statefulset.kubernetes.io/pod-name":
    "differs between replicas or releases of a workload; left out of its class",
  "mesh.io/heartbeat": "on Leases",
  "mesh.io/holder-revision": "on Leases",
  "mesh.io/ingress-controller": "a controller of IngressClasses",
  "kubernetes.io/service-account.name": "on secrets with tokens",
  "mesh.io/tag": "on webhook configurations",
  "install.operator.mesh.io/owning-resource": "on objects of an installation",
  "operator.mesh.io/component": "on objects of an installation",
  "operator.mesh.io/managed": "on objects of an installation",
  "operator.mesh.io/version": "on objects of an installation",
};

/** Keys of objects that the mesh does not serve, with the reasons. */
export const OTHER_OBJECTS: Readonly<Record<string, string>> = {
  "ambient.mesh.io/redirection": "written by the node proxy's own agent",
  "ambient.mesh.io/waypoint-inbound-binding": "on Gateways of the Gateway API",
  "mesh.io/waypoint-for": "on Gateways of the Gateway API",
  "gateway.mesh.io/controller-version": "on Gateways of the Gateway API",
  "gateway.mesh.io/alias-for": "on Gateways of the Gateway API",
  "gateway.mesh.io/defaults-for-class": "on ConfigMaps with parameters of Gateways",
  "gateway.mesh.io/listener-protocol": "an option of listeners of the Gateway API",
  "gateway.mesh.io/tls-terminate-mode": "an option of listeners of the Gateway API",
  "gateway.networking.k8s.io/gateway-class-name": "on objects that run Gateways of the Gateway API",
  "gateway.mesh.io/managed": "on objects that run Gateways of the Gateway API",
  "gateway.mesh.io/name-override": "on Gateways of the Gateway API",
  "gateway.mesh.io/service-account": "on Gateways of the Gateway API",
  "install.operator.mesh.io/chart-owner": "written by installers",
  "install.operator.mesh.io/owner-generation": "written by installers",
  "install.operator.mesh.io/version": "written by installers",
  "networking.mesh.io/service-type": "on Gateways of the Gateway API",
};
