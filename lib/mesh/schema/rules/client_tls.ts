/**
 * Rules of TLS to a service.
 *
 * @module
 */
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { CONFLICT, REQUIRED } from "./common.ts";
import { checkClientCredential } from "./credential_names.ts";

const FILES = ["clientCertificate", "privateKey", "caCertificates"] as const;

export function checkClientTls(tls: ClientTLSSettings, path: Path, report: Report): void {
  checkClientCredential(tls.credentialName, [...path, "credentialName"], report);
  const files = FILES.filter((name) => tls[name] !== "");
  if (tls.mode === Mode.MESH_MUTUAL && files[0] !== undefined) {
    const message = `${files[0]} does not go with mode MESH_MUTUAL`;
    report.failKey([...path, files[0]], CONFLICT, message, "Remove it, or use MUTUAL.");
  }
  if (tls.credentialName !== "" && files[0] !== undefined) {
    const message = `credentialName and ${files[0]} exclude each other`;
    report.failKey([...path, files[0]], CONFLICT, message, "Keep one of the two.");
  }
  if (tls.mode !== Mode.MUTUAL || tls.credentialName !== "") return;
  for (const name of ["clientCertificate", "privateKey"] as const) {
    if (tls[name] !== "") continue;
    const message = `mode MUTUAL needs ${name}`;
    report.fail(path, REQUIRED, message, `Give ${name} or credentialName.`);
  }
}
