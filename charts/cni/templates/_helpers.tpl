{{- define "cni.labels" -}}
app: mesh-cni
app.kubernetes.io/name: mesh-cni
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: mesh
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- /* Objects of the cluster that two installations must not share. */}}
{{- define "cni.clusterName" -}}
mesh-cni-{{ .Release.Namespace }}
{{- end }}

{{- define "cni.image" -}}
{{- if contains "/" .Values.image -}}
{{ .Values.image }}
{{- else -}}
{{- $tag := .Values.tag | default .Values.global.tag | default .Chart.AppVersion -}}
{{- $variant := .Values.variant | default .Values.global.variant -}}
{{ .Values.hub | default .Values.global.hub }}/{{ .Values.image }}:{{ $tag }}{{ with $variant }}-{{ . }}{{ end }}
{{- end }}
{{- end }}

{{- /* The platform: the one of the values, or GKE, which names itself in its version. */}}
{{- define "cni.platform" -}}
{{ .Values.global.platform | default (ternary "gke" "" (contains "-gke" .Capabilities.KubeVersion.Version)) }}
{{- end }}

{{- /* Folders of platforms where they are others than the usual ones. */}}
{{- define "cni.folders" -}}
gke: {bin: /home/kubernetes/bin}
openshift: {bin: /var/lib/cni/bin, conf: /etc/cni/multus/net.d}
k3s: {bin: /var/lib/rancher/k3s/data/cni, conf: /var/lib/rancher/k3s/agent/etc/cni/net.d}
k3d: {bin: /bin, conf: /var/lib/rancher/k3s/agent/etc/cni/net.d}
microk8s: {bin: /var/snap/microk8s/current/opt/cni/bin, conf: /var/snap/microk8s/current/args/cni-network}
minikube: {netns: /var/run/docker/netns}
{{- end }}

{{- /* The values that depend on the platform, where they are not given. */}}
{{- define "cni.settings" -}}
{{- $platform := include "cni.platform" . }}
{{- $folders := index (include "cni.folders" . | fromYaml) $platform | default dict }}
{{- $provider := .Values.provider | default (ternary "multus" "default" (eq $platform "openshift")) }}
binDir: {{ .Values.cniBinDir | default $folders.bin | default "/opt/cni/bin" | quote }}
confDir: {{ .Values.cniConfDir | default $folders.conf | default "/etc/cni/net.d" | quote }}
netnsDir: {{ .Values.cniNetnsDir | default $folders.netns | default "/var/run/netns" | quote }}
provider: {{ quote $provider }}
chained: {{ kindIs "bool" .Values.chained | ternary .Values.chained (ne $provider "multus") }}
confFileName: {{ .Values.cniConfFileName | default (ternary "mesh-cni.conf" "" (eq $provider "multus")) | quote }}
quota: {{ kindIs "bool" .Values.resourceQuotas.enabled | ternary .Values.resourceQuotas.enabled (eq $platform "gke") }}
isOpenShift: {{ eq $platform "openshift" }}
seLinuxOptions: {{ toJson (.Values.seLinuxOptions | default (ternary (dict "type" "spc_t") dict (eq $platform "openshift"))) }}
{{- end }}

{{- define "cni.ruleOptions" -}}
labels: {{ and .Values.repair.enabled .Values.repair.labelPods }}
deletes: {{ and .Values.repair.enabled .Values.repair.deletePods }}
repairs: {{ .Values.repair.enabled }}
ambient: {{ .Values.ambient.enabled }}
isOpenShift: {{ (include "cni.settings" . | fromYaml).isOpenShift }}
{{- end }}
