/**
 * XBackend and XMesh: names, effective fields, rules.
 *
 * @module
 */
import {
  type XBackend,
  XBackendSchema,
  type XBackendTLS,
  type XMesh,
  XMeshSchema,
} from "#mesh/gateway/v1/backend_pb.ts";
import { isIp, type Path } from "../../../../kit/text/mod.ts";
import type { TabledKind } from "../../kind.ts";
import type { Report } from "../../problem.ts";
import { checkHost, checkPort, CONFLICT, INVALID, REQUIRED } from "../../rules/mod.ts";
import { checkControllerName, checkObjectName, checkOneOf, checkRequiredOneOf } from "./common.ts";
import { checkTlsValidation } from "./policies.ts";

const GROUP = "gateway.networking.x-k8s.io";
const PROTOCOLS = ["HTTP", "HTTP11", "HTTP2", "H2C", "TCP", "MCP"];
const MODES = ["None", "ServerOnly", "ClientAndServer"];

export const X_BACKEND: TabledKind<"XBackend", "backends", XBackend> = {
  kind: "XBackend",
  group: GROUP,
  scope: "namespaced",
  versions: ["v1alpha1"],
  plural: "xbackends",
  table: "backends",
  schema: XBackendSchema,
  effective: {
    paths: ["type", "port", "externalHostname", "protocol", "tls.mode", "tls.validation"],
  },
  validate: ({ type, port, externalHostname, protocol, tls }, _identity, report) => {
    checkRequiredOneOf(type, ["ExternalHostname"], ["spec", "type"], report);
    checkOneOf(protocol, PROTOCOLS, ["spec", "protocol"], report);
    if (port === undefined) {
      report.fail(["spec", "port"], REQUIRED, "there is no port", "Give a port.");
    } else checkPort(port.port, ["spec", "port", "port"], report);
    const path = ["spec", "externalHostname"];
    if (externalHostname === undefined) {
      report.fail(path, REQUIRED, "there is no host", "Give externalHostname.hostname.");
    } else checkExternalHost(externalHostname.hostname, [...path, "hostname"], report);
    if (tls !== undefined) checkTls(tls, ["spec", "tls"], report);
  },
};

function checkExternalHost(host: string, path: Path, report: Report): void {
  if (isIp(host) || host.endsWith(".cluster.local")) {
    const message = `${JSON.stringify(host)} is not the name of a host outside of the cluster`;
    report.fail(path, INVALID, message, "Write the DNS name of an external host.");
  } else checkHost(host, path, report, "exact");
}

function checkTls(
  { mode, clientCertificateRef, validation }: XBackendTLS,
  path: Path,
  report: Report,
) {
  checkRequiredOneOf(mode, MODES, [...path, "mode"], report);
  if ((mode === "ClientAndServer") !== (clientCertificateRef !== undefined)) {
    const message = "clientCertificateRef is given exactly with the mode ClientAndServer";
    report.fail([...path, "clientCertificateRef"], CONFLICT, message, "Change the mode.");
  }
  if (validation !== undefined) checkTlsValidation(validation, [...path, "validation"], report);
}

export const X_MESH: TabledKind<"XMesh", "meshes", XMesh> = {
  kind: "XMesh",
  group: GROUP,
  scope: "cluster",
  versions: ["v1alpha1"],
  plural: "xmeshes",
  table: "meshes",
  schema: XMeshSchema,
  effective: { paths: ["controllerName", "parametersRef", "description"] },
  validate: ({ controllerName, parametersRef }, _identity, report) => {
    checkControllerName(controllerName, report);
    if (parametersRef) {
      checkObjectName(parametersRef.name, ["spec", "parametersRef", "name"], report);
    }
  },
};
