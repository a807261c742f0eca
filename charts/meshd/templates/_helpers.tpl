{{- define "meshd.suffix" -}}
{{- if and .Values.revision (ne .Values.revision "default") }}-{{ .Values.revision }}{{ end }}
{{- end }}

{{- define "meshd.revision" -}}
{{ .Values.revision | default "default" }}
{{- end }}

{{- define "meshd.name" -}}
meshd{{ include "meshd.suffix" . }}
{{- end }}

{{- /* Objects of the cluster that two installations must not share. */}}
{{- define "meshd.clusterName" -}}
{{ include "meshd.name" . }}-{{ .Release.Namespace }}
{{- end }}

{{- /* Names of webhook configurations: the usual namespace is not part of them. */}}
{{- define "meshd.namespaceSuffix" -}}
{{- if ne .Release.Namespace "mesh-system" }}-{{ .Release.Namespace }}{{ end }}
{{- end }}

{{- define "meshd.labels" -}}
app: meshd
mesh.io/rev: {{ include "meshd.revision" . | quote }}
app.kubernetes.io/name: meshd
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: mesh
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "meshd.selector" -}}
app: meshd
mesh.io/rev: {{ include "meshd.revision" . | quote }}
{{- end }}

{{- define "meshd.tag" -}}
{{ .Values.global.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "meshd.image" -}}
{{- if contains "/" .Values.image -}}
{{ .Values.image }}
{{- else -}}
{{- $tag := .Values.tag | default (include "meshd.tag" .) -}}
{{- $variant := .Values.variant | default .Values.global.variant -}}
{{ .Values.hub | default .Values.global.hub }}/{{ .Values.image }}:{{ $tag }}{{ with $variant }}-{{ . }}{{ end }}
{{- end }}
{{- end }}

{{- /* The number of replicas that always run. */}}
{{- define "meshd.replicas" -}}
{{ ternary .Values.autoscaleMin .Values.replicaCount .Values.autoscaleEnabled }}
{{- end }}

{{- define "meshd.ruleOptions" -}}
sharingGroup: {{ .Values.env.MCS_API_GROUP | default (include "meshd.sharingGroup" .) | quote }}
untaint: {{ eq (toString .Values.env.PILOT_ENABLE_NODE_UNTAINT_CONTROLLERS) "true" }}
deployGateways: {{ ne (toString .Values.env.PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER) "false" }}
autoExport: {{ eq (toString .Values.env.ENABLE_MCS_AUTO_EXPORT) "true" }}
signers: {{ toJson .Values.global.certSigners }}
{{- end }}

{{- /* Selectors of namespaces and pods that get the proxy from the revision or tag `.name`. */}}
{{- define "meshd.injectionSelectors" -}}
- name: rev.namespace
  namespace: [{key: mesh.io/rev, operator: In, values: [{{ quote .name }}]}, {key: mesh-injection, operator: DoesNotExist}]
  object: [{key: sidecar.mesh.io/inject, operator: NotIn, values: ["false"]}]
- name: rev.object
  namespace: [{key: mesh.io/rev, operator: DoesNotExist}, {key: mesh-injection, operator: DoesNotExist}]
  object: [{key: sidecar.mesh.io/inject, operator: NotIn, values: ["false"]}, {key: mesh.io/rev, operator: In, values: [{{ quote .name }}]}]
{{- if eq .name "default" }}
- name: namespace
  namespace: [{key: mesh-injection, operator: In, values: [enabled]}]
  object: [{key: sidecar.mesh.io/inject, operator: NotIn, values: ["false"]}]
- name: object
  namespace: [{key: mesh.io/rev, operator: DoesNotExist}, {key: mesh-injection, operator: DoesNotExist}]
  object: [{key: sidecar.mesh.io/inject, operator: In, values: ["true"]}, {key: mesh.io/rev, operator: DoesNotExist}]
{{- if .everywhere }}
- name: auto
  namespace: [{key: mesh.io/rev, operator: DoesNotExist}, {key: mesh-injection, operator: DoesNotExist}, {key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system, kube-public, kube-node-lease, local-path-storage, {{ quote .root.Release.Namespace }}]}]
  object: [{key: sidecar.mesh.io/inject, operator: DoesNotExist}, {key: mesh.io/rev, operator: DoesNotExist}]
{{- end }}
{{- end }}
{{- end }}

{{- /*
"true" if the cluster has a tag `default`, which injects in the place of the revision `default`. Without a
cluster there is none.
*/}}
{{- define "meshd.defaultIsTag" -}}
{{- if eq (include "meshd.revision" .) "default" -}}
{{- range (lookup "admissionregistration.k8s.io/v1" "MutatingWebhookConfiguration" "" "").items -}}
{{- if eq (dig "metadata" "labels" "mesh.io/tag" "" .) "default" -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /*
The webhooks of injection for the revision or tag `.name`; with `.deactivated` they select nothing. The daemon
writes caBundle.
*/}}
{{- define "meshd.injectionWebhooks" -}}
{{- $root := .root }}
{{- $webhook := .root.Values.sidecarInjectorWebhook }}
{{- $selectors := include "meshd.injectionSelectors" . | fromYamlArray }}
webhooks:
{{- range $selectors }}
- name: {{ .name }}.sidecar-injector.mesh.io
  clientConfig:
    service:
      name: {{ include "meshd.name" $root }}
      namespace: {{ $root.Release.Namespace }}
      path: /inject
      port: 443
  rules:
  - operations: [CREATE]
    apiGroups: [""]
    apiVersions: [v1]
    resources: [pods]
  failurePolicy: {{ $webhook.failurePolicy }}
  reinvocationPolicy: {{ $webhook.reinvocationPolicy }}
  timeoutSeconds: {{ $webhook.timeoutSeconds }}
  sideEffects: None
  admissionReviewVersions: [v1]
  {{- if $.deactivated }}
  namespaceSelector: {matchLabels: {mesh.io/deactivated: never-match}}
  objectSelector: {matchLabels: {mesh.io/deactivated: never-match}}
  {{- else }}
  namespaceSelector:
    matchExpressions: {{ toJson .namespace }}
  objectSelector:
    matchExpressions: {{ toJson .object }}
  {{- end }}
{{- end }}
{{- end }}
