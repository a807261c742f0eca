/**
 * Rules that kinds of the Gateway API share. They are those of the kinds' definitions in the standard.
 *
 * @module
 */
import type {
  AllowedNamespaces,
  ParentReference,
  SessionPersistence,
} from "#mesh/gateway/v1/references_pb.ts";
import { isDnsLabel, isDnsSubdomain, type Path } from "../../../../kit/text/mod.ts";
import type { KindName } from "../../kind.ts";
import type { Report } from "../../problem.ts";
import {
  checkHeaderName,
  checkHost,
  checkLabelSelector,
  checkPort,
  INVALID,
  NO_EFFECT,
  REQUIRED,
} from "../../rules/mod.ts";

/** Group and scope of the kinds. */
export const GATEWAY_API: Pick<KindName, "group" | "scope"> = {
  group: "gateway.networking.k8s.io",
  scope: "namespaced",
};

/** A number and a unit, up to four times; each number has at most five digits. */
const DURATION = /^([0-9]{1,5}(h|m|s|ms)){1,4}$/;

/** A duration of the Gateway API. Empty: not given. */
export function checkApiDuration(duration: string, path: Path, report: Report): void {
  if (duration === "" || DURATION.test(duration)) return;
  const message = `${JSON.stringify(duration)} is not a duration`;
  report.fail(path, "invalid-duration", message, "Write, for example, 10s, 500ms or 1h30m.");
}

/** A text must be one of some, or empty. */
export function checkOneOf(
  value: string,
  allowed: readonly string[],
  path: Path,
  report: Report,
): void {
  if (value === "" || allowed.includes(value)) return;
  const message = `${JSON.stringify(value)} is not allowed`;
  report.fail(path, INVALID, message, `Use one of: ${allowed.join(", ")}.`);
}

/** A text must be one of some, and given. */
export function checkRequiredOneOf(
  value: string,
  allowed: readonly string[],
  path: Path,
  report: Report,
): void {
  if (value !== "") return checkOneOf(value, allowed, path, report);
  const message = `${String(path.at(-1))} is missing`;
  report.fail(path, REQUIRED, message, `Use one of: ${allowed.join(", ")}.`);
}

/** A reference must have a name. */
export function checkObjectName(name: string, path: Path, report: Report): void {
  if (name !== "") return;
  report.fail(path, REQUIRED, "the reference has no name", "Name an object.");
}

/** The name of a controller: a domain and a path. */
export function checkControllerName(name: string, report: Report): void {
  const path = ["spec", "controllerName"];
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/.+$/.test(name)) return;
  const message = `${JSON.stringify(name)} is not a name of a controller`;
  report.fail(path, INVALID, message, "Write, for example, mesh.io/gateway-controller.");
}

/** The name of a listener, a rule or a port: a DNS name without capital letters. */
export function checkSectionName(name: string, path: Path, report: Report): void {
  if (name === "" || isDnsSubdomain(name)) return;
  const message = `${JSON.stringify(name)} is not a name`;
  report.fail(path, "invalid-name", message, "Use small letters, digits, dots and hyphens.");
}

/** Hosts of a route: names, or patterns that begin with `*.`. */
export function checkHostnames(hosts: readonly string[], path: Path, report: Report): void {
  hosts.forEach((host, index) => checkHostname(host, [...path, index], report));
}

/** A host, or a pattern that begins with `*.`; `*` alone is not allowed. */
export function checkHostname(host: string, path: Path, report: Report): void {
  if (host === "*") {
    const message = '"*" is not a host name';
    report.fail(path, "invalid-host", message, "Leave the field out for every host.");
  } else checkHost(host, path, report);
}

/** The parents of a route. */
export function checkParents(parents: readonly ParentReference[], report: Report): void {
  const seen = new Set<string>();
  parents.forEach((ref, index) => {
    const path = ["spec", "parentRefs", index];
    checkObjectName(ref.name, [...path, "name"], report);
    checkSectionName(ref.sectionName, [...path, "sectionName"], report);
    if (ref.port !== undefined) checkPort(ref.port, [...path, "port"], report);
    const { group, kind, namespace, name, sectionName, port } = ref;
    const key = JSON.stringify([group, kind, namespace, name, sectionName, port]);
    if (seen.has(key)) {
      report.fail(path, "duplicate", "the parent is named twice", "Remove one of them.");
    }
    seen.add(key);
  });
}

/** The scope of default Gateways. */
export function checkDefaultScope(scope: string, path: Path, report: Report): void {
  checkOneOf(scope, ["All", "None"], path, report);
}

/** A reference to a destination. Services need a port. */
export function checkBackend(
  ref: {
    readonly group: string;
    readonly kind?: string;
    readonly name: string;
    readonly namespace: string;
    readonly port?: number;
    readonly weight?: number;
  },
  path: Path,
  report: Report,
): void {
  checkObjectName(ref.name, [...path, "name"], report);
  checkNamespace(ref.namespace, [...path, "namespace"], report);
  if (ref.port !== undefined) checkPort(ref.port, [...path, "port"], report);
  else if (ref.group === "" && (ref.kind ?? "Service") === "Service") {
    report.fail(path, REQUIRED, "the Service has no port", "Give port.");
  }
  const { weight } = ref;
  if (weight === undefined || (weight >= 0 && weight <= 1_000_000)) return;
  const message = `weight ${weight} is not between 0 and 1000000`;
  report.fail([...path, "weight"], "out-of-range", message, "Write 0 to 1000000.");
}

/** A namespace; empty: not given. */
export function checkNamespace(namespace: string, path: Path, report: Report): void {
  if (namespace === "" || isDnsLabel(namespace)) return;
  const message = `${JSON.stringify(namespace)} is not a namespace`;
  report.fail(path, "invalid-name", message, "Write the name of a namespace.");
}

/** Namespaces whose objects may attach. */
export function checkAllowedNamespaces(
  allowed: AllowedNamespaces | undefined,
  path: Path,
  report: Report,
): void {
  if (allowed === undefined) return;
  checkOneOf(allowed.from, ["All", "Selector", "Same", "None"], [...path, "from"], report);
  if (allowed.selector !== undefined) {
    checkLabelSelector(allowed.selector, [...path, "selector"], report);
  }
}

/** Session persistence of a rule. */
export function checkSession(
  session: SessionPersistence | undefined,
  path: Path,
  report: Report,
): void {
  if (session === undefined) return;
  checkLifetime(session, [...path, "absoluteTimeout"], report);
  if (session.sessionName !== "") {
    checkHeaderName(session.sessionName, [...path, "sessionName"], report);
  }
  checkOneOf(session.type, ["Cookie", "Header"], [...path, "type"], report);
  const { lifetimeType = "" } = session.cookieConfig ?? {};
  const at = [...path, "cookieConfig", "lifetimeType"];
  checkOneOf(lifetimeType, ["Session", "Permanent"], at, report);
  if (lifetimeType === "Permanent" && session.absoluteTimeout === "") {
    const message = "a permanent cookie needs absoluteTimeout";
    report.fail(at, REQUIRED, message, "Give absoluteTimeout.");
  }
}

/** The absolute timeout of a session, which proxies can keep for permanent cookies alone. */
function checkLifetime(session: SessionPersistence, path: Path, report: Report): void {
  const { absoluteTimeout, type, cookieConfig } = session;
  checkApiDuration(absoluteTimeout, path, report);
  if (absoluteTimeout === "") return;
  if (type !== "Header" && cookieConfig?.lifetimeType === "Permanent") {
    if (!/[1-9]/.test(absoluteTimeout)) {
      report.fail(path, INVALID, "a cookie of no time is none", "Write, for example, 1h.");
    }
    return;
  }
  const message = "absoluteTimeout has no effect on sessions other than permanent cookies";
  report.warn(path, NO_EFFECT, message, "Set cookieConfig.lifetimeType: Permanent, or remove it.");
}
