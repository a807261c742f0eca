/**
 * The table "from the orchestrator to the proxy": labels, annotations and fields of the orchestrator's
 * objects, their effects and the tests that show them.
 *
 * @module
 */

/** A label, an annotation or a field. */
export interface ObjectRow {
  /** The name of the label or annotation; the path of the field. */
  readonly name: string;
  /** Its effect on proxies, or on the parts of the mesh beside them: one or more sentences. */
  readonly effect: string;
  /** Path of the test. */
  readonly test: string;
  /** The text by which the test mentions it; default: the name, of a field its last part. */
  readonly mention?: string;
}

/** The rows of a kind of object. */
export interface ObjectTable {
  readonly kind: string;
  readonly labels: readonly ObjectRow[];
  readonly annotations: readonly ObjectRow[];
  readonly fields: readonly ObjectRow[];
}

type Short = readonly [name: string, effect: string, test: string, mention?: string];

function rows(short: readonly Short[]): ObjectRow[] {
  return short.map(([name, effect, test, mention]) => ({
    name,
    effect,
    test,
    ...(mention === undefined ? {} : { mention }),
  }));
}

function table(
  kind: string,
  parts: Partial<Record<"labels" | "annotations" | "fields", readonly Short[]>>,
): ObjectTable {
  const { labels = [], annotations = [], fields = [] } = parts;
  return { kind, labels: rows(labels), annotations: rows(annotations), fields: rows(fields) };
}

const ROW = "lib/mesh/sources/orchestrator/services/row_test.ts";
const FIELDS = "lib/mesh/sources/orchestrator/services/fields_test.ts";
const EXTERNAL = "lib/mesh/sources/orchestrator/services/external_test.ts";
const INGRESS = "lib/mesh/sources/orchestrator/ingress/translate_test.ts";
const OWN = "tests/orch/own_pod_traffic_test.ts";
const INJECT = "lib/cluster/inject/annotations_test.ts";
const BOOTSTRAP = "lib/node/agent/annotations_test.ts";
const SERVICES = "tests/orch/services_test.ts";
const WAYPOINTS = "lib/mesh/derive/ambient/waypoints_test.ts";
const AMBIENT_ROWS = "tests/support/ambient_rows.ts";
const TRAFFIC = "traffic.sidecar.mesh.io/";

const SERVICE = table("Service", {
  labels: [
    ["mesh.io/use-waypoint", "The waypoint of the Service; `none`: it has none.", WAYPOINTS],
    ["mesh.io/use-waypoint-namespace", "The namespace of that waypoint.", WAYPOINTS],
    [
      "mesh.io/use-waypoint-canary",
      "A second waypoint, which takes a share of the requests.",
      WAYPOINTS,
    ],
    ["mesh.io/use-waypoint-canary-namespace", "The namespace of that waypoint.", WAYPOINTS],
    ["mesh.io/ingress-use-waypoint", "`true`: gateways send through the waypoint, too.", WAYPOINTS],
    [
      "mesh.io/global",
      "`true`: other networks reach the Service by tunnels, where the mesh configuration has no `serviceScopeConfigs`.",
      "lib/mesh/translate/ambient/ambient_test.ts",
    ],
    [
      "topology.mesh.io/network",
      "The Service is the gateway of the network: proxies of other networks reach its endpoints there.",
      "tests/orch/cases/near_services.ts",
    ],
    [
      "networking.mesh.io/gatewayPort",
      "The port at which the gateway of a network is entered; 15443 without it.",
      "lib/mesh/derive/services/networks_test.ts",
    ],
    [
      "mesh.io/persistent-session",
      "A cookie of this name keeps the requests of a client at one endpoint.",
      "lib/mesh/translate/destinations/sessions_test.ts",
    ],
    [
      "mesh.io/persistent-session-header",
      "A header of this name keeps the requests of a client at one endpoint.",
      "lib/mesh/translate/destinations/sessions_test.ts",
    ],
  ],
  annotations: [
    [
      "mesh.io/use-waypoint-canary-weight",
      "Percentage of the requests that the second waypoint takes.",
      WAYPOINTS,
    ],
    [
      "networking.mesh.io/exportTo",
      "The namespaces whose proxies see the Service; all of them without it.",
      ROW,
    ],
    [
      "networking.mesh.io/traffic-distribution",
      "Requests go to endpoints near the client first; replaces `trafficDistribution`.",
      "lib/mesh/translate/endpoints/localities_test.ts",
    ],
    [
      "traffic.mesh.io/nodeSelector",
      "The gateway of a network is entered at the external addresses of these Nodes.",
      EXTERNAL,
    ],
    [
      "alpha.mesh.io/kubernetes-serviceaccounts",
      "Clients also accept servers with these accounts of the namespace.",
      ROW,
    ],
    [
      "alpha.mesh.io/canonical-serviceaccounts",
      "Clients also accept servers with these identities.",
      ROW,
    ],
  ],
  fields: [
    ["spec.ipFamilies", "In ambient mode: the families of its addresses.", AMBIENT_ROWS],
    [
      "spec.type",
      "`ExternalName` makes an alias of the host that it names; `NodePort` and `LoadBalancer` have addresses outside, for gateways of networks.",
      ROW,
    ],
    ["spec.externalName", "The host of which the Service is an alias.", ROW],
    [
      "spec.clusterIP",
      "The virtual address of listeners. `None` is a headless Service, whose clients connect to the address of a pod.",
      ROW,
    ],
    ["spec.clusterIPs", "The virtual addresses of both families.", ROW],
    ["spec.externalIPs", "Addresses outside at which the gateway of a network is entered.", ROW],
    [
      "spec.selector",
      "WorkloadEntries that match are endpoints, too. Pods come by EndpointSlices.",
      SERVICES,
      "Services select WorkloadEntries",
    ],
    ["spec.trafficDistribution", "Requests go to endpoints near the client first.", ROW],
    [
      "spec.internalTrafficPolicy",
      "`Local`: only the endpoints on the proxy's own Node are used.",
      "tests/orch/cases/near_services.ts",
    ],
    ["spec.publishNotReadyAddresses", "All endpoints count as ready.", ROW],
    ["spec.ports[].port", "The port of listeners, routes and clusters.", ROW],
    ["spec.ports[].name", "The part before the first `-` names the protocol.", ROW],
    ["spec.ports[].appProtocol", "Names the protocol, before the name of the port.", ROW],
    ["spec.ports[].protocol", "UDP ports have no listener and no cluster.", ROW],
    [
      "spec.ports[].targetPort",
      "The port of WorkloadEntries that the Service selects. EndpointSlices have the ports of pods.",
      FIELDS,
    ],
    ["spec.ports[].nodePort", "The port of the Nodes, for gateways of networks.", EXTERNAL],
    [
      "status.loadBalancer",
      "Addresses and names outside at which the gateway of a network is entered; the status of Ingresses has them.",
      ROW,
    ],
  ],
});

const SLICE = table("EndpointSlice", {
  labels: [["kubernetes.io/service-name", "The Service of the endpoints.", SERVICES]],
  fields: [
    ["addressType", "Slices of host names (`FQDN`) are not used.", ROW],
    ["ports[].name", "The port of the Service that it serves.", FIELDS],
    ["ports[].port", "The port of the endpoints; its name is that of the Service's port.", ROW],
    ["endpoints[].addresses", "The addresses of the cluster's endpoints.", ROW],
    ["endpoints[].conditions.ready", "Endpoints that are not ready are left out.", ROW],
    [
      "endpoints[].conditions.serving",
      "Endpoints that terminate and still serve drain, where sessions stay with them.",
      ROW,
    ],
    ["endpoints[].conditions.terminating", "See `serving`.", ROW],
    [
      "endpoints[].hostname",
      "The name of a pod below the host of a headless Service.",
      FIELDS,
    ],
    ["endpoints[].nodeName", "The Node, which has the locality of the endpoint.", SERVICES],
    ["endpoints[].zone", "The zone of an endpoint whose Node is unknown.", ROW],
    [
      "endpoints[].targetRef",
      "The pod, which has labels, account and network of the endpoint.",
      ROW,
    ],
  ],
});

const POD_LABELS: readonly Short[] = [
  [
    "mesh.io/dataplane-mode",
    "`ambient`: the pod is in ambient mode; wins over the namespace's.",
    "lib/node/ambient_pods/enrolment_test.ts",
  ],
  [
    "mesh-locality",
    "The locality of the pod as an endpoint and of its proxy, before that of the Node.",
    OWN,
  ],
  [
    "topology.mesh.io/locality",
    "The same, before `mesh-locality`.",
    "lib/mesh/model/topology_test.ts",
  ],
  [
    "topology.mesh.io/network",
    "The network of the pod, before that of the cluster.",
    ROW,
  ],
  [
    "topology.mesh.io/cluster",
    "Subsets and orders of failover may compare it; it is the cluster of the endpoint, whatever the pod says.",
    "lib/mesh/derive/counts_test.ts",
  ],
  [
    "networking.mesh.io/tunnel",
    "`http`: clients may send through tunnels. The injector sets it.",
    "lib/mesh/translate/tunnels_test.ts",
  ],
  [
    "security.mesh.io/tlsMode",
    "`mesh`: clients use mutual TLS. The injector sets it.",
    "lib/mesh/translate/security/mutual_tls_test.ts",
  ],
  [
    "sidecar.mesh.io/inject",
    "`true` and `false` decide about injection.",
    "lib/cluster/inject/inject_test.ts",
  ],
  [
    "service.mesh.io/canonical-name",
    "The canonical service in metrics; without it `app.kubernetes.io/name`, then `app`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
  ],
  [
    "service.mesh.io/canonical-revision",
    "The canonical revision in metrics; without it `app.kubernetes.io/version`, then `version`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
  ],
  [
    "app.kubernetes.io/name",
    "See `service.mesh.io/canonical-name`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
  ],
  [
    "app.kubernetes.io/version",
    "See `service.mesh.io/canonical-revision`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
  ],
  [
    "app",
    "See `service.mesh.io/canonical-name`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
    'app: "a"',
  ],
  [
    "version",
    "See `service.mesh.io/canonical-revision`.",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
    'version: "2"',
  ],
  [
    "mesh",
    "The gateway that Ingresses are served by; Gateways name it in their selectors.",
    INGRESS,
    '{ mesh: "edge" }',
  ],
  ["service.mesh.io/workload-name", "Names the workload in metrics and names.", ROW],
  ["deploymentconfig", "The name of the workload of a pod of a DeploymentConfig.", ROW],
  [
    "pod-template-hash",
    "The end of the name of a Deployment's ReplicaSet, which the name of the workload does not have.",
    ROW,
  ],
  ["rollouts-pod-template-hash", "The same for a Rollout.", ROW],
  [
    "mesh.io/draining",
    "Endpoints with it drain, where sessions stay with them (`PILOT_DRAINING_LABEL`).",
    "lib/mesh/envoy/endpoints/endpoints_test.ts",
  ],
  [
    "gateway.networking.k8s.io/gateway-name",
    "The Gateway of the pod, which `targetRefs` of policies name.",
    "lib/mesh/translate/environment_scope_test.ts",
  ],
  [
    "mesh.io/rev",
    "The revision whose injector takes the pod.",
    "lib/cluster/inject/inject_test.ts",
  ],
];

const POD_ANNOTATIONS: readonly Short[] = [
  [
    "ambient.mesh.io/bypass-inbound-capture",
    "`true`: connections to a pod in ambient mode pass by the node proxy.",
    "lib/node/ambient_pods/plan_test.ts",
  ],
  [
    "ambient.mesh.io/dns-capture",
    "Captures queries of names of a pod in ambient mode, or does not.",
    "lib/node/ambient_pods/plan_test.ts",
  ],
  ["inject.mesh.io/templates", "The templates of the injected proxy.", INJECT],
  [
    "mesh.io/on-demand",
    "`true` or `false`: as the label of the Namespace, which it precedes.",
    "lib/mesh/translate/routes/asked_hosts_test.ts",
  ],
  ["mesh.io/reroute-virtual-interfaces", "Interfaces whose traffic counts as outbound.", INJECT],
  [
    "mesh.io/rev",
    "Written by the injector: the revision of the proxy.",
    "lib/cluster/inject/inject_test.ts",
  ],
  ["k8s.v1.cni.cncf.io/networks", "The network plugin is added where it runs by Multus.", INJECT],
  ["kubectl.kubernetes.io/default-container", "Set by the injector unless it is there.", INJECT],
  [
    "kubectl.kubernetes.io/default-logs-container",
    "Set by the injector unless it is there.",
    INJECT,
  ],
  [
    "prometheus.mesh.io/merge-metrics",
    "`false`: the agent does not serve the application's metrics.",
    INJECT,
  ],
  [
    "prometheus.io/scrape",
    "`false`: nothing is merged. The injector points it at the agent.",
    INJECT,
  ],
  ["prometheus.io/port", "The port of the application's metrics, which the agent reads.", INJECT],
  ["prometheus.io/path", "The path of the application's metrics, which the agent reads.", INJECT],
  [
    "proxy.mesh.io/config",
    "The proxy configuration, over that of the mesh and of ProxyConfigs.",
    INJECT,
  ],
  [
    "proxy.mesh.io/overrides",
    "Written by the injector: the user's own proxy container.",
    "lib/cluster/inject/reinjection_test.ts",
  ],
  [
    "readiness.status.sidecar.mesh.io/failureThreshold",
    "The readiness probe of the proxy.",
    INJECT,
  ],
  ["readiness.status.sidecar.mesh.io/initialDelaySeconds", "The same.", INJECT],
  ["readiness.status.sidecar.mesh.io/periodSeconds", "The same.", INJECT],
  ["sidecar.mesh.io/agentLogLevel", "The log levels of the agent.", INJECT],
  [
    "sidecar.mesh.io/bootstrapOverride",
    "A ConfigMap that is merged into the bootstrap file.",
    INJECT,
  ],
  ["sidecar.mesh.io/capNetBindService", "The proxy may bind ports below 1024.", INJECT],
  ["sidecar.mesh.io/componentLogLevel", "The log levels of Envoy's components.", INJECT],
  [
    "sidecar.mesh.io/discoveryAddress",
    "The daemon's address; deprecated.",
    "lib/node/agent/config_test.ts",
  ],
  ["sidecar.mesh.io/extraStatTags", "Further tags of metrics.", BOOTSTRAP],
  [
    "sidecar.mesh.io/inject",
    "As the label, which precedes; deprecated.",
    "lib/cluster/inject/inject_test.ts",
  ],
  ["sidecar.mesh.io/interceptionMode", "How traffic is captured.", INJECT],
  ["sidecar.mesh.io/logLevel", "The log level of Envoy.", INJECT],
  ["sidecar.mesh.io/nativeSidecar", "The proxy is an init container that stays.", INJECT],
  ["sidecar.mesh.io/proxyCPU", "The request of CPU.", INJECT],
  ["sidecar.mesh.io/proxyCPULimit", "The limit of CPU.", INJECT],
  ["sidecar.mesh.io/proxyImage", "The image of the proxy.", INJECT],
  ["sidecar.mesh.io/proxyImageType", "The type of the image, such as `debug`.", INJECT],
  ["sidecar.mesh.io/proxyMemory", "The request of memory.", INJECT],
  ["sidecar.mesh.io/proxyMemoryLimit", "The limit of memory.", INJECT],
  ["sidecar.mesh.io/rewriteAppHTTPProbers", "`false`: probes are not moved to the agent.", INJECT],
  ["sidecar.mesh.io/statsCompression", "The compression of the metrics of Envoy.", BOOTSTRAP],
  [
    "sidecar.mesh.io/statsEvictionInterval",
    "The time after which unused metrics are dropped.",
    BOOTSTRAP,
  ],
  [
    "sidecar.mesh.io/statsFlushInterval",
    "The interval at which Envoy writes its metrics.",
    BOOTSTRAP,
  ],
  ["sidecar.mesh.io/statsHistogramBins", "The number of bins of histograms.", BOOTSTRAP],
  ["sidecar.mesh.io/statsHistogramBuckets", "The buckets of histograms.", BOOTSTRAP],
  ["sidecar.mesh.io/statsInclusionPrefixes", "Further metrics of Envoy; deprecated.", BOOTSTRAP],
  ["sidecar.mesh.io/statsInclusionRegexps", "The same.", BOOTSTRAP],
  ["sidecar.mesh.io/statsInclusionSuffixes", "The same.", BOOTSTRAP],
  [
    "sidecar.mesh.io/status",
    "Written by the injector: what it added.",
    INJECT,
  ],
  ["sidecar.mesh.io/userVolume", "Further volumes.", INJECT],
  ["sidecar.mesh.io/userVolumeMount", "Further mounts of the proxy.", INJECT],
  [
    "status.sidecar.mesh.io/port",
    "The port of the agent's status server; 0: probes are not moved.",
    INJECT,
  ],
  [`${TRAFFIC}excludeInboundPorts`, "Inbound ports that are not captured.", INJECT],
  [`${TRAFFIC}excludeInterfaces`, "Interfaces whose traffic is not captured.", INJECT],
  [`${TRAFFIC}excludeOutboundIPRanges`, "Outbound ranges that are not captured.", INJECT],
  [`${TRAFFIC}excludeOutboundPorts`, "Outbound ports that are not captured.", INJECT],
  [`${TRAFFIC}includeInboundPorts`, "The only inbound ports that are captured.", INJECT],
  [`${TRAFFIC}includeOutboundIPRanges`, "The only outbound ranges that are captured.", INJECT],
  [`${TRAFFIC}includeOutboundPorts`, "Outbound ports that are captured for every address.", INJECT],
  [`${TRAFFIC}kubevirtInterfaces`, "As `mesh.io/reroute-virtual-interfaces`; deprecated.", INJECT],
  ["apm.datadoghq.com/env", "Variables of the tracer Datadog.", INJECT],
];

const POD = table("Pod", {
  labels: POD_LABELS,
  annotations: POD_ANNOTATIONS,
  fields: [
    [
      "spec.containers[].ports[].name",
      "In ambient mode: the name by which a Service has the port.",
      AMBIENT_ROWS,
    ],
    [
      "spec.containers[].ports[].containerPort",
      "In ambient mode: the port of that name.",
      AMBIENT_ROWS,
    ],
    [
      "metadata.labels",
      "Policies, Sidecars, Gateways, Telemetries and ProxyConfigs select the proxy of the pod by them; subsets and ServiceEntries select endpoints. Changes reach connected proxies.",
      OWN,
    ],
    ["metadata.ownerReferences", "The controller names the workload.", ROW],
    [
      "spec.hostNetwork",
      "`true`: the pod gets no proxy.",
      "lib/cluster/inject/inject_test.ts",
    ],
    [
      "spec.containers[].name",
      "A container `mesh-proxy` of the user is completed by the template; its values win.",
      "lib/cluster/inject/reinjection_test.ts",
      'name: "mesh-proxy"',
    ],
    [
      "spec.containers[].livenessProbe",
      "Asks the agent, which asks the application; so do `readinessProbe` and `startupProbe`.",
      "lib/cluster/inject/rules_test.ts",
    ],
    [
      "spec.containers[].lifecycle",
      "Its requests go to the agent, as those of probes do.",
      "lib/cluster/inject/reinjection_test.ts",
    ],
    [
      "spec.containers[].securityContext",
      "User and group of `mesh-proxy` are those of the rules of capture; on OpenShift they are not those that the platform gave.",
      "lib/cluster/inject/rules_test.ts",
    ],
    ["spec.serviceAccountName", "The identity that clients expect of the endpoint.", FIELDS],
    [
      "spec.nodeName",
      "The Node, which has the locality of the endpoint and of the proxy in the pod.",
      OWN,
    ],
    ["status.podIP", "The address by which ServiceEntries select the pod.", ROW],
    [
      "status.podIPs",
      "Addresses of hand-written EndpointSlices at which the pod is found.",
      "lib/mesh/sources/orchestrator/services/pod_addresses_test.ts",
    ],
    ["status.phase", "A pod that has ended is no endpoint of a ServiceEntry.", ROW],
    [
      "status.conditions",
      "A pod that is not ready is an unhealthy endpoint of a ServiceEntry.",
      ROW,
    ],
  ],
});

const NODE = table("Node", {
  labels: [
    ["mesh.io/use-waypoint", "The waypoint of the pod; `none`: it has none.", WAYPOINTS],
    ["mesh.io/use-waypoint-namespace", "The namespace of that waypoint.", WAYPOINTS],
    ["topology.kubernetes.io/region", "The region of endpoints and proxies on it.", OWN],
    ["topology.kubernetes.io/zone", "The zone of endpoints and proxies on it.", OWN],
    ["topology.mesh.io/subzone", "The subzone of endpoints and proxies on it.", FIELDS],
    [
      "kubernetes.io/hostname",
      "`failoverPriority` may compare it; it is the name of the Node, whatever the label says.",
      "lib/mesh/model/topology_test.ts",
    ],
  ],
  fields: [
    ["metadata.labels", "`traffic.mesh.io/nodeSelector` selects Nodes by them.", EXTERNAL],
    [
      "status.addresses",
      "External addresses at which the gateway of a network is entered.",
      EXTERNAL,
    ],
    [
      "spec.taints",
      "`cni.mesh.io/not-ready` is removed when the network plugin runs (`PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS`).",
      "tests/orch/controllers_test.ts",
    ],
  ],
});

const NAMESPACE = table("Namespace", {
  labels: [
    [
      "mesh.io/dataplane-mode",
      "`ambient`: pods of the namespace are in ambient mode, unless their own label says otherwise.",
      "lib/node/ambient_pods/enrolment_test.ts",
    ],
    [
      "mesh.io/on-demand",
      "`true`: sidecars of the namespace are sent [their hosts and clusters](serving.md#what-a-proxy-uses) when requests need them.",
      "lib/mesh/translate/routes/asked_hosts_test.ts",
    ],
    [
      "mesh.io/use-waypoint",
      "The waypoint of the Services and workloads that name none; `none`: it has none.",
      WAYPOINTS,
    ],
    ["mesh.io/use-waypoint-namespace", "The namespace of that waypoint.", WAYPOINTS],
    [
      "mesh.io/use-waypoint-canary",
      "A second waypoint, which takes a share of the requests.",
      WAYPOINTS,
    ],
    ["mesh.io/use-waypoint-canary-namespace", "The namespace of that waypoint.", WAYPOINTS],
    ["mesh.io/ingress-use-waypoint", "`true`: gateways send through the waypoint, too.", WAYPOINTS],
    [
      "mesh-injection",
      "`enabled`: pods of the namespace are injected.",
      "tests/orch/webhooks_test.ts",
    ],
    [
      "mesh.io/rev",
      "The revision, or its tag, that injects pods of the namespace.",
      "tests/orch/webhooks_test.ts",
    ],
    [
      "topology.mesh.io/network",
      "On the system namespace: the network of the cluster.",
      "tests/orch/cases/cluster_network.ts",
    ],
    [
      "kubernetes.io/metadata.name",
      "`discoverySelectors` may compare it.",
      "lib/mesh/ingest/selection_test.ts",
    ],
  ],
  annotations: [
    [
      "mesh.io/use-waypoint-canary-weight",
      "Percentage of the requests that the second waypoint takes.",
      WAYPOINTS,
    ],
    [
      "networking.mesh.io/traffic-distribution",
      "The preference of the namespace's Services and ServiceEntries that have none.",
      "lib/mesh/translate/endpoints/near_test.ts",
    ],
    [
      "topology.mesh.io/controlPlaneClusters",
      "On the system namespace of a remote cluster: the clusters whose daemons control it.",
      "tests/orch/cases/controlled_clusters.ts",
    ],
    [
      "openshift.io/sa.scc.uid-range",
      "On OpenShift: user and group of the proxy.",
      "lib/cluster/inject/rules_test.ts",
    ],
    [
      "openshift.io/sa.scc.supplemental-groups",
      "On OpenShift: the group of the proxy.",
      "lib/cluster/inject/rules_test.ts",
      "sa.scc.supplemental-groups",
    ],
  ],
  fields: [
    [
      "metadata.name",
      "Pods of `kube-system`, `kube-public`, `kube-node-lease` and `local-path-storage` get no proxy.",
      "lib/cluster/inject/inject_test.ts",
      '"local-path-storage"',
    ],
    [
      "metadata.labels",
      "`discoverySelectors` select namespaces by them.",
      "lib/mesh/ingest/selection_test.ts",
    ],
  ],
});

const INGRESS_TABLE = table("Ingress", {
  annotations: [
    ["kubernetes.io/ingress.class", "The class, before `ingressClassName`.", INGRESS],
  ],
  fields: [
    [
      "spec.ingressClassName",
      "The IngressClass, whose controller must be that of the mesh.",
      INGRESS,
    ],
    ["spec.defaultBackend", "The Service of requests that no rule takes.", INGRESS],
    [
      "spec.tls[].secretName",
      "The certificate of the gateway's servers.",
      "tests/orch/cases/ingress_traffic.ts",
    ],
    ["spec.tls[].hosts", "The hosts that the certificate is for.", INGRESS],
    ["spec.rules[].host", "The host of routes; without it all hosts.", INGRESS],
    ["spec.rules[].http.paths[].path", "The path of a route.", INGRESS],
    [
      "spec.rules[].http.paths[].pathType",
      "`Exact`, `Prefix` by elements, or as `Prefix`.",
      INGRESS,
    ],
    ["spec.rules[].http.paths[].backend", "The Service and port of a route.", INGRESS],
    [
      "status.loadBalancer",
      "Written: the addresses of the gateway's Service, or of the Nodes of its pods.",
      "tests/orch/controllers_test.ts",
    ],
  ],
});

const SECRETS = "tests/orch/secrets_test.ts";
const AUTHORITY = "tests/orch/cases/authority_secrets.ts";

const SECRET = table("Secret", {
  labels: [
    [
      "mesh/multiCluster",
      "`true`: each key of the data is a remote cluster.",
      "tests/orch/clusters_test.ts",
    ],
  ],
  annotations: [
    [
      "networking.mesh.io/cluster",
      "The id of the remote cluster, for the key `config`.",
      "lib/mesh/sources/orchestrator/remote_clusters/secret_test.ts",
    ],
  ],
  fields: [
    [
      "type",
      "Tokens of service accounts and authorities are no credentials of gateways.",
      "tests/orch/secrets_test.ts",
    ],
    ["data[tls.crt]", "The certificate of `credentialName`; also `cert`.", SECRETS],
    ["data[tls.key]", "Its key; also `key`.", SECRETS],
    ["data[ca.crt]", "The authorities of client certificates; also `cacert`.", SECRETS],
    ["data[ca.crl]", "Revoked client certificates; also `crl`.", SECRETS],
    ["data[tls.ocsp-staple]", "The OCSP response of the certificate.", SECRETS, "ocspStaple"],
    [
      "metadata.name",
      "`NAME-cacert` has the authorities for the credential `NAME`; `cacerts` and `mesh-ca-secret` of the system namespace have the mesh's own.",
      SECRETS,
      "generic-cacert",
    ],
    ["data[ca-cert.pem]", "The certificate of the mesh's authority.", AUTHORITY],
    ["data[ca-key.pem]", "Its key.", AUTHORITY],
    ["data[cert-chain.pem]", "The certificates between it and the root.", AUTHORITY],
    ["data[root-cert.pem]", "The roots that the mesh trusts.", AUTHORITY],
    [
      "data[.dockerconfigjson]",
      "The credentials of a registry with plugins (`imagePullSecret`).",
      "tests/e2e/wasm_test.ts",
      ".dockerconfigjson",
    ],
  ],
});

const OTHERS = [
  table("ServiceEntry", {
    labels: [
      [
        "networking.mesh.io/enable-autoallocate-ip",
        "Decides if hosts without addresses have auto-allocated ones.",
        "lib/cluster/controllers/addresses/addresses_test.ts",
      ],
    ],
    annotations: [
      [
        "networking.mesh.io/traffic-distribution",
        "As on a Service.",
        "lib/mesh/translate/endpoints/localities_test.ts",
      ],
    ],
  }),
  table("WorkloadEntry", {
    labels: [
      [
        "service.mesh.io/workload-name",
        "Names the workload in metrics.",
        "lib/mesh/derive/services/endpoints_test.ts",
      ],
      [
        "networking.mesh.io/tunnel",
        "`http`: clients may send through tunnels.",
        "lib/mesh/translate/tunnels_test.ts",
      ],
      [
        "security.mesh.io/tlsMode",
        "`mesh`: clients use mutual TLS; without the label they do so if there is a service account.",
        "lib/mesh/translate/security/mutual_tls_test.ts",
      ],
    ],
    annotations: [
      [
        "mesh.io/autoRegistrationGroup",
        "Written at registration: the WorkloadGroup.",
        "lib/mesh/sources/registration/registrations_test.ts",
      ],
      [
        "mesh.io/workloadController",
        "Written at registration: the daemon.",
        "tests/orch/controllers_test.ts",
      ],
      [
        "mesh.io/connectedAt",
        "Written at registration: when the workload connected.",
        "lib/cluster/controllers/registration/entries_test.ts",
      ],
      [
        "mesh.io/disconnectedAt",
        "Written when the workload leaves.",
        "tests/orch/controllers_test.ts",
      ],
    ],
  }),
  table("AuthorizationPolicy", {
    annotations: [
      [
        "mesh.io/dry-run",
        "The policy is counted and logged, and refuses nothing.",
        "lib/mesh/envoy/authorization/filters_test.ts",
      ],
    ],
  }),
  table("any object", {
    annotations: [
      [
        "galley.mesh.io/analyze-suppress",
        "Codes of the analysis that are not reported.",
        "cmd/meshctl/analyze_test.ts",
      ],
    ],
  }),
];

/** The tables of all kinds. */
export const OBJECTS: readonly ObjectTable[] = [
  SERVICE,
  SLICE,
  POD,
  NODE,
  NAMESPACE,
  INGRESS_TABLE,
  SECRET,
  ...OTHERS,
];
