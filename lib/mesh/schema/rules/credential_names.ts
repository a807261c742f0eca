/**
 * Rules of credential names.
 *
 * @module
 */
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";

/** Prefixes of credentials that references of the Gateway API allow. */
const REFERRED = ["kubernetes-gateway://", "configmap://"];

const REMEDY =
  "Give the name of a secret without a prefix: of the orchestrator, in the namespace of the proxy, " +
  "or in the folder MESH_CREDENTIAL_DIR of the daemon; or give files.";

/** Prefix of secrets that a program on a gateway's machine serves. */
const EXTERNAL = "sds://";

/** Warns about names of clients' certificates that only servers of Gateways can have. */
export function checkClientCredential(name: string, path: Path, report: Report): void {
  checkCredentialNames([[name, path]], report);
  if (!name.startsWith(EXTERNAL)) return;
  const message =
    `${JSON.stringify(name)} has no effect: only servers of Gateways use secrets of ` +
    "another provider";
  report.warn(path, "no-effect", message, REMEDY);
}

/** Warns about names that are not served without an object of the Gateway API. Empty names are left out. */
export function checkCredentialNames(
  names: readonly (readonly [name: string, path: Path])[],
  report: Report,
): void {
  for (const [name, path] of names) {
    if (!REFERRED.some((prefix) => name.startsWith(prefix))) continue;
    const message =
      `${JSON.stringify(name)} has an effect only where an object of the Gateway API ` +
      "refers to it";
    report.warn(path, "no-effect", message, REMEDY);
  }
}
