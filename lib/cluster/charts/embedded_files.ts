// Written by `deno task charts`; do not edit.
import F0 from "../../../charts/base/Chart.yaml" with { type: "text" };
import F1 from "../../../charts/base/files/definitions.yaml" with { type: "text" };
import F2 from "../../../charts/base/templates/definitions.yaml" with { type: "text" };
import F3 from "../../../charts/base/values.yaml" with { type: "text" };

/** Path below `charts/` → text. */
export const EMBEDDED_FILES: Readonly<Record<string, string>> = {
  "base/Chart.yaml": F0,
  "base/files/definitions.yaml": F1,
  "base/templates/definitions.yaml": F2,
  "base/values.yaml": F3,
};
