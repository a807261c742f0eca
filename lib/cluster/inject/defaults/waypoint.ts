import {
  IDENTITY_ENV,
  IMAGE,
  LIMITS_ENV,
  LOG_LEVELS,
  MOUNTS,
  PULL_SECRETS,
  VOLUMES,
} from "./parts.ts";

/** The objects of a waypoint carry the annotations of its Gateway but these. */
const META =
  `{{- $annotations := omit .InfrastructureAnnotations "kubectl.kubernetes.io/last-applied-configuration" "gateway.mesh.io/name-override" "gateway.mesh.io/service-account" "gateway.mesh.io/controller-version" }}
{{- $named := strdict "gateway.networking.k8s.io/gateway-name" .Name }}
{{- $managed := strdict "gateway.networking.k8s.io/gateway-name" .Name "gateway.mesh.io/managed" "mesh.io-mesh-controller" }}
{{- define "meta" }}
  namespace: {{ quote .Namespace }}
  ownerReferences:
  - {apiVersion: gateway.networking.k8s.io/v1beta1, kind: Gateway, name: {{ quote .Name }}, uid: {{ quote .UID }}}
{{- end }}`;

const LABELS = "{{ toJsonMap .InfrastructureLabels $named }}";
const MANAGED_LABELS = "{{ toJsonMap .InfrastructureLabels $managed }}";

const CONTAINER = `  - name: mesh-proxy
    ports:
    - {name: metrics, containerPort: 15020, protocol: TCP}
    - {name: status-port, containerPort: 15021, protocol: TCP}
    - {name: http-proxy-prom, containerPort: 15090, protocol: TCP}
${IMAGE}    args:
    - proxy
    - waypoint
    - --domain
    - {{ printf "$(POD_NAMESPACE).svc.%s" .Values.global.proxy.clusterDomain | quote }}
    - --serviceCluster
    - {{ printf "%s.$(POD_NAMESPACE)" .ServiceAccount | quote }}
${LOG_LEVELS}    {{- if .Values.global.logAsJson }}
    - --log_as_json
    {{- end }}
    env:
    - {name: MESH_META_SERVICE_ACCOUNT, valueFrom: {fieldRef: {fieldPath: spec.serviceAccountName}}}
    - {name: MESH_META_NODE_NAME, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}
    - {name: MESH_META_INTERCEPTION_MODE, value: REDIRECT}
    - {name: MESH_META_WORKLOAD_NAME, value: {{ quote .DeploymentName }}}
    - {name: MESH_META_OWNER, value: {{ printf "kubernetes://apis/apps/v1/namespaces/%s/deployments/%s" .Namespace .DeploymentName | quote }}}
    - {name: MESH_META_CLUSTER_ID, value: {{ .Values.global.multiCluster.clusterName | default "Orchestrator" | quote }}}
    {{- with valueOrDefault (index .InfrastructureLabels "topology.mesh.io/network") .Values.global.network }}
    - {name: MESH_META_NETWORK, value: {{ quote . }}}
    {{- end }}
    {{- with .Values.global.meshID | default (valueOrDefault .MeshConfig.TrustDomain .Values.global.trustDomain) }}
    - {name: MESH_META_MESH_ID, value: {{ quote . }}}
    {{- end }}
    - name: PROXY_CONFIG
      value: {{ protoToJSON .ProxyConfig | quote }}
    {{- range $name, $value := .ProxyConfig.ProxyMetadata }}
    - {name: {{ quote $name }}, value: {{ quote $value }}}
    {{- end }}
${IDENTITY_ENV}${LIMITS_ENV}    resources: {{ toJson .Values.global.waypoint.resources }}
    startupProbe: {httpGet: {path: /healthz/ready, port: 15021}, initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 30}
    readinessProbe: {httpGet: {path: /healthz/ready, port: 15021}, periodSeconds: 15, failureThreshold: 4}
    securityContext:
      privileged: false
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      runAsNonRoot: true
      {{- if ne .Values.global.platform "openshift" }}
      runAsUser: 1337
      runAsGroup: 1337
      {{- end }}
      capabilities: {drop: [ALL]}
      {{- with .Values.gateways.seccompProfile }}
      seccompProfile: {{ toJson . }}
      {{- end }}
    volumeMounts:
    - {name: mesh-dataproxy, mountPath: /etc/mesh/proxy}
${MOUNTS}`;

/** Indents the lines of a part of a pod. */
const inPodTemplate = (text: string) => text.replace(/^(?=.)/gm, "    ");

/** The objects of a waypoint: ServiceAccount, Deployment, Service. */
export const WAYPOINT: string = `${META}apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ quote .ServiceAccount }}
  annotations: {{ toJsonMap $annotations }}
  labels: ${LABELS}
{{- template "meta" . }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ quote .DeploymentName }}
  annotations: {{ toJsonMap $annotations }}
  labels: ${MANAGED_LABELS}
{{- template "meta" . }}
spec:
  selector:
    matchLabels: {{ toJson (strdict .GatewayNameLabel .Name) }}
  template:
    metadata:
      annotations: {{ toJsonMap $annotations (strdict "mesh.io/rev" (.Revision | default "default") "prometheus.io/path" "/stats/prometheus" "prometheus.io/port" "15020" "prometheus.io/scrape" "true") }}
      labels: {{ toJsonMap (strdict "sidecar.mesh.io/inject" "false" "mesh.io/dataplane-mode" "none" "service.mesh.io/canonical-name" .DeploymentName "service.mesh.io/canonical-revision" "latest") .InfrastructureLabels $managed }}
    spec:
      {{- range $name := list "affinity" "topologySpreadConstraints" "nodeSelector" "tolerations" }}
      {{- with index $.Values.global.waypoint $name }}
      {{ $name }}: {{ toJson . }}
      {{- end }}
      {{- end }}
      terminationGracePeriodSeconds: 2
      serviceAccountName: {{ quote .ServiceAccount }}
      containers:
${inPodTemplate(CONTAINER)}      volumes:
      - {name: mesh-dataproxy, emptyDir: {medium: Memory}}
${inPodTemplate(VOLUMES + PULL_SECRETS)}---
apiVersion: v1
kind: Service
metadata:
  name: {{ quote .DeploymentName }}
  annotations: {{ toJsonMap (strdict "networking.mesh.io/traffic-distribution" "PreferClose") $annotations }}
  labels: ${LABELS}
{{- template "meta" . }}
spec:
  ipFamilyPolicy: PreferDualStack
  ports:
  {{- range .Ports }}
  - {name: {{ quote .Name }}, port: {{ .Port }}, protocol: TCP, appProtocol: {{ quote .AppProtocol }}}
  {{- end }}
  selector: {{ toJson (strdict .GatewayNameLabel .Name) }}
  type: {{ quote .ServiceType }}
`;
