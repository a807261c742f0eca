/**
 * Gateway: names, effective fields, rules.
 *
 * @module
 */
import { eachInSteps } from "../../../kit/base/mod.ts";
import {
  type Gateway,
  GatewaySchema,
  type Port,
  type Server,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { isDnsLabel, type Path } from "../../../kit/text/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import {
  checkHost,
  checkIp,
  checkPort,
  checkProtocol,
  checkSelector,
  checkServerTls,
  checkUnique,
  checkUnixAddress,
  CONFLICT,
  FILE_TLS_FIELDS,
  isTlsProtocol,
  NO_EFFECT,
  REQUIRED,
  UNIX_PREFIX,
} from "../rules/mod.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

/** Fields of TLS to clients, with certificates in files or as credentials. */
const SERVER_TLS_PATHS = [
  ...FILE_TLS_FIELDS,
  "httpsRedirect",
  "credentialName",
  "credentialNames",
  "caCertCredentialName",
];

export const GATEWAY: TabledKind<"Gateway", "gateways", Gateway> = {
  kind: "Gateway",
  ...NETWORKING_API,
  plural: "gateways",
  scope: "namespaced",
  table: "gateways",
  schema: GatewaySchema,
  effective: {
    paths: [
      "selector",
      "servers[].port.number",
      "servers[].port.protocol",
      "servers[].port.name",
      "servers[].bind",
      "servers[].hosts",
      "servers[].name",
      ...SERVER_TLS_PATHS.map((field) => `servers[].tls.${field}`),
    ],
  },
  validate,
};

/** Checks a Gateway's specification. */
function* validate(
  spec: Gateway,
  _identity: ObjectIdentity,
  report: Report,
): Generator<void, void> {
  const path = ["spec", "servers"];
  if (spec.servers.length === 0) {
    report.fail(path, REQUIRED, "the Gateway has no servers", "Add a server.");
  }
  checkSelector(spec.selector, ["spec", "selector"], report);
  yield* eachInSteps(
    spec.servers,
    (server, index) => checkServer(server, [...path, index], report),
  );
  const ports = spec.servers.map(({ port }, index) =>
    [port?.name ?? "", [...path, index, "port", "name"]] as const
  );
  checkUnique(ports.filter(([name]) => name !== ""), "port name", report);
  const names = spec.servers.map(({ name }, index) => [name, [...path, index, "name"]] as const);
  checkUnique(names.filter(([name]) => name !== ""), "server name", report);
}

function checkServer(server: Server, path: Path, report: Report): void {
  if (server.hosts.length === 0) {
    const remedy = 'Name hosts, or "*" for all.';
    report.fail(path, REQUIRED, "the server has no hosts", remedy);
  }
  server.hosts.forEach((host, index) => checkServerHost(host, [...path, "hosts", index], report));
  checkBind(server, path, report);
  if (server.port === undefined) {
    report.fail(path, REQUIRED, "the server has no port", "Give port with number and protocol.");
    return;
  }
  checkServerPort(server.port, server.bind, [...path, "port"], report);
  checkTls(server, server.port, path, report);
}

function checkBind(server: Server, path: Path, report: Report): void {
  const at = [...path, "bind"];
  if (server.bind.startsWith(UNIX_PREFIX)) checkUnixAddress(server.bind, at, report);
  else if (server.bind !== "") checkIp(server.bind, at, report);
}

function checkServerPort(port: Port, bind: string, path: Path, report: Report): void {
  if (!bind.startsWith(UNIX_PREFIX)) checkPort(port.number, [...path, "number"], report);
  if (port.name === "") {
    report.fail(path, REQUIRED, "the port has no name", "Give port.name.");
  }
  if (port.protocol === "") {
    report.fail(path, REQUIRED, "the port has no protocol", "Give port.protocol.");
  }
  checkProtocol(port.protocol, [...path, "protocol"], report);
}

function checkTls(server: Server, port: Port, path: Path, report: Report): void {
  const at = [...path, "tls"];
  const { tls } = server;
  if (isTlsProtocol(port.protocol)) {
    if (tls?.httpsRedirect) {
      const message = "httpsRedirect has no effect on a server that is not HTTP";
      report.warn([...at, "httpsRedirect"], NO_EFFECT, message, "Move it to a server of HTTP.");
    }
    if (tls !== undefined) return checkServerTls(tls, at, report);
    const message = `protocol ${port.protocol} needs tls`;
    report.fail(path, REQUIRED, message, "Give tls with a mode.");
    return;
  }
  if (tls === undefined) return;
  const redirectOnly = tls.httpsRedirect && tls.credentialName === "" &&
    tls.serverCertificate === "" && tls.privateKey === "" && tls.caCertificates === "" &&
    tls.subjectAltNames.length === 0;
  if (redirectOnly && port.protocol.toUpperCase().startsWith("HTTP")) return;
  const message = `tls does not go with protocol ${port.protocol}`;
  report.failKey(at, CONFLICT, message, "Use HTTPS or TLS, or keep httpsRedirect only.");
}

/** Allows `host`, `*` and `*.host`, each with or without `namespace/`. */
function checkServerHost(host: string, path: Path, report: Report): void {
  const parts = host.split("/");
  const [namespace = "", name] = parts.length === 2 ? parts : ["*", host];
  if (parts.length > 2 || name === undefined || name === "") {
    const message = `${JSON.stringify(host)} is not of the form host or namespace/host`;
    report.fail(path, "invalid-host", message, 'Write, for example, "*.example.com".');
    return;
  }
  if (namespace !== "*" && namespace !== "." && !isDnsLabel(namespace)) {
    const message = `${JSON.stringify(namespace)} is not a namespace`;
    report.fail(path, "invalid-name", message, 'Write a namespace, "." or "*".');
  }
  checkHost(name, path, report);
}
