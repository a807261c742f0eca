import {
  AGENT_LOG_LEVEL,
  ANNOTATIONS,
  APPLICATIONS,
  ARGUMENTS,
  CANONICAL,
  IDENTITY_ENV,
  IMAGE,
  LIMITS_ENV,
  MODE_ENV,
  MOUNTS,
  PULL_SECRETS,
  readiness,
  RESOURCES,
  SECCOMP,
  STARTUP,
  STATUS_PORT,
  TRACER_MOUNTS,
  TRACER_VOLUMES,
  USER_MOUNTS,
  USER_VOLUMES,
  VOLUMES,
  WORKLOAD_ENV,
} from "./parts.ts";

/** Settings that several parts of the template use. */
const SETTINGS = `{{- $meta := .ObjectMeta }}
{{- $proxy := .Values.global.proxy }}
{{- $cni := .Values.pilot.cni.enabled }}
{{- $mode := index $meta.Annotations "sidecar.mesh.io/interceptionMode" | default .ProxyConfig.InterceptionMode }}
{{- $native := eq (annotation $meta "sidecar.mesh.io/nativeSidecar" (env "ENABLE_NATIVE_SIDECARS" "false")) "true" }}
{{- $holds := and (or .ProxyConfig.HoldApplicationUntilProxyStarts $proxy.holdApplicationUntilProxyStarts) (not $native) }}
${STATUS_PORT}{{- $includeRanges := annotation $meta "traffic.sidecar.mesh.io/includeOutboundIPRanges" $proxy.includeIPRanges }}
{{- $excludeRanges := annotation $meta "traffic.sidecar.mesh.io/excludeOutboundIPRanges" $proxy.excludeIPRanges }}
{{- $includeInbound := annotation $meta "traffic.sidecar.mesh.io/includeInboundPorts" $proxy.includeInboundPorts }}
{{- $excludeInbound := excludeInboundPort $statusPort (annotation $meta "traffic.sidecar.mesh.io/excludeInboundPorts" $proxy.excludeInboundPorts) }}
{{- $includeOutbound := annotation $meta "traffic.sidecar.mesh.io/includeOutboundPorts" $proxy.includeOutboundPorts }}
{{- $excludeOutbound := annotation $meta "traffic.sidecar.mesh.io/excludeOutboundPorts" $proxy.excludeOutboundPorts }}
{{- $interfaces := index $meta.Annotations "traffic.sidecar.mesh.io/excludeInterfaces" }}
{{- $virtual := index $meta.Annotations "mesh.io/reroute-virtual-interfaces" | default (index $meta.Annotations "traffic.sidecar.mesh.io/kubevirtInterfaces") }}
`;

/** Under the network plugin, the annotations tell it what to capture. */
const PLUGIN_ANNOTATIONS = `    {{- if $cni }}
    {{- if eq .Values.pilot.cni.provider "multus" }}
    k8s.v1.cni.cncf.io/networks: {{ appendMultusNetwork (index $meta.Annotations "k8s.v1.cni.cncf.io/networks") "default/mesh-cni" | quote }}
    {{- end }}
    sidecar.mesh.io/interceptionMode: {{ quote $mode }}
    {{- range $name, $value := dict "includeOutboundIPRanges" $includeRanges "excludeOutboundIPRanges" $excludeRanges "includeInboundPorts" $includeInbound "excludeInboundPorts" $excludeInbound "includeOutboundPorts" $includeOutbound "excludeOutboundPorts" $excludeOutbound "excludeInterfaces" $interfaces }}
    {{- if $value }}
    traffic.sidecar.mesh.io/{{ $name }}: {{ quote $value }}
    {{- end }}
    {{- end }}
    {{- end }}
`;

/** The init container that captures the traffic, or checks that the network plugin did. */
const CAPTURE: string = `  {{- if ne $mode "NONE" }}
  - name: {{ ternary "mesh-validation" "mesh-init" $cni }}
    {{- $initImage := annotation .ObjectMeta "sidecar.mesh.io/proxyImage" .Values.global.proxy_init.image }}
    image: {{ ternary $initImage .ProxyImage (contains "/" $initImage) | quote }}
    {{- with .Values.global.imagePullPolicy }}
    imagePullPolicy: {{ quote . }}
    {{- end }}
    args:
    - mesh-iptables
    {{- range list "-p" (.MeshConfig.ProxyListenPort | default 15001) "-z" (.MeshConfig.ProxyInboundListenPort | default 15006) "-u" (.ProxyUID | default 1337) "-m" $mode "-i" $includeRanges "-x" $excludeRanges "-b" $includeInbound "-d" (join "," (compact (list "15090,15021" $excludeInbound))) }}
    - {{ quote . }}
    {{- end }}
    {{- range list (list "-q" $includeOutbound) (list "-o" $excludeOutbound) (list "-k" $virtual) (list "-c" $interfaces) }}
    {{- if index . 1 }}
    - {{ index . 0 | quote }}
    - {{ index . 1 | quote }}
    {{- end }}
    {{- end }}
${AGENT_LOG_LEVEL}    {{- if .Values.global.logAsJson }}
    - --log_as_json
    {{- end }}
    {{- if $cni }}
    - --run-validation
    - --skip-rule-apply
    {{- else if .Values.global.proxy_init.forceApplyIptables }}
    - --force-apply
    {{- end }}
    {{- with .ProxyConfig.ProxyMetadata }}
    env:
    {{- range $name, $value := . }}
    - {name: {{ quote $name }}, value: {{ quote $value }}}
    {{- end }}
    {{- end }}
    {{- template "resources" . }}
    securityContext:
      allowPrivilegeEscalation: {{ $proxy.privileged }}
      privileged: {{ $proxy.privileged }}
      {{- if $cni }}
      capabilities: {drop: [ALL]}
      readOnlyRootFilesystem: true
      runAsUser: {{ .ProxyUID | default 1337 }}
      runAsGroup: {{ .ProxyGID | default 1337 }}
      runAsNonRoot: true
      {{- else }}
      capabilities: {add: [NET_ADMIN, NET_RAW], drop: [ALL]}
      readOnlyRootFilesystem: false
      runAsUser: 0
      runAsGroup: 0
      runAsNonRoot: false
      {{- end }}
${SECCOMP}  {{- end }}
`;

/** The life cycle of the container: the application waits for the proxy, or the proxy drains first. */
const LIFECYCLE = `    {{- if $proxy.lifecycle }}
    lifecycle: {{ toJson $proxy.lifecycle }}
    {{- else if $holds }}
    lifecycle: {postStart: {exec: {command: [pilot-agent, wait]}}}
    {{- else if and $native (ne $agentPort "0") }}
    lifecycle:
      preStop: {exec: {command: [pilot-agent, request, {{ printf "--debug-port=%s" $agentPort | quote }}, POST, drain]}}
    {{- end }}
`;

const PROBES: string = `    {{- if ne $statusPort "0" }}
${STARTUP}${readiness(15021)}    {{- end }}
`;

const SECURITY: string = `    {{- $transparent := eq $mode "TPROXY" }}
    {{- $binds := eq (annotation $meta "sidecar.mesh.io/capNetBindService" $proxy.capNetBindService) "true" }}
    {{- $traces := eq (index .ProxyConfig.ProxyMetadata "IPTABLES_TRACE_LOGGING") "true" }}
    {{- $add := list }}
    {{- if or $transparent $traces }}{{ $add = append $add "NET_ADMIN" }}{{ end }}
    {{- if $binds }}{{ $add = append $add "NET_BIND_SERVICE" }}{{ end }}
    securityContext:
      allowPrivilegeEscalation: {{ or $traces $proxy.privileged }}
      privileged: {{ or $traces $proxy.privileged }}
      capabilities:
        {{- with $add }}
        add: {{ toJson . }}
        {{- end }}
        drop: [ALL]
      readOnlyRootFilesystem: true
      runAsGroup: {{ .ProxyGID | default 1337 }}
      {{- if or $transparent $binds $traces }}
      runAsNonRoot: false
      runAsUser: 0
      {{- else }}
      runAsNonRoot: true
      runAsUser: {{ .ProxyUID | default 1337 }}
      {{- end }}
${SECCOMP}`;

/** The template of sidecars. */
export const SIDECAR: string = `${RESOURCES}${APPLICATIONS}${SETTINGS}metadata:
  labels:
    security.mesh.io/tlsMode: {{ index $meta.Labels "security.mesh.io/tlsMode" | default "mesh" | quote }}
    {{- if eq (index .ProxyConfig.ProxyMetadata "MESH_META_ENABLE_HBONE") "true" }}
    networking.mesh.io/tunnel: {{ index $meta.Labels "networking.mesh.io/tunnel" | default "http" | quote }}
    {{- end }}
${CANONICAL}  annotations:
${ANNOTATIONS}${PLUGIN_ANNOTATIONS}spec:
  initContainers:
${CAPTURE}  {{- if not $native }}
  containers:
  {{- end }}
  - name: mesh-proxy
${IMAGE}    {{- if $native }}
    restartPolicy: Always
    {{- end }}
    ports:
    - {name: http-proxy-prom, containerPort: 15090, protocol: TCP}
    args:
    - proxy
    - sidecar
${ARGUMENTS}${LIFECYCLE}    env:
    {{- if eq .InboundTrafficPolicyMode "localhost" }}
    - {name: REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION, value: "true"}
    {{- end }}
${IDENTITY_ENV}${LIMITS_ENV}${MODE_ENV}    {{- if isset $meta.Annotations "sidecar.mesh.io/bootstrapOverride" }}
    - {name: MESH_BOOTSTRAP_OVERRIDE, value: /etc/mesh/custom-bootstrap/custom_bootstrap.json}
    {{- end }}
${WORKLOAD_ENV}${PROBES}${SECURITY}    {{- template "resources" . }}
    volumeMounts:
    - {name: mesh-dataproxy, mountPath: /etc/mesh/proxy}
    - {name: credential-socket, mountPath: /var/run/secrets/credential-uds}
    {{- if isset $meta.Annotations "sidecar.mesh.io/bootstrapOverride" }}
    - {name: custom-bootstrap-volume, mountPath: /etc/mesh/custom-bootstrap}
    {{- end }}
${MOUNTS}${TRACER_MOUNTS}${USER_MOUNTS}  volumes:
  - {name: mesh-dataproxy, emptyDir: {medium: Memory}}
  - {name: credential-socket, emptyDir: {}}
  {{- with index $meta.Annotations "sidecar.mesh.io/bootstrapOverride" }}
  - {name: custom-bootstrap-volume, configMap: {name: {{ quote . }}}}
  {{- end }}
${VOLUMES}${TRACER_VOLUMES}${USER_VOLUMES}${PULL_SECRETS}`;
