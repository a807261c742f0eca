{{- /* Written by `deno task charts`; do not edit. */}}
{{- define "cni.clusterRules" -}}
- apiGroups:
    - ''
  resources:
    - pods
  verbs:
    - get
{{- if .repairs }}
- apiGroups:
    - ''
  resources:
    - pods
  verbs:
    - list
    - watch
{{- end }}
{{- if .repairs }}
- apiGroups:
    - ''
  resources:
    - events
  verbs:
    - create
{{- end }}
{{- if .labels }}
- apiGroups:
    - ''
  resources:
    - pods
  verbs:
    - patch
{{- end }}
{{- if .deletes }}
- apiGroups:
    - ''
  resources:
    - pods
  verbs:
    - delete
{{- end }}
{{- if .ambient }}
- apiGroups:
    - ''
  resources:
    - namespaces
    - pods
  verbs:
    - get
    - list
    - watch
{{- end }}
{{- if .ambient }}
- apiGroups:
    - ''
  resources:
    - pods/status
  verbs:
    - patch
{{- end }}
{{- if .isOpenShift }}
- apiGroups:
    - security.openshift.io
  resources:
    - securitycontextconstraints
  verbs:
    - use
  resourceNames:
    - privileged
{{- end }}
{{- end }}
{{- define "cni.systemRules" -}}
- apiGroups:
    - apps
  resources:
    - daemonsets
  verbs:
    - get
  resourceNames:
    - mesh-cni-node
{{- end }}
