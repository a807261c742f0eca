import {
  ANNOTATIONS,
  APPLICATIONS,
  ARGUMENTS,
  CANONICAL,
  IDENTITY_ENV,
  IMAGE,
  MOUNTS,
  PULL_SECRETS,
  readiness,
  RESOURCES,
  STATUS_PORT,
  USER_MOUNTS,
  USER_VOLUMES,
  VOLUMES,
  WORKLOAD_ENV,
} from "./parts.ts";

/** The agent without a proxy, for programs whose gRPC library speaks xDS. */
export const GRPC_AGENT: string = `${RESOURCES}${APPLICATIONS}${STATUS_PORT}metadata:
  labels:
${CANONICAL}  annotations:
    sidecar.mesh.io/rewriteAppHTTPProbers: "false"
${ANNOTATIONS}spec:
  containers:
  - name: mesh-proxy
${IMAGE}    {{- if ne $agentPort "0" }}
    ports:
    - {name: mesh-metrics, containerPort: {{ $agentPort }}, protocol: TCP}
    {{- end }}
    args:
    - proxy
    - sidecar
${ARGUMENTS}    {{- if ne $agentPort "0" }}
    lifecycle:
      postStart: {exec: {command: [pilot-agent, wait, {{ printf "--url=http://localhost:%s/healthz/ready" $agentPort | quote }}]}}
    {{- end }}
    env:
    - {name: MESH_META_GENERATOR, value: grpc}
    - {name: OUTPUT_CERTS, value: /var/lib/mesh/data}
${IDENTITY_ENV}${WORKLOAD_ENV}    - {name: MESH_META_DNS_CAPTURE, value: "false"}
    - {name: DISABLE_DATAPROXY, value: "true"}
    {{- if and (ne $statusPort "0") (ne $agentPort "0") }}
${readiness("{{ $agentPort }}")}    {{- end }}
    {{- template "resources" . }}
    volumeMounts:
    - {name: mesh-xds, mountPath: /etc/mesh/proxy}
${MOUNTS}${USER_MOUNTS}  {{- range $apps }}
  - name: {{ quote . }}
    env:
    - {name: GRPC_XDS_EXPERIMENTAL_SECURITY_SUPPORT, value: "true"}
    - {name: GRPC_XDS_BOOTSTRAP, value: /etc/mesh/proxy/grpc-bootstrap.json}
    volumeMounts:
    - {name: mesh-data, mountPath: /var/lib/mesh/data}
    - {name: mesh-xds, mountPath: /etc/mesh/proxy}
    - {name: workload-certs, mountPath: /var/run/secrets/workload-spiffe-credentials}
  {{- end }}
  volumes:
  - {name: mesh-xds, emptyDir: {medium: Memory}}
${VOLUMES}${USER_VOLUMES}${PULL_SECRETS}`;

/** The script that writes the bootstrap file of \`grpc-simple\`: no agent, no certificates. */
const BOOTSTRAP_SCRIPT = `      cat > /var/lib/grpc/data/bootstrap.json <<EOF
      {
        "xds_servers": [{
          "server_uri": "dns:///meshd.\${MESH_NAMESPACE}.svc:15010",
          "channel_creds": [{"type": "insecure"}],
          "server_features": ["xds_v3"]
        }],
        "node": {
          "id": "sidecar~\${INSTANCE_IP}~\${POD_NAME}.\${POD_NAMESPACE}~{{ .Values.global.proxy.clusterDomain }}",
          "metadata": {"GENERATOR": "grpc"}
        }
      }
      EOF
`;

/** A bootstrap file for gRPC libraries that speak xDS to the daemon in clear text. */
export const GRPC_SIMPLE: string = `metadata:
  annotations:
    sidecar.mesh.io/rewriteAppHTTPProbers: "false"
spec:
  initContainers:
  - name: grpc-bootstrap-init
    image: busybox:1.28
    env:
    - {name: INSTANCE_IP, valueFrom: {fieldRef: {fieldPath: status.podIP}}}
    - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: POD_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
    - {name: MESH_NAMESPACE, value: {{ quote .Values.global.meshNamespace }}}
    command:
    - sh
    - -c
    - |
${BOOTSTRAP_SCRIPT}    volumeMounts:
    - {name: grpc-io-proxyless-bootstrap, mountPath: /var/lib/grpc/data/}
  containers:
  {{- range .Spec.Containers }}
  - name: {{ quote .Name }}
    env:
    - {name: GRPC_XDS_BOOTSTRAP, value: /var/lib/grpc/data/bootstrap.json}
    - {name: GRPC_GO_LOG_VERBOSITY_LEVEL, value: "99"}
    - {name: GRPC_GO_LOG_SEVERITY_LEVEL, value: info}
    volumeMounts:
    - {name: grpc-io-proxyless-bootstrap, mountPath: /var/lib/grpc/data/}
  {{- end }}
  volumes:
  - {name: grpc-io-proxyless-bootstrap, emptyDir: {}}
`;
