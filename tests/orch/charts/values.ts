/**
 * Values with which the charts are rendered by Helm and by Mesh.
 *
 * @module
 */

/** A rendering of a chart. */
export interface ChartCase {
  readonly chart: "base" | "meshd" | "cni" | "ztunnel" | "gateway";
  readonly values: Readonly<Record<string, unknown>>;
  readonly namespace?: string;
  readonly orchVersion?: string;
}

const SPREAD = [{
  maxSkew: 2,
  topologyKey: "topology.kubernetes.io/zone",
  whenUnsatisfiable: "DoNotSchedule",
}];
const AFFINITY = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
    },
  },
};
const PLACES = {
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "dedicated", operator: "Exists", effect: "NoSchedule" }],
  affinity: AFFINITY,
};
const SCHEDULING = {
  ...PLACES,
  topologySpreadConstraints: SPREAD,
};
const BEHAVIOR = { scaleDown: { stabilizationWindowSeconds: 300 } };

const BASE: readonly ChartCase["values"][] = [
  {},
  { base: { enableCRDTemplates: false } },
  { base: { excludedCRDs: ["gateways.networking.mesh.io", "sidecars.networking.mesh.io"] } },
  { defaultRevision: "" },
  { defaultRevision: "canary", global: { imagePullSecrets: ["a", "b"] } },
  { base: { validationURL: "https://mesh.example/validate", validationCABundle: "eA==" } },
  { reader: { enabled: false } },
  { reader: { name: "other-reader" } },
];

const MESHD: readonly ChartCase["values"][] = [
  {},
  { revision: "default" },
  { revision: "canary", revisionTags: ["prod", "stable"] },
  {
    revision: "v2",
    revisionTags: ["default"],
    sidecarInjectorWebhook: { enableNamespacesByDefault: true },
  },
  { global: { hub: "registry.example/mesh", tag: "1.2.3", variant: "debug" } },
  { hub: "one", tag: "two", variant: "three", image: "daemon" },
  { image: "registry.example/x/pilot@sha256:0123" },
  { autoscaleEnabled: false, replicaCount: 3 },
  {
    autoscaleMin: 2,
    autoscaleMax: 9,
    autoscaleBehavior: BEHAVIOR,
    memory: { targetAverageUtilization: 70 },
  },
  { autoscaleMin: 2, podDisruptionBudget: { minAvailable: null, maxUnavailable: "50%" } },
  { autoscaleMin: 2, global: { defaultPodDisruptionBudget: { enabled: false } } },
  { rollingMaxSurge: 1, rollingMaxUnavailable: 0, terminationGracePeriodSeconds: 5 },
  { resources: { requests: { cpu: "1", memory: "2Gi" }, limits: { memory: "3Gi" } } },
  { ...SCHEDULING },
  {
    podLabels: { a: "1", b: true },
    podAnnotations: { c: "x: y" },
    deploymentLabels: { d: "e" },
    deploymentAnnotations: { f: "g" },
  },
  {
    serviceAnnotations: { a: "b" },
    serviceAccountAnnotations: { c: "d" },
    ipFamilyPolicy: "PreferDualStack",
    ipFamilies: ["IPv4", "IPv6"],
  },
  {
    env: {
      PILOT_DEBOUNCE_AFTER: "50ms",
      ENABLE_MCS_AUTO_EXPORT: "true",
      PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS: true,
      MCS_API_GROUP: "multicluster.example",
    },
  },
  {
    env: { A: 1, B: 1.5, C: false, D: "" },
    envVarFrom: [{ name: "E", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
  },
  {
    extraContainerArgs: ["--clusterAliases=a=b", '--x="y"'],
    keepaliveMaxServerConnectionAge: "30m",
    traceSampling: 12.5,
  },
  {
    volumes: [{ name: "v", emptyDir: {} }],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
    initContainers: [{ name: "i", image: "i:1" }],
  },
  {
    securityContext: { fsGroup: 1000 },
    containerSecurityContext: { runAsUser: 1000, capabilities: { add: ["NET_BIND_SERVICE"] } },
    seccompProfile: null,
  },
  { configMap: false },
  {
    meshConfig: {
      accessLogFile: "/dev/stdout",
      defaultConfig: { concurrency: 2, proxyMetadata: { A: "<b>" } },
      extensionProviders: [{ name: "otel", opentelemetry: { service: "o", port: 4317 } }],
    },
  },
  {
    meshConfig: { rootNamespace: "roots", defaultConfig: { discoveryAddress: "else:15012" } },
    global: {
      meshNetworks: {
        n1: {
          endpoints: [{ fromRegistry: "c1" }],
          gateways: [{ address: "1.2.3.4", port: 15443 }],
        },
      },
    },
  },
  {
    global: {
      proxy: { autoInject: "disabled", logLevel: "info", resources: { requests: { cpu: "10m" } } },
      logAsJson: true,
      logging: { level: "default:debug,ads:info" },
    },
  },
  {
    global: {
      imagePullPolicy: "IfNotPresent",
      imagePullSecrets: ["s"],
      priorityClassName: "system-cluster-critical",
      platform: "openshift",
    },
  },
  {
    global: {
      multiCluster: { clusterName: "c1" },
      network: "n1",
      meshID: "m1",
      certSigners: ["example.com/*", "other.example/x"],
    },
  },
  { global: { networkPolicy: { enabled: true } } },
  {
    monitoring: {
      serviceMonitor: { enabled: true, labels: { release: "p" } },
      podMonitor: { enabled: true, interval: "1m" },
    },
  },
  { sidecarInjectorWebhook: { enabled: false }, validationWebhook: { enabled: false } },
  {
    sidecarInjectorWebhook: {
      failurePolicy: "Ignore",
      reinvocationPolicy: "IfNeeded",
      timeoutSeconds: 3,
      rewriteAppHTTPProbe: false,
    },
  },
  {
    sidecarInjectorWebhook: {
      templates: { custom: "metadata:\n  labels:\n    a: {{ .Values.global.hub }}\n" },
      defaultTemplates: ["sidecar", "custom"],
      aliases: { both: ["sidecar", "custom"] },
      neverInjectSelector: [{ matchLabels: { a: "b" } }],
      injectedAnnotations: { x: "y" },
    },
  },
  {
    cni: { enabled: true, provider: "multus", namespace: "nodes" },
    gateways: { securityContext: { runAsUser: 0 } },
  },
  { cni: { enabled: true }, global: { proxy: { seccompProfile: { type: "Unconfined" } } } },
  { pilot: { autoscaleMin: 3, env: { X: "y" }, cni: { enabled: true } }, env: { Z: "z" } },
  {
    readinessProbe: { initialDelaySeconds: 0, failureThreshold: 10 },
    cpu: { targetAverageUtilization: 60 },
  },
];

const CNI: readonly ChartCase["values"][] = [
  {},
  { hub: "one", tag: "two", variant: "three", pullPolicy: "Always" },
  { image: "registry.example/x/install-cni@sha256:0123", logLevel: "debug" },
  { global: { hub: "a.b/c", tag: "1", variant: "debug", imagePullSecrets: ["s"] } },
  { global: { logAsJson: true, logging: { level: "default:debug" }, imagePullPolicy: "Never" } },
  ...["gke", "openshift", "k3s", "k3d", "microk8s", "minikube", "other"].map((platform) => ({
    global: { platform },
  })),
  { cniBinDir: "/b", cniConfDir: "/c", cniNetnsDir: "/n", cniConfFileName: "x.conflist" },
  { chained: false, provider: "multus" },
  { chained: true, provider: "multus", seLinuxOptions: { type: "t" } },
  { excludeNamespaces: [] },
  { excludeNamespaces: ["a", "b"], env: { A: 1, B: "x y", C: true } },
  { repair: { enabled: false } },
  { repair: { repairPods: false, deletePods: true } },
  { repair: { repairPods: false, labelPods: true, brokenPodLabelKey: "a/b" } },
  { ...PLACES, priorityClassName: "" },
  {
    updateStrategy: { type: "OnDelete", rollingUpdate: null },
    resources: { limits: { memory: "1Gi" } },
    terminationGracePeriodSeconds: 30,
    seccompProfile: null,
  },
  {
    daemonSetLabels: { a: "1" },
    podLabels: { b: 2 },
    podAnnotations: { c: "d: e" },
    serviceAccountAnnotations: { f: "g" },
  },
  { resourceQuotas: { enabled: true, pods: 7 }, priorityClassName: "high" },
  { resourceQuotas: { enabled: false }, global: { platform: "gke" } },
  { monitoring: { podMonitor: { enabled: true, interval: "1m", labels: { release: "p" } } } },
];

const GATEWAY: readonly ChartCase["values"][] = [
  {},
  { name: "mesh-ingressgateway", revision: "canary" },
  { labels: { app: "edge", mesh: "edge", team: "web" }, annotations: { a: "b" } },
  { kind: "DaemonSet", strategy: { type: "OnDelete" }, minReadySeconds: 5 },
  { autoscaling: { enabled: false }, replicaCount: 2, strategy: { type: "Recreate" } },
  {
    autoscaling: {
      targetMemoryUtilizationPercentage: 75,
      targetCPUUtilizationPercentage: null,
      autoscaleBehavior: BEHAVIOR,
    },
  },
  { podDisruptionBudget: { minAvailable: 1 } },
  { service: { type: "None" } },
  {
    service: {
      type: "ClusterIP",
      annotations: { a: "b" },
      ports: [{ name: "tls", port: 443, targetPort: 8443, protocol: "TCP" }],
    },
    annotations: { a: "c", d: "e" },
    networkPolicy: { enabled: true },
  },
  {
    service: {
      loadBalancerIP: "1.2.3.4",
      loadBalancerClass: "x/y",
      loadBalancerSourceRanges: ["10.0.0.0/8"],
      externalTrafficPolicy: "Local",
      externalIPs: ["5.6.7.8"],
      ipFamilyPolicy: "RequireDualStack",
      ipFamilies: ["IPv6", "IPv4"],
    },
  },
  { networkGateway: "n1", env: { A: 1 }, networkPolicy: { enabled: true } },
  { rbac: { enabled: false }, serviceAccount: { create: false, name: "given" } },
  { serviceAccount: { annotations: { a: "b" }, name: "mine" } },
  { securityContext: { runAsUser: 5 }, containerSecurityContext: { privileged: true } },
  {
    ...SCHEDULING,
    priorityClassName: "high",
    imagePullSecrets: [{ name: "s" }],
    imagePullPolicy: "Always",
  },
  {
    env: { A: "b" },
    envVarFrom: [{ name: "E", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
    volumes: [{ name: "v", emptyDir: {} }],
    volumeMounts: [{ name: "v", mountPath: "/v" }],
    initContainers: [{ name: "i", image: "i:1" }],
    additionalContainers: [{ name: "c", image: "c:1" }],
  },
  { podLabels: { a: 1 }, podAnnotations: { "prometheus.io/scrape": null, b: "c" }, resources: {} },
];

export const CHART_CASES: readonly ChartCase[] = [
  ...BASE.map((values) => ({ chart: "base" as const, values })),
  ...MESHD.map((values) => ({ chart: "meshd" as const, values })),
  ...CNI.map((values) => ({ chart: "cni" as const, values })),
  ...GATEWAY.map((values) => ({ chart: "gateway" as const, values })),
  { chart: "base", values: {}, namespace: "other" },
  { chart: "meshd", values: { revisionTags: ["prod"] }, namespace: "other", orchVersion: "1.28.3" },
  { chart: "gateway", values: {}, namespace: "edge", orchVersion: "1.36.3" },
  { chart: "cni", values: {}, namespace: "nodes", orchVersion: "1.29.0" },
];

/** Values that both refuse, with what Mesh says. */
export const REFUSED: readonly (ChartCase & { readonly message: RegExp })[] = [
  {
    chart: "cni",
    values: { cniConfFileName: "../x.conf" },
    message: /cniConfFileName is "..\/x.conf", which does not match/,
  },
  {
    chart: "cni",
    values: { repair: { deletepods: true } },
    message: /repair.deletepods is not a value of this chart; did you mean (repair\.)?deletePods\?/,
  },
  {
    chart: "meshd",
    values: { revisionTags: ["default"] },
    message:
      /templates\/webhooks.yaml, line \d+, column \d+: revisionTags: default is the name of the revision itself/,
  },
  {
    chart: "meshd",
    values: { global: { meshNamespace: "elsewhere" } },
    message: /global.meshNamespace: elsewhere is not the namespace of the release, mesh-system/,
  },
  { chart: "meshd", values: { replicas: 2 }, message: /replicas is not a value of this chart/ },
  {
    chart: "meshd",
    values: { autoscaleMin: "two" },
    message: /autoscaleMin must be integer, not string "two"/,
  },
  {
    chart: "meshd",
    values: { sidecarInjectorWebhook: { failurePolicy: "fail" } },
    message: /did you mean Fail\?/,
  },
  {
    chart: "meshd",
    values: { revision: "Not A Name" },
    message: /revision is "Not A Name", which does not match/,
  },
  {
    chart: "gateway",
    values: { servce: { type: "None" } },
    message: /servce is not a value of this chart; did you mean service\?/,
  },
  {
    chart: "gateway",
    values: { kind: "StatefulSet" },
    message: /kind must be one of "Deployment", "DaemonSet"/,
  },
  {
    chart: "base",
    values: { base: { excludedCRDs: "all" } },
    message: /base.excludedCRDs must be array, not string "all"/,
  },
];
