// Written by `deno task charts`; do not edit.
import F0 from "../../../charts/base/Chart.yaml" with { type: "text" };
import F1 from "../../../charts/base/files/definitions.yaml" with { type: "text" };
import F2 from "../../../charts/base/templates/definitions.yaml" with { type: "text" };
import F3 from "../../../charts/base/values.yaml" with { type: "text" };
import F4 from "../../../charts/profiles/default.yaml" with { type: "text" };
import F5 from "../../../charts/profiles/demo.yaml" with { type: "text" };
import F6 from "../../../charts/profiles/empty.yaml" with { type: "text" };
import F7 from "../../../charts/profiles/minimal.yaml" with { type: "text" };
import F8 from "../../../charts/profiles/openshift.yaml" with { type: "text" };
import F9 from "../../../charts/profiles/platform-gke.yaml" with { type: "text" };
import F10 from "../../../charts/profiles/platform-k3d.yaml" with { type: "text" };
import F11 from "../../../charts/profiles/platform-k3s.yaml" with { type: "text" };
import F12 from "../../../charts/profiles/platform-microk8s.yaml" with { type: "text" };
import F13 from "../../../charts/profiles/platform-minikube.yaml" with { type: "text" };
import F14 from "../../../charts/profiles/platform-openshift.yaml" with { type: "text" };
import F15 from "../../../charts/profiles/preview.yaml" with { type: "text" };
import F16 from "../../../charts/profiles/remote.yaml" with { type: "text" };

/** Path below `charts/` → text. */
export const EMBEDDED_FILES: Readonly<Record<string, string>> = {
  "base/Chart.yaml": F0,
  "base/files/definitions.yaml": F1,
  "base/templates/definitions.yaml": F2,
  "base/values.yaml": F3,
  "profiles/default.yaml": F4,
  "profiles/demo.yaml": F5,
  "profiles/empty.yaml": F6,
  "profiles/minimal.yaml": F7,
  "profiles/openshift.yaml": F8,
  "profiles/platform-gke.yaml": F9,
  "profiles/platform-k3d.yaml": F10,
  "profiles/platform-k3s.yaml": F11,
  "profiles/platform-microk8s.yaml": F12,
  "profiles/platform-minikube.yaml": F13,
  "profiles/platform-openshift.yaml": F14,
  "profiles/preview.yaml": F15,
  "profiles/remote.yaml": F16,
};
