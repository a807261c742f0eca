/**
 * Parts that the built-in templates share. Each is text of a template; parts of the container begin
 * their lines at column 4, parts of the pod at column 2.
 *
 * @module
 */

/** Names of the user's containers as `$apps`. */
export const APPLICATIONS = `{{- $apps := list }}
{{- range .Spec.Containers }}{{ if ne .Name "mesh-proxy" }}{{ $apps = append $apps .Name }}{{ end }}{{ end }}
`;

/**
 * The port of the agent as texts. \`$agentPort\` is the one it listens on: that of the pod's annotation, else
 * of the proxy configuration. \`$statusPort\` is not captured, and with \`0\` there are no probes of the proxy:
 * the values' port counts there as long as neither annotation nor configuration names another one.
 */
export const STATUS_PORT =
  `{{- $agentPort := annotation .ObjectMeta "status.sidecar.mesh.io/port" "" | default .ProxyConfig.StatusPort | printf "%v" }}
{{- $statusPort := annotation .ObjectMeta "status.sidecar.mesh.io/port" "" | default (ternary .Values.global.proxy.statusPort $agentPort (eq $agentPort "15020")) | printf "%v" }}
`;

/** Labels with the canonical service. */
export const CANONICAL =
  `    service.mesh.io/canonical-name: {{ coalesce (index .ObjectMeta.Labels "service.mesh.io/canonical-name") (index .ObjectMeta.Labels "app.kubernetes.io/name") (index .ObjectMeta.Labels "app") .DeploymentMeta.Name | trunc 63 | trimSuffix "-" | quote }}
    service.mesh.io/canonical-revision: {{ coalesce (index .ObjectMeta.Labels "service.mesh.io/canonical-revision") (index .ObjectMeta.Labels "app.kubernetes.io/version") (index .ObjectMeta.Labels "version") "latest" | quote }}
`;

/** The annotation with the revision, and the container that \`kubectl\` shows by default. */
export const ANNOTATIONS = `    mesh.io/rev: {{ .Revision | default "default" | quote }}
    {{- with first $apps }}
    {{- range list "kubectl.kubernetes.io/default-container" "kubectl.kubernetes.io/default-logs-container" }}
    {{- if not (isset $.ObjectMeta.Annotations .) }}
    {{ . }}: {{ first $apps | quote }}
    {{- end }}
    {{- end }}
    {{- end }}
`;

/** Image and pull policy of the proxy. */
export const IMAGE =
  `    {{- $image := annotation .ObjectMeta "sidecar.mesh.io/proxyImage" .Values.global.proxy.image }}
    image: {{ ternary $image .ProxyImage (contains "/" $image) | quote }}
    {{- with .Values.global.imagePullPolicy }}
    imagePullPolicy: {{ quote . }}
    {{- end }}
`;

/** The argument with the level of the agent's own log. */
export const AGENT_LOG_LEVEL =
  `    - {{ annotation .ObjectMeta "sidecar.mesh.io/agentLogLevel" .Values.global.logging.level | printf "--log_output_level=%s" | quote }}
`;

/**
 * The levels of logs. Annotations are quoted here and in all templates: the text of a user must not
 * become a part of the YAML.
 */
export const LOG_LEVELS: string =
  `    - {{ annotation .ObjectMeta "sidecar.mesh.io/logLevel" .Values.global.proxy.logLevel | printf "--proxyLogLevel=%s" | quote }}
    - {{ annotation .ObjectMeta "sidecar.mesh.io/componentLogLevel" .Values.global.proxy.componentLogLevel | printf "--proxyComponentLogLevel=%s" | quote }}
${AGENT_LOG_LEVEL}`;

/** Arguments of the agent after its role. */
export const ARGUMENTS: string = `    - --domain
    - {{ printf "$(POD_NAMESPACE).svc.%s" .Values.global.proxy.clusterDomain | quote }}
${LOG_LEVELS}    {{- with .Values.global.sts.servicePort }}
    - {{ printf "--stsPort=%v" . | quote }}
    {{- end }}
    {{- if .Values.global.logAsJson }}
    - --log_as_json
    {{- end }}
    {{- with .Values.global.proxy.outlierLogPath }}
    - {{ printf "--outlierLogPath=%s" . | quote }}
    {{- end }}
`;

const field = (name: string, path: string) =>
  `    - {name: ${name}, valueFrom: {fieldRef: {fieldPath: ${path}}}}\n`;
const limit = (name: string, resource: string) =>
  `    - {name: ${name}, valueFrom: {resourceFieldRef: {resource: ${resource}}}}\n`;

/** Variables with the address of the daemon and the identity of the pod. */
export const IDENTITY_ENV: string = `    - name: PILOT_CERT_PROVIDER
      value: {{ quote .Values.global.pilotCertProvider }}
    - name: CA_ADDR
      value: {{ .Values.global.caAddress | default (printf "meshd%s.%s.svc:15012" (ternary (printf "-%s" .Values.revision) "" (ne .Values.revision "")) .Values.global.meshNamespace) | quote }}
` + field("POD_NAME", "metadata.name") + field("POD_NAMESPACE", "metadata.namespace") +
  field("INSTANCE_IP", "status.podIP") + field("SERVICE_ACCOUNT", "spec.serviceAccountName") +
  field("HOST_IP", "status.hostIP");

/** Limits of the container, for the agent and the proxy. */
export const LIMITS_ENV: string = limit("MESH_CPU_LIMIT", "limits.cpu") +
  limit("GOMEMLIMIT", "limits.memory") + limit("GOMAXPROCS", "limits.cpu");

/** The proxy configuration, and what the agent tells the daemon about the workload. */
export const WORKLOAD_ENV: string = `    - name: PROXY_CONFIG
      value: {{ protoToJSON .ProxyConfig | quote }}
    {{- $ports := list }}
    {{- range .Spec.Containers }}{{ range .Ports }}{{ $ports = append $ports . }}{{ end }}{{ end }}
    - name: MESH_META_POD_PORTS
      value: {{ toJson $ports | quote }}
    - name: MESH_META_APP_CONTAINERS
      value: {{ join "," $apps | quote }}
    - name: MESH_META_CLUSTER_ID
      value: {{ .Values.global.multiCluster.clusterName | default "Orchestrator" | quote }}
` + field("MESH_META_NODE_NAME", "spec.nodeName") + `    {{- with .Values.global.network }}
    - name: MESH_META_NETWORK
      value: {{ quote . }}
    {{- end }}
    {{- with .DeploymentMeta.Name }}
    - name: MESH_META_WORKLOAD_NAME
      value: {{ index $.ObjectMeta.Labels "service.mesh.io/workload-name" | default . | quote }}
    {{- if $.TypeMeta.APIVersion }}
    - name: MESH_META_OWNER
      value: {{ printf "kubernetes://apis/%s/namespaces/%s/%ss/%s" $.TypeMeta.APIVersion ($.DeploymentMeta.Namespace | default "default") (lower $.TypeMeta.Kind) . | quote }}
    {{- end }}
    {{- end }}
    {{- $trustDomain := valueOrDefault .MeshConfig.TrustDomain .Values.global.trustDomain }}
    {{- with .Values.global.meshID | default $trustDomain }}
    - name: MESH_META_MESH_ID
      value: {{ quote . }}
    {{- end }}
    {{- with $trustDomain }}
    - name: TRUST_DOMAIN
      value: {{ quote . }}
    {{- end }}
    {{- with .CompliancePolicy }}
    - name: COMPLIANCE_POLICY
      value: {{ quote . }}
    {{- end }}
    {{- if eq .Values.global.proxy.tracer "datadog" }}
    {{- range $name, $value := fromJson (index .ObjectMeta.Annotations "apm.datadoghq.com/env") }}
    - name: {{ quote $name }}
      value: {{ quote $value }}
    {{- end }}
    {{- end }}
    {{- range $name, $value := .ProxyConfig.ProxyMetadata }}
    - name: {{ quote $name }}
      value: {{ quote $value }}
    {{- end }}
`;

/** The profile of system calls of a container. */
export const SECCOMP = `      {{- with .Values.global.proxy.seccompProfile }}
      seccompProfile: {{ toJson . }}
      {{- end }}
`;

/** The authorities of the collector of traces, which the agent reads. */
export const TRACER_MOUNTS =
  `    {{- if and (eq .Values.global.proxy.tracer "lightstep") .ProxyConfig.Tracing.TlsSettings }}
    - {name: lightstep-certs, mountPath: {{ directory .ProxyConfig.Tracing.TlsSettings.CaCertificates | quote }}, readOnly: true}
    {{- end }}
`;
export const TRACER_VOLUMES =
  `  {{- if and (eq .Values.global.proxy.tracer "lightstep") .ProxyConfig.Tracing.TlsSettings }}
  - {name: lightstep-certs, secret: {optional: true, secretName: lightstep.cacert}}
  {{- end }}
`;

/** The variable with the mode of capture. */
export const MODE_ENV = `    - name: MESH_META_INTERCEPTION_MODE
      value: {{ index .ObjectMeta.Annotations "sidecar.mesh.io/interceptionMode" | default .ProxyConfig.InterceptionMode | quote }}
`;

/** Requests and limits: those of the pod's annotations, if there is any of them, else of the values. */
export const RESOURCES = `    {{- define "resources" }}
    {{- $meta := .ObjectMeta }}
    {{- $own := dict }}
    {{- range $name, $path := dict "proxyCPU" "requests cpu" "proxyMemory" "requests memory" "proxyCPULimit" "limits cpu" "proxyMemoryLimit" "limits memory" }}
    {{- $value := index $meta.Annotations (printf "sidecar.mesh.io/%s" $name) }}
    {{- if $value }}
    {{- $parts := splitList " " $path }}
    {{- $kind := first $parts }}
    {{- $own = set $own $kind (merge (dict (last $parts) $value) (get $own $kind | default dict)) }}
    {{- end }}
    {{- end }}
    resources: {{ toJson ($own | default .Values.global.proxy.resources | default dict) }}
    {{- end }}
`;

/**
 * The probe of the start asks every second, so that a pod is ready soon after its proxy is: the first
 * probe of readiness follows at once.
 */
export const STARTUP = `    {{- with .Values.global.proxy.startupProbe }}
    {{- if .enabled }}
    startupProbe:
      httpGet: {path: /healthz/ready, port: 15021}
      initialDelaySeconds: 0
      periodSeconds: 1
      timeoutSeconds: 3
      failureThreshold: {{ .failureThreshold }}
    {{- end }}
    {{- end }}
`;

/** Probes of the proxy, at a port of the agent or of the proxy. */
export const readiness = (port: number | string): string =>
  `    readinessProbe:
      httpGet: {path: /healthz/ready, port: ${port}}
      initialDelaySeconds: {{ annotation .ObjectMeta "readiness.status.sidecar.mesh.io/initialDelaySeconds" .Values.global.proxy.readinessInitialDelaySeconds | int }}
      periodSeconds: {{ annotation .ObjectMeta "readiness.status.sidecar.mesh.io/periodSeconds" .Values.global.proxy.readinessPeriodSeconds | int }}
      timeoutSeconds: 3
      failureThreshold: {{ annotation .ObjectMeta "readiness.status.sidecar.mesh.io/failureThreshold" .Values.global.proxy.readinessFailureThreshold | int }}
`;

/** The mounts that every agent has, after those of its own. */
export const MOUNTS =
  `    - {name: workload-socket, mountPath: /var/run/secrets/workload-spiffe-uds}
    - {name: workload-certs, mountPath: /var/run/secrets/workload-spiffe-credentials}
    {{- if eq .Values.global.pilotCertProvider "meshd" }}
    - {name: meshd-ca-cert, mountPath: /var/run/secrets/mesh}
    {{- end }}
    - {name: mesh-data, mountPath: /var/lib/mesh/data}
    - {name: mesh-token, mountPath: /var/run/secrets/tokens}
    - {name: mesh-podinfo, mountPath: /etc/mesh/pod}
    {{- if .Values.global.mountMtlsCerts }}
    - {name: mesh-certs, mountPath: /etc/certs/, readOnly: true}
    {{- end }}
`;

/** The volumes of those mounts. */
export const VOLUMES = `  - {name: workload-socket, emptyDir: {}}
  - {name: workload-certs, emptyDir: {}}
  - {name: mesh-data, emptyDir: {}}
  - name: mesh-podinfo
    downwardAPI:
      items:
      - {path: labels, fieldRef: {fieldPath: metadata.labels}}
      - {path: annotations, fieldRef: {fieldPath: metadata.annotations}}
  - name: mesh-token
    projected:
      sources:
      - serviceAccountToken:
          path: mesh-token
          expirationSeconds: 43200
          audience: {{ quote .Values.global.sds.token.aud }}
  {{- if eq .Values.global.pilotCertProvider "meshd" }}
  - {name: meshd-ca-cert, configMap: {name: mesh-ca-root-cert}}
  {{- end }}
  {{- if .Values.global.mountMtlsCerts }}
  - name: mesh-certs
    secret: {optional: true, secretName: {{ printf "mesh.%s" (.Spec.ServiceAccountName | default "default") }}}
  {{- end }}
`;

/** Volumes and mounts of the pod's annotations. */
export const USER_MOUNTS =
  `    {{- range $name, $mount := fromJson (index .ObjectMeta.Annotations "sidecar.mesh.io/userVolumeMount") }}
    - {{ toJson (merge (dict "name" $name) $mount) }}
    {{- end }}
`;
export const USER_VOLUMES =
  `  {{- range $name, $volume := fromJson (index .ObjectMeta.Annotations "sidecar.mesh.io/userVolume") }}
  - {{ toJson (merge (dict "name" $name) $volume) }}
  {{- end }}
`;

/** Secrets of the registry with the images. */
export const PULL_SECRETS = `  {{- with .Values.global.imagePullSecrets }}
  imagePullSecrets:
  {{- range . }}
  - name: {{ quote . }}
  {{- end }}
  {{- end }}
`;
