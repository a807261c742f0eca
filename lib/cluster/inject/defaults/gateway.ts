import {
  ANNOTATIONS,
  APPLICATIONS,
  ARGUMENTS,
  CANONICAL,
  IDENTITY_ENV,
  IMAGE,
  LIMITS_ENV,
  MOUNTS,
  PULL_SECRETS,
  readiness,
  SECCOMP,
  STARTUP,
  STATUS_PORT,
  VOLUMES,
  WORKLOAD_ENV,
} from "./parts.ts";

/** The template of gateways: the pod's own container \`mesh-proxy\` becomes a proxy. */
export const GATEWAY: string =
  `${APPLICATIONS}${STATUS_PORT}{{- $proxy := .Values.global.proxy }}metadata:
  labels:
${CANONICAL}  annotations:
${ANNOTATIONS}spec:
  securityContext: {{ toJson (.Values.gateways.securityContext | default (dict "sysctls" (list (dict "name" "net.ipv4.ip_unprivileged_port_start" "value" "0")))) }}
  containers:
  - name: mesh-proxy
${IMAGE}    ports:
    - {name: http-proxy-prom, containerPort: 15090, protocol: TCP}
    args:
    - proxy
    - router
${ARGUMENTS}    {{- with $proxy.lifecycle }}
    lifecycle: {{ toJson . }}
    {{- end }}
    securityContext:
      runAsUser: {{ .ProxyUID | default 1337 }}
      runAsGroup: {{ .ProxyGID | default 1337 }}
${SECCOMP}    env:
${IDENTITY_ENV}${LIMITS_ENV}    - name: MESH_META_INTERCEPTION_MODE
      value: {{ quote .ProxyConfig.InterceptionMode }}
${WORKLOAD_ENV}    {{- if ne $statusPort "0" }}
${STARTUP}${readiness(15021)}    {{- end }}
    volumeMounts:
    - {name: mesh-dataproxy, mountPath: /etc/mesh/proxy}
    - {name: credential-socket, mountPath: /var/run/secrets/credential-uds}
${MOUNTS}  volumes:
  - {name: mesh-dataproxy, emptyDir: {medium: Memory}}
  - {name: credential-socket, emptyDir: {}}
${VOLUMES}${PULL_SECRETS}`;
