{{- /* Written by `deno task charts`; do not edit. */}}
{{- define "meshd.sharingGroup" -}}
multicluster.x-orch.io
{{- end }}
{{- define "meshd.clusterRules" -}}
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
- apiGroups:
    - networking.mesh.io
  resources:
    - dataproxyfilters
    - destinationrules
    - gateways
    - proxyconfigs
    - serviceentries
    - sidecars
    - virtualservices
    - workloadentries
    - workloadgroups
  verbs:
    - list
    - watch
- apiGroups:
    - networking.mesh.io
  resources:
    - dataproxyfilters/status
    - destinationrules/status
    - gateways/status
    - proxyconfigs/status
    - serviceentries/status
    - sidecars/status
    - virtualservices/status
    - workloadentries/status
    - workloadgroups/status
  verbs:
    - patch
- apiGroups:
    - security.mesh.io
  resources:
    - authorizationpolicies
    - peerauthentications
    - requestauthentications
  verbs:
    - list
    - watch
- apiGroups:
    - security.mesh.io
  resources:
    - authorizationpolicies/status
    - peerauthentications/status
    - requestauthentications/status
  verbs:
    - patch
- apiGroups:
    - extensions.mesh.io
  resources:
    - wasmplugins
  verbs:
    - list
    - watch
- apiGroups:
    - extensions.mesh.io
  resources:
    - wasmplugins/status
  verbs:
    - patch
- apiGroups:
    - telemetry.mesh.io
  resources:
    - telemetries
  verbs:
    - list
    - watch
- apiGroups:
    - telemetry.mesh.io
  resources:
    - telemetries/status
  verbs:
    - patch
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - backendtlspolicies
    - gatewayclasses
    - gateways
    - grpcroutes
    - httproutes
    - listenersets
    - referencegrants
    - tcproutes
    - tlsroutes
    - udproutes
  verbs:
    - list
    - watch
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - backendtlspolicies/status
    - gatewayclasses/status
    - gateways/status
    - grpcroutes/status
    - httproutes/status
    - listenersets/status
    - tcproutes/status
    - tlsroutes/status
    - udproutes/status
  verbs:
    - patch
- apiGroups:
    - gateway.networking.x-k8s.io
  resources:
    - xbackends
    - xbackendtrafficpolicies
    - xmeshes
  verbs:
    - list
    - watch
- apiGroups:
    - gateway.networking.x-k8s.io
  resources:
    - xbackends/status
    - xbackendtrafficpolicies/status
    - xmeshes/status
  verbs:
    - patch
- apiGroups:
    - networking.mesh.io
  resources:
    - workloadentries
  verbs:
    - delete
    - create
    - patch
- apiGroups:
    - ''
  resources:
    - configmaps
  verbs:
    - list
    - watch
    - create
    - patch
  resourceNames:
    - mesh-ca-root-cert
- apiGroups:
    - ''
  resources:
    - namespaces
  verbs:
    - get
- apiGroups:
    - ''
  resources:
    - events
  verbs:
    - create
    - patch
{{- if .untaint }}
- apiGroups:
    - ''
  resources:
    - nodes
  verbs:
    - patch
{{- end }}
- apiGroups:
    - networking.k8s.io
  resources:
    - ingresses
    - ingressclasses
  verbs:
    - list
    - watch
- apiGroups:
    - networking.k8s.io
  resources:
    - ingresses/status
  verbs:
    - patch
- apiGroups:
    - ''
  resources:
    - services/status
  verbs:
    - patch
- apiGroups:
    - admissionregistration.k8s.io
  resources:
    - mutatingwebhookconfigurations
    - validatingwebhookconfigurations
  verbs:
    - get
    - update
    - list
    - watch
{{- if .autoExport }}
- apiGroups:
    - {{ .sharingGroup }}
  resources:
    - serviceexports
  verbs:
    - create
{{- end }}
- apiGroups:
    - ''
  resources:
    - configmaps
  verbs:
    - list
    - watch
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - gatewayclasses
    - gateways
    - listenersets
  verbs:
    - list
    - watch
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - gatewayclasses
  verbs:
    - create
- apiGroups:
    - apiextensions.k8s.io
  resources:
    - customresourcedefinitions
  verbs:
    - list
    - watch
  resourceNames:
    - gatewayclasses.gateway.networking.k8s.io
{{- if .deployGateways }}
- apiGroups:
    - ''
  resources:
    - serviceaccounts
    - services
  verbs:
    - get
    - delete
    - list
    - watch
    - create
    - patch
{{- end }}
{{- if .deployGateways }}
- apiGroups:
    - apps
  resources:
    - deployments
  verbs:
    - get
    - delete
    - list
    - watch
    - create
    - patch
{{- end }}
{{- if .deployGateways }}
- apiGroups:
    - autoscaling
  resources:
    - horizontalpodautoscalers
  verbs:
    - get
    - delete
    - list
    - watch
    - create
    - patch
{{- end }}
{{- if .deployGateways }}
- apiGroups:
    - policy
  resources:
    - poddisruptionbudgets
  verbs:
    - get
    - delete
    - list
    - watch
    - create
    - patch
{{- end }}
{{- if .deployGateways }}
- apiGroups:
    - gateway.networking.k8s.io
  resources:
    - gateways/finalizers
  verbs:
    - update
{{- end }}
{{- if .signers }}
- apiGroups:
    - certificates.k8s.io
  resources:
    - certificatesigningrequests
  verbs:
    - create
    - get
    - delete
{{- end }}
{{- if .signers }}
- apiGroups:
    - certificates.k8s.io
  resources:
    - certificatesigningrequests/approval
  verbs:
    - update
{{- end }}
{{- if .signers }}
- apiGroups:
    - certificates.k8s.io
  resources:
    - signers
  verbs:
    - approve
  resourceNames: {{ toJson .signers }}
{{- end }}
{{- end }}
{{- define "meshd.systemRules" -}}
- apiGroups:
    - ''
  resources:
    - secrets
  verbs:
    - get
    - update
  resourceNames:
    - mesh-ca-secret
    - cacerts
- apiGroups:
    - ''
  resources:
    - secrets
  verbs:
    - create
- apiGroups:
    - ''
  resources:
    - configmaps
  verbs:
    - list
    - watch
- apiGroups:
    - coordination.k8s.io
  resources:
    - leases
  verbs:
    - get
    - update
    - delete
    - list
    - watch
    - create
    - patch
- apiGroups:
    - networking.mesh.io
  resources:
    - gateways
  verbs:
    - create
{{- end }}
