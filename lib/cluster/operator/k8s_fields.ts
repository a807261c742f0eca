/**
 * Fields of the settings in `k8s`, as the orchestrator's API has them. What lies deeper is checked by
 * the API server when it is applied.
 *
 * @module
 */
import {
  ANY,
  BOOL,
  choice,
  COUNT,
  COUNT_OR_TEXT,
  type Fields,
  type FieldType,
  listOf,
  MAP,
  mapOf,
  TEXT,
  TEXTS,
} from "./field_type.ts";

const ENV: FieldType = mapOf({
  name: TEXT,
  value: TEXT,
  valueFrom: mapOf({
    configMapKeyRef: MAP,
    fieldRef: MAP,
    fileKeyRef: MAP,
    resourceFieldRef: MAP,
    secretKeyRef: MAP,
  }),
}, ["name"]);

/** Numbers, or texts such as `100m`. */
const QUANTITIES: FieldType = MAP;

const PROBE: FieldType = mapOf({
  exec: MAP,
  failureThreshold: COUNT,
  grpc: MAP,
  httpGet: MAP,
  initialDelaySeconds: COUNT,
  periodSeconds: COUNT,
  successThreshold: COUNT,
  tcpSocket: MAP,
  terminationGracePeriodSeconds: COUNT,
  timeoutSeconds: COUNT,
});

const SERVICE_PORT: FieldType = mapOf({
  appProtocol: TEXT,
  name: TEXT,
  nodePort: COUNT,
  port: COUNT,
  protocol: choice("TCP", "UDP", "SCTP"),
  targetPort: COUNT_OR_TEXT,
}, ["port"]);

const SERVICE: FieldType = mapOf({
  allocateLoadBalancerNodePorts: BOOL,
  clusterIP: TEXT,
  clusterIPs: listOf(TEXT),
  externalIPs: listOf(TEXT),
  externalName: TEXT,
  externalTrafficPolicy: choice("Cluster", "Local"),
  healthCheckNodePort: COUNT,
  internalTrafficPolicy: choice("Cluster", "Local"),
  ipFamilies: listOf(choice("IPv4", "IPv6")),
  ipFamilyPolicy: choice("SingleStack", "PreferDualStack", "RequireDualStack"),
  loadBalancerClass: TEXT,
  loadBalancerIP: TEXT,
  loadBalancerSourceRanges: listOf(TEXT),
  ports: listOf(SERVICE_PORT),
  publishNotReadyAddresses: BOOL,
  selector: TEXTS,
  sessionAffinity: choice("None", "ClientIP"),
  sessionAffinityConfig: MAP,
  trafficDistribution: TEXT,
  type: choice("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
});

const TOLERATION: FieldType = mapOf({
  effect: choice("NoSchedule", "PreferNoSchedule", "NoExecute", ""),
  key: TEXT,
  operator: choice("Exists", "Equal", "Lt", "Gt"),
  tolerationSeconds: COUNT,
  value: TEXT,
});

const POD_SECURITY: FieldType = mapOf({
  appArmorProfile: MAP,
  fsGroup: COUNT,
  fsGroupChangePolicy: choice("Always", "OnRootMismatch"),
  runAsGroup: COUNT,
  runAsNonRoot: BOOL,
  runAsUser: COUNT,
  seLinuxOptions: MAP,
  seccompProfile: MAP,
  supplementalGroups: listOf(COUNT),
  supplementalGroupsPolicy: TEXT,
  sysctls: listOf(MAP),
  windowsOptions: MAP,
});

const OVERLAY: FieldType = mapOf({
  apiVersion: TEXT,
  kind: TEXT,
  name: TEXT,
  patches: listOf(mapOf({ path: TEXT, value: ANY }, ["path"])),
}, ["kind", "name", "patches"]);

/** The settings. */
export const K8S_FIELDS: Fields = {
  affinity: mapOf({ nodeAffinity: MAP, podAffinity: MAP, podAntiAffinity: MAP }),
  env: listOf(ENV),
  hpaSpec: mapOf({
    behavior: MAP,
    maxReplicas: COUNT,
    metrics: listOf(MAP),
    minReplicas: COUNT,
    scaleTargetRef: mapOf({ apiVersion: TEXT, kind: TEXT, name: TEXT }),
  }),
  imagePullPolicy: choice("Always", "IfNotPresent", "Never"),
  nodeSelector: TEXTS,
  overlays: listOf(OVERLAY),
  podAnnotations: TEXTS,
  podDisruptionBudget: mapOf({
    maxUnavailable: COUNT_OR_TEXT,
    minAvailable: COUNT_OR_TEXT,
    selector: MAP,
    unhealthyPodEvictionPolicy: choice("IfHealthyBudget", "AlwaysAllow"),
  }),
  priorityClassName: TEXT,
  readinessProbe: PROBE,
  replicaCount: COUNT,
  resources: mapOf({ claims: listOf(MAP), limits: QUANTITIES, requests: QUANTITIES }),
  securityContext: POD_SECURITY,
  service: SERVICE,
  serviceAnnotations: TEXTS,
  strategy: mapOf({
    rollingUpdate: mapOf({ maxSurge: COUNT_OR_TEXT, maxUnavailable: COUNT_OR_TEXT }),
    type: choice("RollingUpdate", "Recreate"),
  }),
  tolerations: listOf(TOLERATION),
  volumeMounts: listOf(mapOf({
    mountPath: TEXT,
    mountPropagation: TEXT,
    name: TEXT,
    readOnly: BOOL,
    recursiveReadOnly: TEXT,
    subPath: TEXT,
    subPathExpr: TEXT,
  }, ["mountPath", "name"])),
  volumes: listOf(MAP),
};
