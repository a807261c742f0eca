// Written by `deno task charts`; do not edit.
import F0 from "../../../charts/base/Chart.yaml" with { type: "text" };
import F1 from "../../../charts/base/files/definitions/authorizationpolicies.security.mesh.io.yaml" with { type: "text" };
import F2 from "../../../charts/base/files/definitions/dataproxyfilters.networking.mesh.io.yaml" with { type: "text" };
import F3 from "../../../charts/base/files/definitions/destinationrules.networking.mesh.io.yaml" with { type: "text" };
import F4 from "../../../charts/base/files/definitions/gateways.networking.mesh.io.yaml" with { type: "text" };
import F5 from "../../../charts/base/files/definitions/peerauthentications.security.mesh.io.yaml" with { type: "text" };
import F6 from "../../../charts/base/files/definitions/proxyconfigs.networking.mesh.io.yaml" with { type: "text" };
import F7 from "../../../charts/base/files/definitions/requestauthentications.security.mesh.io.yaml" with { type: "text" };
import F8 from "../../../charts/base/files/definitions/serviceentries.networking.mesh.io.yaml" with { type: "text" };
import F9 from "../../../charts/base/files/definitions/sidecars.networking.mesh.io.yaml" with { type: "text" };
import F10 from "../../../charts/base/files/definitions/telemetries.telemetry.mesh.io.yaml" with { type: "text" };
import F11 from "../../../charts/base/files/definitions/virtualservices.networking.mesh.io.yaml" with { type: "text" };
import F12 from "../../../charts/base/files/definitions/wasmplugins.extensions.mesh.io.yaml" with { type: "text" };
import F13 from "../../../charts/base/files/definitions/workloadentries.networking.mesh.io.yaml" with { type: "text" };
import F14 from "../../../charts/base/files/definitions/workloadgroups.networking.mesh.io.yaml" with { type: "text" };
import F15 from "../../../charts/base/templates/NOTES.txt" with { type: "text" };
import F16 from "../../../charts/base/templates/_helpers.tpl" with { type: "text" };
import F17 from "../../../charts/base/templates/_rules.tpl" with { type: "text" };
import F18 from "../../../charts/base/templates/definitions.yaml" with { type: "text" };
import F19 from "../../../charts/base/templates/reader.yaml" with { type: "text" };
import F20 from "../../../charts/base/templates/validation.yaml" with { type: "text" };
import F21 from "../../../charts/base/values.schema.json" with { type: "text" };
import F22 from "../../../charts/base/values.yaml" with { type: "text" };
import F23 from "../../../charts/cni/Chart.yaml" with { type: "text" };
import F24 from "../../../charts/cni/templates/NOTES.txt" with { type: "text" };
import F25 from "../../../charts/cni/templates/_helpers.tpl" with { type: "text" };
import F26 from "../../../charts/cni/templates/_rules.tpl" with { type: "text" };
import F27 from "../../../charts/cni/templates/configmap.yaml" with { type: "text" };
import F28 from "../../../charts/cni/templates/daemonset.yaml" with { type: "text" };
import F29 from "../../../charts/cni/templates/monitors.yaml" with { type: "text" };
import F30 from "../../../charts/cni/templates/multus.yaml" with { type: "text" };
import F31 from "../../../charts/cni/templates/quota.yaml" with { type: "text" };
import F32 from "../../../charts/cni/templates/roles.yaml" with { type: "text" };
import F33 from "../../../charts/cni/templates/serviceaccount.yaml" with { type: "text" };
import F34 from "../../../charts/cni/values.schema.json" with { type: "text" };
import F35 from "../../../charts/cni/values.yaml" with { type: "text" };
import F36 from "../../../charts/gateway/Chart.yaml" with { type: "text" };
import F37 from "../../../charts/gateway/templates/NOTES.txt" with { type: "text" };
import F38 from "../../../charts/gateway/templates/_helpers.tpl" with { type: "text" };
import F39 from "../../../charts/gateway/templates/account.yaml" with { type: "text" };
import F40 from "../../../charts/gateway/templates/autoscale.yaml" with { type: "text" };
import F41 from "../../../charts/gateway/templates/deployment.yaml" with { type: "text" };
import F42 from "../../../charts/gateway/templates/networkpolicy.yaml" with { type: "text" };
import F43 from "../../../charts/gateway/templates/service.yaml" with { type: "text" };
import F44 from "../../../charts/gateway/values.schema.json" with { type: "text" };
import F45 from "../../../charts/gateway/values.yaml" with { type: "text" };
import F46 from "../../../charts/meshd/Chart.yaml" with { type: "text" };
import F47 from "../../../charts/meshd/templates/NOTES.txt" with { type: "text" };
import F48 from "../../../charts/meshd/templates/_helpers.tpl" with { type: "text" };
import F49 from "../../../charts/meshd/templates/_rules.tpl" with { type: "text" };
import F50 from "../../../charts/meshd/templates/autoscale.yaml" with { type: "text" };
import F51 from "../../../charts/meshd/templates/configmap.yaml" with { type: "text" };
import F52 from "../../../charts/meshd/templates/deployment.yaml" with { type: "text" };
import F53 from "../../../charts/meshd/templates/injector-configmap.yaml" with { type: "text" };
import F54 from "../../../charts/meshd/templates/monitors.yaml" with { type: "text" };
import F55 from "../../../charts/meshd/templates/networkpolicy.yaml" with { type: "text" };
import F56 from "../../../charts/meshd/templates/roles.yaml" with { type: "text" };
import F57 from "../../../charts/meshd/templates/service.yaml" with { type: "text" };
import F58 from "../../../charts/meshd/templates/serviceaccount.yaml" with { type: "text" };
import F59 from "../../../charts/meshd/templates/webhooks.yaml" with { type: "text" };
import F60 from "../../../charts/meshd/templates/zzz_pilot.yaml" with { type: "text" };
import F61 from "../../../charts/meshd/values.schema.json" with { type: "text" };
import F62 from "../../../charts/meshd/values.yaml" with { type: "text" };
import F63 from "../../../charts/profiles/ambient.yaml" with { type: "text" };
import F64 from "../../../charts/profiles/default.yaml" with { type: "text" };
import F65 from "../../../charts/profiles/demo.yaml" with { type: "text" };
import F66 from "../../../charts/profiles/empty.yaml" with { type: "text" };
import F67 from "../../../charts/profiles/minimal.yaml" with { type: "text" };
import F68 from "../../../charts/profiles/openshift-ambient.yaml" with { type: "text" };
import F69 from "../../../charts/profiles/openshift.yaml" with { type: "text" };
import F70 from "../../../charts/profiles/platform-gke.yaml" with { type: "text" };
import F71 from "../../../charts/profiles/platform-k3d.yaml" with { type: "text" };
import F72 from "../../../charts/profiles/platform-k3s.yaml" with { type: "text" };
import F73 from "../../../charts/profiles/platform-microk8s.yaml" with { type: "text" };
import F74 from "../../../charts/profiles/platform-minikube.yaml" with { type: "text" };
import F75 from "../../../charts/profiles/platform-openshift.yaml" with { type: "text" };
import F76 from "../../../charts/profiles/preview.yaml" with { type: "text" };
import F77 from "../../../charts/profiles/remote.yaml" with { type: "text" };
import F78 from "../../../charts/profiles/stable.yaml" with { type: "text" };
import F79 from "../../../charts/ztunnel/Chart.yaml" with { type: "text" };
import F80 from "../../../charts/ztunnel/templates/NOTES.txt" with { type: "text" };
import F81 from "../../../charts/ztunnel/templates/_helpers.tpl" with { type: "text" };
import F82 from "../../../charts/ztunnel/templates/daemonset.yaml" with { type: "text" };
import F83 from "../../../charts/ztunnel/templates/monitors.yaml" with { type: "text" };
import F84 from "../../../charts/ztunnel/templates/quota.yaml" with { type: "text" };
import F85 from "../../../charts/ztunnel/templates/roles.yaml" with { type: "text" };
import F86 from "../../../charts/ztunnel/templates/serviceaccount.yaml" with { type: "text" };
import F87 from "../../../charts/ztunnel/values.schema.json" with { type: "text" };
import F88 from "../../../charts/ztunnel/values.yaml" with { type: "text" };

/** Path below `charts/` → text. */
export const EMBEDDED_FILES: Readonly<Record<string, string>> = {
  "base/Chart.yaml": F0,
  "base/files/definitions/authorizationpolicies.security.mesh.io.yaml": F1,
  "base/files/definitions/dataproxyfilters.networking.mesh.io.yaml": F2,
  "base/files/definitions/destinationrules.networking.mesh.io.yaml": F3,
  "base/files/definitions/gateways.networking.mesh.io.yaml": F4,
  "base/files/definitions/peerauthentications.security.mesh.io.yaml": F5,
  "base/files/definitions/proxyconfigs.networking.mesh.io.yaml": F6,
  "base/files/definitions/requestauthentications.security.mesh.io.yaml": F7,
  "base/files/definitions/serviceentries.networking.mesh.io.yaml": F8,
  "base/files/definitions/sidecars.networking.mesh.io.yaml": F9,
  "base/files/definitions/telemetries.telemetry.mesh.io.yaml": F10,
  "base/files/definitions/virtualservices.networking.mesh.io.yaml": F11,
  "base/files/definitions/wasmplugins.extensions.mesh.io.yaml": F12,
  "base/files/definitions/workloadentries.networking.mesh.io.yaml": F13,
  "base/files/definitions/workloadgroups.networking.mesh.io.yaml": F14,
  "base/templates/NOTES.txt": F15,
  "base/templates/_helpers.tpl": F16,
  "base/templates/_rules.tpl": F17,
  "base/templates/definitions.yaml": F18,
  "base/templates/reader.yaml": F19,
  "base/templates/validation.yaml": F20,
  "base/values.schema.json": F21,
  "base/values.yaml": F22,
  "cni/Chart.yaml": F23,
  "cni/templates/NOTES.txt": F24,
  "cni/templates/_helpers.tpl": F25,
  "cni/templates/_rules.tpl": F26,
  "cni/templates/configmap.yaml": F27,
  "cni/templates/daemonset.yaml": F28,
  "cni/templates/monitors.yaml": F29,
  "cni/templates/multus.yaml": F30,
  "cni/templates/quota.yaml": F31,
  "cni/templates/roles.yaml": F32,
  "cni/templates/serviceaccount.yaml": F33,
  "cni/values.schema.json": F34,
  "cni/values.yaml": F35,
  "gateway/Chart.yaml": F36,
  "gateway/templates/NOTES.txt": F37,
  "gateway/templates/_helpers.tpl": F38,
  "gateway/templates/account.yaml": F39,
  "gateway/templates/autoscale.yaml": F40,
  "gateway/templates/deployment.yaml": F41,
  "gateway/templates/networkpolicy.yaml": F42,
  "gateway/templates/service.yaml": F43,
  "gateway/values.schema.json": F44,
  "gateway/values.yaml": F45,
  "meshd/Chart.yaml": F46,
  "meshd/templates/NOTES.txt": F47,
  "meshd/templates/_helpers.tpl": F48,
  "meshd/templates/_rules.tpl": F49,
  "meshd/templates/autoscale.yaml": F50,
  "meshd/templates/configmap.yaml": F51,
  "meshd/templates/deployment.yaml": F52,
  "meshd/templates/injector-configmap.yaml": F53,
  "meshd/templates/monitors.yaml": F54,
  "meshd/templates/networkpolicy.yaml": F55,
  "meshd/templates/roles.yaml": F56,
  "meshd/templates/service.yaml": F57,
  "meshd/templates/serviceaccount.yaml": F58,
  "meshd/templates/webhooks.yaml": F59,
  "meshd/templates/zzz_pilot.yaml": F60,
  "meshd/values.schema.json": F61,
  "meshd/values.yaml": F62,
  "profiles/ambient.yaml": F63,
  "profiles/default.yaml": F64,
  "profiles/demo.yaml": F65,
  "profiles/empty.yaml": F66,
  "profiles/minimal.yaml": F67,
  "profiles/openshift-ambient.yaml": F68,
  "profiles/openshift.yaml": F69,
  "profiles/platform-gke.yaml": F70,
  "profiles/platform-k3d.yaml": F71,
  "profiles/platform-k3s.yaml": F72,
  "profiles/platform-microk8s.yaml": F73,
  "profiles/platform-minikube.yaml": F74,
  "profiles/platform-openshift.yaml": F75,
  "profiles/preview.yaml": F76,
  "profiles/remote.yaml": F77,
  "profiles/stable.yaml": F78,
  "ztunnel/Chart.yaml": F79,
  "ztunnel/templates/NOTES.txt": F80,
  "ztunnel/templates/_helpers.tpl": F81,
  "ztunnel/templates/daemonset.yaml": F82,
  "ztunnel/templates/monitors.yaml": F83,
  "ztunnel/templates/quota.yaml": F84,
  "ztunnel/templates/roles.yaml": F85,
  "ztunnel/templates/serviceaccount.yaml": F86,
  "ztunnel/values.schema.json": F87,
  "ztunnel/values.yaml": F88,
};
