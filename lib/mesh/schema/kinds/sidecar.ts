/**
 * Sidecar: names, effective fields, rules.
 *
 * @module
 */
import { type ConnectionPoolSettings } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  CaptureMode,
  type MeshEgressListener,
  type MeshIngressListener,
  OutboundTrafficPolicy_Mode as Mode,
  type Sidecar,
  type SidecarPort,
  SidecarSchema,
} from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { isDnsLabel, type Path } from "../../../kit/text/mod.ts";
import {
  checkConnectionPool,
  checkDestination,
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
  INVALID,
  isTlsProtocol,
  NO_EFFECT,
  REQUIRED,
  UNIX_PREFIX,
  warnEmptySelector,
} from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const SIDECAR: TabledKind<"Sidecar", "sidecars", Sidecar> = {
  kind: "Sidecar",
  ...NETWORKING_API,
  plural: "sidecars",
  scope: "namespaced",
  table: "sidecars",
  schema: SidecarSchema,
  effective: {
    paths: [
      "workloadSelector",
      "ingress[].port.number",
      "ingress[].port.protocol",
      "ingress[].port.name",
      "ingress[].bind",
      "ingress[].captureMode",
      "ingress[].defaultEndpoint",
      "egress[].port.number",
      "egress[].port.protocol",
      "egress[].port.name",
      "egress[].bind",
      "egress[].captureMode",
      "egress[].hosts",
      "outboundTrafficPolicy.mode",
      "outboundTrafficPolicy.egressProxy",
      "inboundConnectionPool",
      "ingress[].connectionPool",
      ...FILE_TLS_FIELDS.map((field) => `ingress[].tls.${field}`),
    ],
    ineffectiveValues: { "ingress[].tls.mode": ["PASSTHROUGH", "AUTO_PASSTHROUGH", "MESH_MUTUAL"] },
  },
  validate,
};

/** Checks a Sidecar's specification. */
function validate(spec: Sidecar, _identity: ObjectIdentity, report: Report): void {
  warnEmptySelector(spec.workloadSelector, ["spec", "workloadSelector"], report);
  if (spec.workloadSelector !== undefined) {
    checkSelector(spec.workloadSelector.labels, ["spec", "workloadSelector", "labels"], report);
  }
  const policy = spec.outboundTrafficPolicy;
  const empty = spec.egress.length === 0 && spec.ingress.length === 0 && policy === undefined &&
    spec.inboundConnectionPool === undefined;
  if (empty) {
    const remedy = "Add ingress, egress or outboundTrafficPolicy.";
    report.fail(["spec"], REQUIRED, "the Sidecar sets nothing", remedy);
  }
  checkPool(spec.inboundConnectionPool, ["spec", "inboundConnectionPool"], report);
  checkIngress(spec.ingress, report);
  checkEgress(spec.egress, report);
  if (policy?.egressProxy === undefined) return;
  const path = ["spec", "outboundTrafficPolicy", "egressProxy"];
  checkDestination(policy.egressProxy, path, report);
  if (policy.mode !== Mode.ALLOW_ANY) {
    report.failKey(path, CONFLICT, "egressProxy goes with mode ALLOW_ANY only", "Set that mode.");
  }
}

function checkPool(pool: ConnectionPoolSettings | undefined, path: Path, report: Report): void {
  if (pool !== undefined) checkConnectionPool(pool, path, report);
}

function checkIngress(listeners: readonly MeshIngressListener[], report: Report): void {
  listeners.forEach((listener, index) => {
    const path = ["spec", "ingress", index];
    if (listener.port === undefined) {
      report.fail(path, REQUIRED, "an ingress listener needs a port", "Give port.number.");
    } else checkListenerPort(listener.port, [...path, "port"], report);
    if (listener.bind.startsWith(UNIX_PREFIX)) {
      const message = "an ingress listener binds to an IP address";
      report.fail([...path, "bind"], "invalid-address", message, "Write an IP address.");
    } else if (listener.bind !== "") checkIp(listener.bind, [...path, "bind"], report);
    checkDefaultEndpoint(listener.defaultEndpoint, [...path, "defaultEndpoint"], report);
    checkPool(listener.connectionPool, [...path, "connectionPool"], report);
    warnHttpPool(listener, [...path, "connectionPool", "http"], report);
    checkIngressTls(listener, path, report);
  });
  const ports = listeners.map(({ port }, index) =>
    [port?.number ?? 0, ["spec", "ingress", index, "port", "number"]] as const
  );
  checkUnique(ports.filter(([port]) => port !== 0), "port", report);
}

/** Warns about HTTP settings of a port that carries no HTTP. */
function warnHttpPool(
  { connectionPool, port }: MeshIngressListener,
  path: Path,
  report: Report,
): void {
  const protocol = port?.protocol ?? "";
  if (connectionPool?.http === undefined || protocol === "") return;
  if (/^(HTTP|GRPC)/.test(protocol.toUpperCase())) return;
  const message = `settings of HTTP have no effect on a port of protocol ${protocol}`;
  report.warn(path, NO_EFFECT, message, "Remove them, or change the protocol of the port.");
}

function checkIngressTls(listener: MeshIngressListener, path: Path, report: Report): void {
  if (listener.tls === undefined) return;
  checkServerTls(listener.tls, [...path, "tls"], report);
  if (isTlsProtocol(listener.port?.protocol ?? "")) return;
  const message = "tls goes with a port of protocol HTTPS or TLS";
  report.failKey([...path, "tls"], CONFLICT, message, "Change the port's protocol.");
}

function checkListenerPort(port: SidecarPort, path: Path, report: Report): void {
  checkPort(port.number, [...path, "number"], report);
  checkProtocol(port.protocol, [...path, "protocol"], report);
  if (port.name === "" || isDnsLabel(port.name.toLowerCase())) return;
  const message = `${JSON.stringify(port.name)} is not a port name`;
  report.fail([...path, "name"], "invalid-name", message, "Use letters, digits and '-'.");
}

const LOCAL_ADDRESSES = new Set(["127.0.0.1", "0.0.0.0", "[::1]", "[::]"]);

/** The default endpoint must be an address of the workload itself, or a Unix socket. */
function checkDefaultEndpoint(endpoint: string, path: Path, report: Report): void {
  if (endpoint === "") return;
  if (endpoint.startsWith(UNIX_PREFIX)) return checkUnixAddress(endpoint, path, report);
  const colon = endpoint.lastIndexOf(":");
  const address = endpoint.slice(0, colon);
  const port = endpoint.slice(colon + 1);
  if (colon < 0 || !LOCAL_ADDRESSES.has(address) || !/^\d+$/.test(port)) {
    const message = `${JSON.stringify(endpoint)} is not an endpoint of the workload`;
    const remedy = "Write 127.0.0.1:PORT, [::1]:PORT, 0.0.0.0:PORT, [::]:PORT or unix:///path.";
    report.fail(path, "invalid-address", message, remedy);
  } else checkPort(Number(port), path, report);
}

function checkEgress(listeners: readonly MeshEgressListener[], report: Report): void {
  listeners.forEach((listener, index) => {
    const path = ["spec", "egress", index];
    if (listener.port === undefined) checkPortless(listener, path, report);
    else checkEgressPort(listener, listener.port, path, report);
    if (listener.hosts.length === 0) {
      const remedy = 'Name hosts as namespace/host, for example "./*".';
      report.fail(path, REQUIRED, "an egress listener needs hosts", remedy);
    }
    checkEgressHosts(listener.hosts, [...path, "hosts"], report);
  });
  const catchAll = listeners.flatMap(({ port }, index) =>
    port === undefined ? [["listener without port", ["spec", "egress", index]] as const] : []
  );
  checkUnique(catchAll, "egress", report);
  const binds = listeners.flatMap(({ port, bind }, index) =>
    port === undefined || bind.startsWith(UNIX_PREFIX)
      ? []
      : [[`${bind}:${port.number}`, ["spec", "egress", index, "port"]] as const]
  );
  checkUnique(binds, "egress listener", report);
}

function checkPortless(listener: MeshEgressListener, path: Path, report: Report): void {
  const remedy = "Give the listener a port.";
  if (listener.bind !== "") {
    report.failKey([...path, "bind"], CONFLICT, "bind needs a port", remedy);
  }
  if (listener.captureMode !== CaptureMode.DEFAULT) {
    report.failKey([...path, "captureMode"], CONFLICT, "captureMode needs a port", remedy);
  }
}

function checkEgressPort(
  listener: MeshEgressListener,
  port: SidecarPort,
  path: Path,
  report: Report,
): void {
  const { bind } = listener;
  const numberPath = [...path, "port", "number"];
  if (bind.startsWith(UNIX_PREFIX)) {
    checkUnixAddress(bind, [...path, "bind"], report);
    checkProtocol(port.protocol, [...path, "port", "protocol"], report);
    if (port.number !== 0) {
      const message = "a listener on a Unix socket has port number 0";
      report.fail(numberPath, CONFLICT, message, "Write number: 0.");
    }
  } else {
    checkListenerPort(port, [...path, "port"], report);
    if (bind !== "") checkIp(bind, [...path, "bind"], report);
  }
  if (bind !== "" && listener.captureMode === CaptureMode.IPTABLES) {
    const message = "a listener with a bind address does not take captured traffic";
    report.fail([...path, "captureMode"], CONFLICT, message, "Use captureMode NONE.");
  }
}

/** Warns of hosts that occur twice, or beside one that imports everything. */
function warnSurplusHosts(hosts: readonly string[], path: Path, report: Report): void {
  const importsAll = hosts.includes("*/*");
  const seen = new Set<string>();
  hosts.forEach((host, index) => {
    const at = [...path, index];
    if (seen.has(host)) {
      report.warnValue(at, "duplicate", `"${host}" occurs twice`, "Remove one of the two.");
    } else if (importsAll && host !== "*/*") {
      const message = `"${host}" has no effect beside "*/*", which imports everything`;
      report.warnValue(at, NO_EFFECT, message, 'Remove it, or remove "*/*".');
    }
    seen.add(host);
  });
}

function checkEgressHosts(hosts: readonly string[], path: Path, report: Report): void {
  warnSurplusHosts(hosts, path, report);
  hosts.forEach((host, index) => {
    const at = [...path, index];
    const slash = host.indexOf("/");
    const namespace = host.slice(0, slash);
    const name = host.slice(slash + 1);
    if (slash <= 0 || name === "" || name.includes("/")) {
      const message = `${JSON.stringify(host)} is not of the form namespace/host`;
      report.fail(
        at,
        "invalid-host",
        message,
        'Write, for example, "./*" or "prod/a.example.com".',
      );
      return;
    }
    if (!["*", ".", "~"].includes(namespace) && !isDnsLabel(namespace)) {
      const message = `${JSON.stringify(namespace)} is not a namespace`;
      report.fail(at, "invalid-name", message, 'Write a namespace, ".", "*" or "~".');
    }
    if (namespace === "~" && name !== "*") {
      report.fail(at, INVALID, 'after "~/" only "*" has a meaning', 'Write "~/*".');
    }
    checkHost(name, at, report);
  });
}
