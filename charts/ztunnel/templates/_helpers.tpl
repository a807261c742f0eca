{{- define "ztunnel.labels" -}}
app: ztunnel
app.kubernetes.io/name: ztunnel
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: mesh
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- /* Objects of the cluster that two installations must not share. */}}
{{- define "ztunnel.clusterName" -}}
ztunnel-{{ .Release.Namespace }}
{{- end }}

{{- define "ztunnel.image" -}}
{{- if contains "/" .Values.image -}}
{{ .Values.image }}
{{- else -}}
{{- $tag := .Values.tag | default .Values.global.tag | default .Chart.AppVersion -}}
{{- $variant := .Values.variant | default .Values.global.variant -}}
{{ .Values.hub | default .Values.global.hub }}/{{ .Values.image }}:{{ $tag }}{{ with $variant }}-{{ . }}{{ end }}
{{- end }}
{{- end }}

{{- /* The platform: the one of the values, or GKE, which names itself in its version. */}}
{{- define "ztunnel.platform" -}}
{{ .Values.global.platform | default (ternary "gke" "" (contains "-gke" .Capabilities.KubeVersion.Version)) }}
{{- end }}

{{- define "ztunnel.isOpenShift" -}}
{{ ternary "true" "" (eq (include "ztunnel.platform" .) "openshift") }}
{{- end }}

{{- /* The address of the daemon. */}}
{{- define "ztunnel.daemon" -}}
{{- $revision := ternary "" (printf "-%s" .Values.revision) (or (empty .Values.revision) (eq .Values.revision "default")) -}}
https://meshd{{ $revision }}.{{ .Values.global.meshNamespace | default .Release.Namespace }}.svc:15012
{{- end }}
