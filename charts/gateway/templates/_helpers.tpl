{{- define "gateway.name" -}}
{{ .Values.name | default .Release.Name }}
{{- end }}

{{- define "gateway.account" -}}
{{ .Values.serviceAccount.name | default (include "gateway.name" .) }}
{{- end }}

{{- /* The labels by which Gateways select the pods. */}}
{{- define "gateway.selector" -}}
app: {{ .Values.labels.app | default (include "gateway.name" .) | quote }}
mesh: {{ .Values.labels.mesh | default (include "gateway.name" . | trimPrefix "mesh-") | quote }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
{{- range $name, $value := omit .Values.labels "app" "mesh" }}
{{ $name }}: {{ quote $value }}
{{- end }}
{{- with .Values.networkGateway }}
topology.mesh.io/network: {{ quote . }}
{{- end }}
app.kubernetes.io/name: {{ include "gateway.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: mesh
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "gateway.metadata" -}}
name: {{ include "gateway.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "gateway.labels" . | nindent 2 }}
{{- with .Values.annotations }}
annotations: {{ toJson . }}
{{- end }}
{{- end }}
