/**
 * Rules of Sidecar.
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
} from "#mesh/networking/v1alpha3/sidecar_pb.ts";
import { isDnsLabel, type Path } from "../text/mod.ts";
import { checkConnectionPool } from "./connection_pool.ts";
import { checkDestination } from "./destination.ts";
import { fail, type ObjectIdentity, type Report } from "./problem.ts";
import {
  checkHost,
  checkIp,
  checkPort,
  checkProtocol,
  checkSelector,
  checkUnique,
  checkUnixAddress,
  CONFLICT,
  INVALID,
  REQUIRED,
  UNIX_PREFIX,
} from "./rules.ts";
import { checkServerTls, isTlsProtocol } from "./server_tls.ts";

/** Checks a Sidecar's specification. */
export function validateSidecar(spec: Sidecar, _identity: ObjectIdentity, report: Report): void {
  if (spec.workloadSelector !== undefined) {
    checkSelector(spec.workloadSelector.labels, ["spec", "workloadSelector", "labels"], report);
  }
  const policy = spec.outboundTrafficPolicy;
  const empty = spec.egress.length === 0 && spec.ingress.length === 0 && policy === undefined &&
    spec.inboundConnectionPool === undefined;
  if (empty) {
    const remedy = "Add ingress, egress or outboundTrafficPolicy.";
    fail(report, ["spec"], REQUIRED, "the Sidecar sets nothing", remedy);
  }
  checkPool(spec.inboundConnectionPool, ["spec", "inboundConnectionPool"], report);
  checkIngress(spec.ingress, report);
  checkEgress(spec.egress, report);
  if (policy?.egressProxy === undefined) return;
  const path = ["spec", "outboundTrafficPolicy", "egressProxy"];
  checkDestination(policy.egressProxy, path, report);
  if (policy.mode !== Mode.ALLOW_ANY) {
    fail(
      report,
      path,
      CONFLICT,
      "egressProxy goes with mode ALLOW_ANY only",
      "Set that mode.",
      "key",
    );
  }
}

function checkPool(pool: ConnectionPoolSettings | undefined, path: Path, report: Report): void {
  if (pool !== undefined) checkConnectionPool(pool, path, report);
}

function checkIngress(listeners: readonly MeshIngressListener[], report: Report): void {
  listeners.forEach((listener, index) => {
    const path = ["spec", "ingress", index];
    if (listener.port === undefined) {
      fail(report, path, REQUIRED, "an ingress listener needs a port", "Give port.number.");
    } else checkListenerPort(listener.port, [...path, "port"], report);
    if (listener.bind.startsWith(UNIX_PREFIX)) {
      const message = "an ingress listener binds to an IP address";
      fail(report, [...path, "bind"], "invalid-address", message, "Write an IP address.");
    } else if (listener.bind !== "") checkIp(listener.bind, [...path, "bind"], report);
    checkDefaultEndpoint(listener.defaultEndpoint, [...path, "defaultEndpoint"], report);
    checkPool(listener.connectionPool, [...path, "connectionPool"], report);
    checkIngressTls(listener, path, report);
  });
  const ports = listeners.map(({ port }, index) =>
    [port?.number ?? 0, ["spec", "ingress", index, "port", "number"]] as const
  );
  checkUnique(ports.filter(([port]) => port !== 0), "port", report);
}

function checkIngressTls(listener: MeshIngressListener, path: Path, report: Report): void {
  if (listener.tls === undefined) return;
  checkServerTls(listener.tls, [...path, "tls"], report);
  if (isTlsProtocol(listener.port?.protocol ?? "")) return;
  const message = "tls goes with a port of protocol HTTPS or TLS";
  fail(report, [...path, "tls"], CONFLICT, message, "Change the port's protocol.", "key");
}

function checkListenerPort(port: SidecarPort, path: Path, report: Report): void {
  checkPort(port.number, [...path, "number"], report);
  checkProtocol(port.protocol, [...path, "protocol"], report);
  if (port.name === "" || isDnsLabel(port.name.toLowerCase())) return;
  const message = `${JSON.stringify(port.name)} is not a port name`;
  fail(report, [...path, "name"], "invalid-name", message, "Use letters, digits and '-'.");
}

const LOCAL_ADDRESSES = new Set(["127.0.0.1", "0.0.0.0", "[::1]", "[::]"]);

/** Where an ingress listener hands on to: an address of the workload itself, or a Unix socket. */
function checkDefaultEndpoint(endpoint: string, path: Path, report: Report): void {
  if (endpoint === "") return;
  if (endpoint.startsWith(UNIX_PREFIX)) return checkUnixAddress(endpoint, path, report);
  const colon = endpoint.lastIndexOf(":");
  const address = endpoint.slice(0, colon);
  const port = endpoint.slice(colon + 1);
  if (colon < 0 || !LOCAL_ADDRESSES.has(address) || !/^\d+$/.test(port)) {
    const message = `${JSON.stringify(endpoint)} is not an endpoint of the workload`;
    const remedy = "Write 127.0.0.1:PORT, [::1]:PORT, 0.0.0.0:PORT, [::]:PORT or unix:///path.";
    fail(report, path, "invalid-address", message, remedy);
  } else checkPort(Number(port), path, report);
}

function checkEgress(listeners: readonly MeshEgressListener[], report: Report): void {
  listeners.forEach((listener, index) => {
    const path = ["spec", "egress", index];
    if (listener.port === undefined) checkPortless(listener, path, report);
    else checkEgressPort(listener, listener.port, path, report);
    if (listener.hosts.length === 0) {
      const remedy = 'Name hosts as namespace/host, for example "./*".';
      fail(report, path, REQUIRED, "an egress listener needs hosts", remedy);
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
    fail(report, [...path, "bind"], CONFLICT, "bind needs a port", remedy, "key");
  }
  if (listener.captureMode !== CaptureMode.DEFAULT) {
    fail(report, [...path, "captureMode"], CONFLICT, "captureMode needs a port", remedy, "key");
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
      fail(report, numberPath, CONFLICT, message, "Write number: 0.");
    }
  } else {
    checkListenerPort(port, [...path, "port"], report);
    if (bind !== "") checkIp(bind, [...path, "bind"], report);
  }
  if (bind !== "" && listener.captureMode === CaptureMode.IPTABLES) {
    const message = "a listener with a bind address does not take captured traffic";
    fail(report, [...path, "captureMode"], CONFLICT, message, "Use captureMode NONE.");
  }
}

function checkEgressHosts(hosts: readonly string[], path: Path, report: Report): void {
  hosts.forEach((host, index) => {
    const at = [...path, index];
    const slash = host.indexOf("/");
    const namespace = host.slice(0, slash);
    const name = host.slice(slash + 1);
    if (slash <= 0 || name === "" || name.includes("/")) {
      const message = `${JSON.stringify(host)} is not of the form namespace/host`;
      fail(
        report,
        at,
        "invalid-host",
        message,
        'Write, for example, "./*" or "prod/a.example.com".',
      );
      return;
    }
    if (!["*", ".", "~"].includes(namespace) && !isDnsLabel(namespace)) {
      const message = `${JSON.stringify(namespace)} is not a namespace`;
      fail(report, at, "invalid-name", message, 'Write a namespace, ".", "*" or "~".');
    }
    if (namespace === "~" && name !== "*") {
      fail(report, at, INVALID, 'after "~/" only "*" has a meaning', 'Write "~/*".');
    }
    checkHost(name, at, report);
  });
}
