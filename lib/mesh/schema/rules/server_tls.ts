/**
 * Rules of TLS to clients.
 *
 * @module
 */
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as Mode,
  ServerTLSSettings_TLSProtocol as Version,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { CONFLICT, NO_EFFECT, REQUIRED } from "./common.ts";
import { checkCredentialNames } from "./credential_names.ts";

/** Effective fields of TLS to clients whose certificates are files on the proxy's machine. */
export const FILE_TLS_FIELDS: readonly string[] = [
  "mode",
  "serverCertificate",
  "privateKey",
  "caCertificates",
  "caCrl",
  "tlsCertificates[].serverCertificate",
  "tlsCertificates[].privateKey",
  "subjectAltNames",
  "verifyCertificateSpki",
  "verifyCertificateHash",
  "minProtocolVersion",
  "maxProtocolVersion",
  "cipherSuites",
  "ecdhCurves",
  "insecureSkipVerify",
];

/** True for a protocol whose connections are selected by TLS server name. */
export function isTlsProtocol(protocol: string): boolean {
  return protocol.toUpperCase() === "HTTPS" || protocol.toUpperCase() === "TLS";
}

/** Cipher suites up to TLS 1.2 that Envoy knows; those of TLS 1.3 cannot be configured. */
export const CIPHER_SUITES: ReadonlySet<string> = new Set([
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
  "AES128-GCM-SHA256",
  "AES256-GCM-SHA384",
  "AES128-SHA",
  "AES256-SHA",
]);

const MANAGED = ["serverCertificate", "privateKey", "caCertificates"] as const;

/** Warns about suites that are listed twice, and about unknown ones. */
export function checkCipherSuites(suites: readonly string[], path: Path, report: Report): void {
  suites.forEach((suite, index) => {
    if (suites.indexOf(suite) < index) {
      const message = `cipher suite "${suite}" occurs twice`;
      return report.warn([...path, index], "duplicate", message, "Remove one of the two.");
    }
    if (CIPHER_SUITES.has(suite)) return;
    const message = `${JSON.stringify(suite)} is not a cipher suite that Envoy knows`;
    const remedy = "Write one such as ECDHE-RSA-AES128-GCM-SHA256; this one is left out.";
    report.warn([...path, index], "unknown-value", message, remedy);
  });
}

export function checkServerTls(tls: ServerTLSSettings, path: Path, report: Report): void {
  checkVersions(tls, path, report);
  checkCipherSuites(tls.cipherSuites, [...path, "cipherSuites"], report);
  checkCredentialNames([
    [tls.credentialName, [...path, "credentialName"]],
    ...tls.credentialNames.map((name, i) => [name, [...path, "credentialNames", i]] as const),
    [tls.caCertCredentialName, [...path, "caCertCredentialName"]],
  ], report);
  const files = MANAGED.filter((name) => tls[name] !== "");
  const mode = Mode[tls.mode] ?? "";
  const withoutCertificates = tls.mode === Mode.MESH_MUTUAL || tls.mode === Mode.PASSTHROUGH ||
    tls.mode === Mode.AUTO_PASSTHROUGH;
  if (withoutCertificates) {
    const given = files[0] ?? (tls.credentialName === "" ? undefined : "credentialName");
    if (given === undefined) return;
    const message = `${given} does not go with mode ${mode}`;
    if (tls.mode === Mode.MESH_MUTUAL) {
      return report.failKey([...path, given], CONFLICT, message, "Remove it, or use MUTUAL.");
    }
    const remedy = "Remove it, or use SIMPLE or MUTUAL: this mode uses no certificate.";
    return report.warn([...path, given], NO_EFFECT, message, remedy);
  }
  checkCertificates(tls, mode, path, report);
}

function checkVersions(tls: ServerTLSSettings, path: Path, report: Report): void {
  const { minProtocolVersion: min, maxProtocolVersion: max, cipherSuites } = tls;
  const isOld = min === Version.TLSV1_0 || min === Version.TLSV1_1;
  if (isOld && cipherSuites.length === 0) {
    const message = `minProtocolVersion ${Version[min]} has no effect without cipherSuites: ` +
      "the default suites are those of TLS 1.2";
    const remedy = "List cipherSuites of the older versions, or write TLSV1_2.";
    report.warnValue([...path, "minProtocolVersion"], NO_EFFECT, message, remedy);
  }
  if (max === Version.TLS_AUTO || min <= max) return;
  const message = `minProtocolVersion ${Version[min]} is above maxProtocolVersion ${Version[max]}`;
  report.fail([...path, "minProtocolVersion"], CONFLICT, message, "Swap the two.");
}

/**
 * Certificates are configured by credential names, by a list, or by files; these exclude each
 * other.
 */
function checkCertificates(tls: ServerTLSSettings, mode: string, path: Path, report: Report): void {
  const sources = [
    ...(tls.credentialName === "" ? [] : ["credentialName"]),
    ...(tls.credentialNames.length === 0 ? [] : ["credentialNames"]),
    ...(tls.tlsCertificates.length === 0 ? [] : ["tlsCertificates"]),
    ...(tls.serverCertificate === "" && tls.privateKey === "" ? [] : ["serverCertificate"]),
  ];
  const [first, second] = sources;
  if (tls.httpsRedirect && first === undefined && tls.caCertificates === "") return;
  if (second !== undefined) {
    const message = `${first} and ${second} exclude each other`;
    report.failKey([...path, second], CONFLICT, message, "Keep one of the two.");
    return;
  }
  if (first !== undefined && first !== "serverCertificate") return;
  const client = tls.mode === Mode.MUTUAL || tls.mode === Mode.OPTIONAL_MUTUAL;
  const needed = client && tls.caCertCredentialName === "" ? MANAGED : MANAGED.slice(0, 2);
  for (const name of needed) {
    if (tls[name] !== "") continue;
    const remedy = `Give ${name} or credentialName.`;
    report.fail(path, REQUIRED, `mode ${mode} needs ${name}`, remedy);
  }
}
