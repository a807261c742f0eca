/**
 * Rules of credential names.
 *
 * @module
 */
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";

/** Prefixes of credentials that are not served, each with the reason. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  "kubernetes-gateway://": "secrets are read by their names only",
  "configmap://": "ConfigMaps are not read for credentials",
};

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

/** Warns about names whose prefix selects a source that is not served. Empty names are left out. */
export function checkCredentialNames(
  names: readonly (readonly [name: string, path: Path])[],
  report: Report,
): void {
  for (const [name, path] of names) {
    const prefix = Object.keys(NOT_SERVED).find((prefix) => name.startsWith(prefix));
    if (prefix === undefined) continue;
    const message = `${JSON.stringify(name)} has no effect: ${NOT_SERVED[prefix]}`;
    report.warn(path, "no-effect", message, REMEDY);
  }
}
