/**
 * VirtualService: names, effective fields, rules.
 *
 * @module
 */
import { eachInSteps } from "../../../kit/base/mod.ts";
import { overlapsBefore, subsetOfHosts } from "../rules/host_overlaps.ts";
import {
  type L4MatchAttributes,
  type TCPRoute,
  type TLSMatchAttributes,
  type TLSRoute,
  type VirtualService,
  VirtualServiceSchema,
} from "#mesh/networking/v1alpha3/virtual_service_pb.ts";
import { isIp, isWildcardHost, type Path } from "../../../kit/text/mod.ts";
import {
  checkDelegate,
  checkExportTo,
  checkGatewayNames,
  checkHost,
  checkHttpRoute,
  checkPort,
  checkSubnet,
  checkWeights,
  CONFLICT,
  DUPLICATE,
  MESH_GATEWAY,
  NO_EFFECT,
  REQUIRED,
} from "../rules/mod.ts";
import { checkLabels } from "../metadata.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { NETWORKING_API, type TabledKind } from "../kind.ts";

export const VIRTUAL_SERVICE: TabledKind<"VirtualService", "virtualServices", VirtualService> = {
  kind: "VirtualService",
  ...NETWORKING_API,
  plural: "virtualservices",
  scope: "namespaced",
  table: "virtualServices",
  schema: VirtualServiceSchema,
  effective: {
    paths: [
      "hosts",
      "gateways",
      "exportTo",
      "http[].name",
      "http[].match[].name",
      "http[].match[].uri",
      "http[].match[].scheme",
      "http[].match[].method",
      "http[].match[].authority",
      "http[].match[].headers",
      "http[].match[].withoutHeaders",
      "http[].match[].queryParams",
      "http[].match[].ignoreUriCase",
      "http[].match[].port",
      "http[].match[].gateways",
      "http[].match[].sourceLabels",
      "http[].match[].sourceNamespace",
      "http[].match[].statPrefix",
      "http[].delegate",
      "http[].route",
      "http[].redirect",
      "http[].directResponse",
      "http[].rewrite",
      "http[].timeout",
      "http[].retries",
      "http[].fault.delay.fixedDelay",
      "http[].fault.delay.percentage",
      "http[].fault.delay.percent",
      "http[].fault.abort.httpStatus",
      "http[].fault.abort.grpcStatus",
      "http[].fault.abort.percentage",
      "http[].mirror",
      "http[].mirrors",
      "http[].mirrorPercent",
      "http[].mirrorPercentage",
      "http[].corsPolicy",
      "http[].headers",
      "tls[].match[].sniHosts",
      "tls[].match[].destinationSubnets",
      "tls[].match[].port",
      "tls[].match[].gateways",
      "tls[].match[].sourceLabels",
      "tls[].match[].sourceNamespace",
      "tls[].route",
      "tcp[].match[].port",
      "tcp[].match[].gateways",
      "tcp[].match[].sourceLabels",
      "tcp[].match[].sourceNamespace",
      "tcp[].match[].destinationSubnets",
      "tcp[].route",
    ],
  },
  validate,
};

/** Checks a VirtualService's specification. */
function* validate(
  spec: VirtualService,
  identity: ObjectIdentity,
  report: Report,
): Generator<void, void> {
  checkHosts(spec, report);
  checkGatewayNames(spec.gateways, ["spec", "gateways"], report);
  checkExportTo(spec.exportTo, ["spec", "exportTo"], report, identity);
  if (spec.http.length + spec.tcp.length + spec.tls.length === 0) {
    report.fail(["spec"], REQUIRED, "the VirtualService has no routes", "Give http, tls or tcp.");
  }
  yield;
  yield* eachInSteps(spec.http, (route, index) => {
    checkHttpRoute(route, ["spec", "http", index], report);
    checkDelegate(route, ["spec", "http", index], report, spec.hosts.length === 0);
  });
  warnUnreachable(spec, report);
  yield;
  const isWithin = subsetOfHosts(spec.tls.length === 0 ? [] : spec.hosts);
  yield* eachInSteps(
    spec.tls,
    (route, index) => checkTls(route, isWithin, ["spec", "tls", index], report),
  );
  yield* eachInSteps(
    spec.tcp,
    (route, index) => checkTcp(route, ["spec", "tcp", index], report),
  );
}

/** Hosts of one object; each has a virtual host. More would stop the daemon for longer than it may. */
const MAX_HOSTS = 5_000;

function checkHosts(spec: VirtualService, report: Report): void {
  const path = ["spec", "hosts"];
  if (spec.hosts.length === 0) return checkDelegated(spec, report);
  if (spec.hosts.length > MAX_HOSTS) {
    const message = `the VirtualService has more than ${MAX_HOSTS} hosts`;
    report.fail(path, "too-large", message, "Divide it into several VirtualServices.");
  }
  const inMesh = spec.gateways.length === 0 || spec.gateways.includes(MESH_GATEWAY);
  const overlaps = overlapsBefore(spec.hosts);
  spec.hosts.forEach((host, index) => {
    const at = [...path, index];
    if (host === "*" && inMesh) {
      const message = 'host "*" does not go with the mesh gateway';
      report.fail(at, "invalid-host", message, "Name hosts, or bind it to a Gateway only.");
    } else if (!isWildcardHost(host) && !isIp(host)) {
      const message = `${JSON.stringify(host)} is neither a host name nor an IP address`;
      report.fail(at, "invalid-host", message, "Write a DNS name, *.example.com or an address.");
    }
    const other = overlaps[index];
    if (other === undefined) return;
    const message = `hosts "${spec.hosts[other]}" and "${host}" overlap`;
    report.fail(at, DUPLICATE, message, "Keep the wider of the two.");
  });
}

/** Without hosts it can only be a delegate. */
function checkDelegated(spec: VirtualService, report: Report): void {
  const path = ["spec", "hosts"];
  if (spec.gateways.length > 0 || spec.tcp.length > 0 || spec.tls.length > 0) {
    report.fail(path, REQUIRED, "the VirtualService has no hosts", "Name one.");
  }
}

/** A route that matches everything makes the following ones unreachable. */
function warnUnreachable(spec: VirtualService, report: Report): void {
  const all = spec.http.findIndex((route) => route.match.length === 0);
  if (all < 0) return;
  for (let index = all + 1; index < spec.http.length; index++) {
    const message = `route ${all} matches everything, so this one is never used`;
    report.warnValue(["spec", "http", index], "unreachable", message, "Move it up.");
  }
}

type Within = (name: string) => boolean;

function checkTls(route: TLSRoute, isWithin: Within, path: Path, report: Report): void {
  if (route.match.length === 0) {
    report.fail(path, REQUIRED, "a TLS route needs a match", "Give match with sniHosts.");
  }
  route.match.forEach((match, index) => {
    const at = [...path, "match", index];
    if (match.sniHosts.length === 0) {
      report.fail(at, REQUIRED, "a TLS match needs sniHosts", "Name at least one.");
    }
    match.sniHosts.forEach((sni, sniIndex) =>
      checkSni(sni, isWithin, [...at, "sniHosts", sniIndex], report)
    );
    checkL4Match(match, at, report);
  });
  checkRoutes(route, path, report);
}

function checkSni(sni: string, isWithin: Within, path: Path, report: Report): void {
  checkHost(sni, path, report);
  if (isIp(sni)) {
    const message = `"${sni}" is an IP address, which no client sends as server name`;
    report.warnValue(path, NO_EFFECT, message, "Write a host name.");
  }
  if (isWithin(sni)) return;
  const message = `"${sni}" is not among the hosts of the VirtualService`;
  report.fail(path, CONFLICT, message, "Add it to hosts, or remove it.");
}

function checkTcp(route: TCPRoute, path: Path, report: Report): void {
  route.match.forEach((match, index) => {
    const at = [...path, "match", index];
    checkL4Match(match, at, report);
    if (match.sourceSubnet !== "") checkSubnet(match.sourceSubnet, [...at, "sourceSubnet"], report);
  });
  checkRoutes(route, path, report);
}

function checkL4Match(
  match: L4MatchAttributes | TLSMatchAttributes,
  path: Path,
  report: Report,
): void {
  match.destinationSubnets.forEach((subnet, index) =>
    checkSubnet(subnet, [...path, "destinationSubnets", index], report)
  );
  if (match.port !== 0) checkPort(match.port, [...path, "port"], report);
  checkLabels(match.sourceLabels, [...path, "sourceLabels"], report);
  checkGatewayNames(match.gateways, [...path, "gateways"], report);
}

function checkRoutes(route: TCPRoute | TLSRoute, path: Path, report: Report): void {
  if (route.route.length === 0) {
    report.fail(path, REQUIRED, "the route leads nowhere", "Give route with a destination.");
  }
  checkWeights(route.route, [...path, "route"], report);
}
