/**
 * Names of gateways as routes refer to them.
 *
 * @module
 */
import { isDnsSubdomain, isFqdn, type Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";

/** The reserved name of all sidecars. */
export const MESH_GATEWAY = "mesh";

/** Checks names of gateways: `mesh`, `name` or `namespace/name`. */
export function checkGatewayNames(names: readonly string[], path: Path, report: Report): void {
  names.forEach((name, index) => {
    const at = [...path, index];
    const parts = name.split("/");
    if (parts.length === 1 && isFqdn(name)) {
      if (name.includes(".")) {
        const message = `"${name}" names a gateway with dots`;
        report.warnValue(at, "deprecated", message, "Write namespace/name.");
      }
      return;
    }
    if (parts.length === 2 && parts.every(isDnsSubdomain)) return;
    const message = `${JSON.stringify(name)} does not name a gateway`;
    report.fail(at, "invalid-name", message, "Write name, namespace/name or mesh.");
  });
}
