/**
 * Rules of `configSources` of the mesh configuration: directories (`fs://DIR`) and other control
 * planes (`xds://HOST:PORT`).
 *
 * @module
 */
import type { ConfigSource, MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import type { Report } from "../problem.ts";
import { INVALID, REQUIRED } from "../rules/common.ts";

/** The directory of a configuration source `fs://DIR`; `undefined` for other sources. */
export function directoryOf(address: string): string | undefined {
  const scheme = "fs://";
  return address.startsWith(scheme) && address.length > scheme.length
    ? address.slice(scheme.length)
    : undefined;
}

/** `host:port`; IPv6 addresses are in brackets. */
const CONTROL_PLANE = /^xds:\/\/((?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#[\]]+):([0-9]{1,5}))$/;

/** `HOST:PORT` of a configuration source `xds://HOST:PORT`; `undefined` for other sources. */
export function controlPlaneOf(address: string): string | undefined {
  const [, target, port] = CONTROL_PLANE.exec(address) ?? [];
  return Number(port) > 0 && Number(port) < 65_536 ? target : undefined;
}

/** Known configuration sources that are not supported, with the reason. */
const UNREAD_SOURCES: Readonly<Record<string, string>> = {
  "k8s:": "the orchestrator comes from --orchconfig or from the pod of the daemon",
};

/** Checks configuration sources; unsupported ones give a warning with the reason. */
export function checkSources({ configSources }: MeshConfig, report: Report): void {
  const seen = new Set<string>();
  configSources.forEach(({ address, tlsSettings }, index) => {
    const path = ["configSources", index];
    if (controlPlaneOf(address) !== undefined) {
      if (tlsSettings) checkTls(tlsSettings, [...path, "tlsSettings"], report);
      if (seen.has(address)) {
        const message = `source ${JSON.stringify(address)} is listed already`;
        report.fail([...path, "address"], INVALID, message, "Remove one of the two.");
      }
      seen.add(address);
      return;
    }
    checkOther({ address, tlsSettings }, path, report);
  });
}

function checkOther(
  { address, tlsSettings }: Pick<ConfigSource, "address" | "tlsSettings">,
  path: Path,
  report: Report,
): void {
  if (tlsSettings) {
    const message = "tlsSettings have no effect on a source that is no control plane";
    report.warn([...path, "tlsSettings"], "no-effect", message, "Remove them.");
  }
  if (directoryOf(address) !== undefined) return;
  const at = [...path, "address"];
  const scheme = address.slice(0, address.indexOf(":") + 1);
  const remedy = "Name a directory, such as fs:///etc/mesh/conf, or a control plane, such as " +
    "xds://meshd.example:15012; or remove it.";
  if (address === "" || scheme === "fs:") {
    report.fail(at, INVALID, "the source names no directory", remedy);
  } else if (scheme === "xds:") {
    report.fail(at, INVALID, "the source names no host and port", remedy);
  } else {
    const why = UNREAD_SOURCES[scheme] ?? "it is of no kind that is known";
    const message = `source ${JSON.stringify(address)} does nothing: ${why}`;
    report.warn(at, "no-effect", message, remedy);
  }
}

/**
 * Checks how a control plane is connected to. Settings that the client cannot follow are refused: a
 * connection that is less safe than its settings would not be noticed.
 */
function checkTls(tls: ClientTLSSettings, path: Path, report: Report): void {
  const refuse = (field: string, message: string, remedy: string): void =>
    report.fail([...path, field], INVALID, message, remedy);
  if (tls.mode === Mode.MESH_MUTUAL) {
    const remedy = "Use MUTUAL, with clientCertificate and privateKey.";
    refuse("mode", "mode MESH_MUTUAL is not supported for a configuration source", remedy);
  }
  if (tls.credentialName !== "") {
    const message = "credentialName is not supported for a configuration source";
    refuse("credentialName", message, "Name files.");
  }
  if (tls.insecureSkipVerify === true) {
    const message = "the certificate of a configuration source is always verified";
    refuse("insecureSkipVerify", message, "Remove it, and give caCertificates.");
  }
  if (tls.caCrl !== "") {
    refuse("caCrl", "caCrl is not supported for a configuration source", "Remove it.");
  }
  if (tls.subjectAltNames.length > 1 || tls.subjectAltNames.some((name) => name.includes("/"))) {
    const message = "the certificate of a configuration source is verified for one DNS name";
    refuse("subjectAltNames", message, "Give one DNS name or IP address.");
  }
  const [name] = tls.subjectAltNames;
  if (name !== undefined && tls.sni !== "" && tls.sni !== name) {
    const message = "sni and subjectAltNames name different servers, which is not supported";
    refuse("sni", message, "Give one of the two.");
  }
  if (tls.mode === Mode.DISABLE) return;
  const files = tls.mode === Mode.MUTUAL
    ? ["caCertificates", "clientCertificate", "privateKey"] as const
    : ["caCertificates"] as const;
  for (const field of files) {
    if (tls[field] !== "" || tls.mode === Mode.MESH_MUTUAL) continue;
    const message = `TLS to a configuration source needs ${field}`;
    report.fail([...path, field], REQUIRED, message, `Give the path of a PEM file.`);
  }
}
