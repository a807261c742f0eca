{{- /* Written by `deno task charts`; do not edit. */}}
{{- define "base.sharingGroup" -}}
multicluster.x-orch.io
{{- end }}
{{- define "base.readerRules" -}}
- apiGroups:
    - ''
  resources:
    - namespaces
    - nodes
    - pods
    - secrets
    - services
  verbs:
    - list
    - watch
- apiGroups:
    - discovery.k8s.io
  resources:
    - endpointslices
  verbs:
    - list
    - watch
- apiGroups:
    - ''
  resources:
    - pods
  verbs:
    - get
- apiGroups:
    - {{ .sharingGroup }}
  resources:
    - serviceexports
    - serviceimports
  verbs:
    - list
    - watch
- apiGroups:
    - networking.mesh.io
  resources:
    - workloadentries
  verbs:
    - list
    - watch
- apiGroups:
    - authentication.k8s.io
  resources:
    - tokenreviews
  verbs:
    - create
- apiGroups:
    - authorization.k8s.io
  resources:
    - subjectaccessreviews
  verbs:
    - create
{{- end }}
