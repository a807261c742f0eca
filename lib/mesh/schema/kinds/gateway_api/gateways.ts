/**
 * GatewayClass, Gateway and ListenerSet of the Gateway API: names, effective fields, rules.
 *
 * @module
 */
import {
  type Gateway,
  type GatewayClass,
  GatewayClassSchema,
  GatewaySchema,
  type Listener,
  type ListenerSet,
  ListenerSetSchema,
} from "#mesh/gateway/v1/gateway_pb.ts";
import { isFqdn, isIp, type Path } from "../../../../kit/text/mod.ts";
import type { TabledKind } from "../../kind.ts";
import type { ObjectIdentity, Report } from "../../problem.ts";
import { checkPort, checkUnique, CONFLICT, REQUIRED } from "../../rules/mod.ts";
import {
  checkAllowedNamespaces,
  checkControllerName,
  checkDefaultScope,
  checkHostname,
  checkObjectName,
  checkOneOf,
  checkSectionName,
  GATEWAY_API,
} from "./common.ts";

/** Protocols without TLS; listeners of them have no `tls`. */
const PLAIN = ["HTTP", "TCP", "UDP"];

export const GATEWAY_CLASS: TabledKind<"GatewayClass", "gatewayClasses", GatewayClass> = {
  kind: "GatewayClass",
  ...GATEWAY_API,
  versions: ["v1", "v1beta1"],
  plural: "gatewayclasses",
  scope: "cluster",
  table: "gatewayClasses",
  schema: GatewayClassSchema,
  effective: {
    paths: [
      "controllerName",
      "parametersRef",
      "description",
    ],
  },
  validate: ({ controllerName, parametersRef }, _identity, report) => {
    checkControllerName(controllerName, report);
    if (parametersRef) {
      checkObjectName(parametersRef.name, ["spec", "parametersRef", "name"], report);
    }
  },
};

export const KUBERNETES_GATEWAY: TabledKind<"KubernetesGateway", "kubernetesGateways", Gateway> = {
  kind: "KubernetesGateway",
  written: "Gateway",
  ...GATEWAY_API,
  versions: ["v1", "v1beta1"],
  plural: "gateways",
  table: "kubernetesGateways",
  schema: GatewaySchema,
  effective: {
    paths: [
      "gatewayClassName",
      "listeners",
      "addresses",
      "infrastructure.labels",
      "infrastructure.annotations",
      "infrastructure.parametersRef.group",
      "infrastructure.parametersRef.kind",
      "infrastructure.parametersRef.name",
      "allowedListeners",
      "tls",
      "defaultScope",
    ],
  },
  validate: validateGateway,
};

export const LISTENER_SET: TabledKind<"ListenerSet", "listenerSets", ListenerSet> = {
  kind: "ListenerSet",
  ...GATEWAY_API,
  versions: ["v1"],
  plural: "listenersets",
  table: "listenerSets",
  schema: ListenerSetSchema,
  effective: {
    paths: [
      "parentRef",
      "listeners",
    ],
  },
  validate: ({ parentRef, listeners }, _identity, report) => {
    const path = ["spec", "parentRef"];
    if (parentRef === undefined) {
      report.fail(path, REQUIRED, "parentRef is missing", "Name the Gateway.");
    } else checkObjectName(parentRef.name, [...path, "name"], report);
    checkListeners(listeners, report);
  },
};

function validateGateway(spec: Gateway, _identity: ObjectIdentity, report: Report): void {
  if (spec.gatewayClassName === "") {
    const path = ["spec", "gatewayClassName"];
    report.fail(path, REQUIRED, "gatewayClassName is missing", "Name a class, such as mesh.");
  }
  checkDefaultScope(spec.defaultScope, ["spec", "defaultScope"], report);
  checkListeners(spec.listeners, report, spec.allowedListeners !== undefined);
  spec.addresses.forEach(({ type, value }, index) =>
    checkAddress(type, value, ["spec", "addresses", index, "value"], report)
  );
  const path = ["spec", "allowedListeners", "namespaces"];
  checkAllowedNamespaces(spec.allowedListeners?.namespaces, path, report);
  const { parametersRef } = spec.infrastructure ?? {};
  if (parametersRef !== undefined) {
    checkObjectName(
      parametersRef.name,
      ["spec", "infrastructure", "parametersRef", "name"],
      report,
    );
  }
  checkFrontend(spec, report);
}

function checkListeners(listeners: readonly Listener[], report: Report, mayBeEmpty = false): void {
  const path = ["spec", "listeners"];
  if (listeners.length === 0 && !mayBeEmpty) {
    report.fail(path, REQUIRED, "there are no listeners", "Add a listener.");
  }
  listeners.forEach((one, index) => checkListener(one, [...path, index], report));
  const names = listeners.map(({ name }, index) => [name, [...path, index, "name"]] as const);
  checkUnique(names, "listener name", report);
}

function checkListener(listener: Listener, path: Path, report: Report): void {
  const { name, hostname, port, protocol, tls, allowedRoutes } = listener;
  if (name === "") {
    report.fail([...path, "name"], REQUIRED, "the listener has no name", "Give it a name.");
  }
  checkSectionName(name, [...path, "name"], report);
  checkPort(port, [...path, "port"], report);
  if (protocol === "") {
    report.fail([...path, "protocol"], REQUIRED, "protocol is missing", "Give protocol: HTTP.");
  }
  if (hostname !== "") checkHostname(hostname, [...path, "hostname"], report);
  if (hostname !== "" && (protocol === "TCP" || protocol === "UDP")) {
    const message = `a listener of ${protocol} has no hostname`;
    report.failKey([...path, "hostname"], CONFLICT, message, "Remove hostname.");
  }
  checkAllowedNamespaces(
    allowedRoutes?.namespaces,
    [...path, "allowedRoutes", "namespaces"],
    report,
  );
  allowedRoutes?.kinds.forEach(({ kind }, index) =>
    checkObjectName(kind, [...path, "allowedRoutes", "kinds", index, "kind"], report)
  );
  const at = [...path, "tls"];
  if (tls === undefined) return;
  if (PLAIN.includes(protocol)) {
    const message = `tls does not go with protocol ${protocol}`;
    return report.failKey(at, CONFLICT, message, "Use HTTPS or TLS, or remove tls.");
  }
  checkOneOf(tls.mode, ["Terminate", "Passthrough"], [...at, "mode"], report);
  tls.certificateRefs.forEach((ref, index) =>
    checkObjectName(ref.name, [...at, "certificateRefs", index, "name"], report)
  );
  if (protocol === "HTTPS" && tls.mode === "Passthrough") {
    const message = "a listener of HTTPS ends TLS";
    report.fail([...at, "mode"], CONFLICT, message, "Use protocol TLS for Passthrough.");
  }
  if (
    tls.mode !== "Passthrough" && tls.certificateRefs.length === 0 &&
    Object.keys(tls.options).length === 0
  ) {
    const message = "a listener that ends TLS needs certificateRefs or options";
    report.fail(at, REQUIRED, message, "Name a Secret in certificateRefs.");
  }
}

function checkAddress(type: string, value: string, path: Path, report: Report): void {
  if (value === "") return;
  if (type === "Hostname" && !isFqdn(value)) {
    const message = `${JSON.stringify(value)} is not a host name`;
    report.fail(path, "invalid-host", message, "Write the name of a host.");
  } else if ((type === "" || type === "IPAddress") && !isIp(value)) {
    const message = `${JSON.stringify(value)} is not an IP address`;
    report.fail(path, "invalid-address", message, "Write an address, or type: Hostname.");
  }
}

function checkFrontend({ tls }: Gateway, report: Report): void {
  const path = ["spec", "tls", "frontend"];
  const ports = tls?.frontend?.perPort ?? [];
  const all = [
    [tls?.frontend?.default, [...path, "default"]] as const,
    ...ports.map((one, index) => [one.tls, [...path, "perPort", index, "tls"]] as const),
  ];
  ports.forEach(({ port }, index) => checkPort(port, [...path, "perPort", index, "port"], report));
  for (const [one, at] of all) {
    if (one?.validation === undefined) continue;
    const where = [...at, "validation"];
    checkOneOf(
      one.validation.mode,
      ["AllowValidOnly", "AllowInsecureFallback"],
      [...where, "mode"],
      report,
    );
    if (one.validation.caCertificateRefs.length > 0) continue;
    const message = "caCertificateRefs is empty";
    report.fail(where, REQUIRED, message, "Name a ConfigMap with certificates.");
  }
}
