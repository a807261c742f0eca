/**
 * Clauses of access rules as text: the compared property, the wanted values and the value of the
 * request.
 *
 * @module
 */
import type { Permission, Principal } from "#envoy/config/rbac/v3/rbac_pb.ts";
import type { HeaderMatcher } from "#envoy/config/route/v3/route_components_pb.ts";
import { UriTemplateMatchConfigSchema } from "#envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.ts";
import type { MetadataMatcher } from "#envoy/type/matcher/v3/metadata_pb.ts";
import type { StringMatcher } from "#envoy/type/matcher/v3/string_pb.ts";
import type { ValueMatcher } from "#envoy/type/matcher/v3/value_pb.ts";
import { metadataValue } from "./match.ts";
import { isOne, permits, type Subject } from "./rbac.ts";
import { unpack } from "./resources.ts";
import type { Ternary } from "./ternary.ts";

/** One clause of a rule. */
export interface Clause {
  /** The property that is compared, for example `method` or `principal`. */
  readonly property: string;
  /** The values that match, joined by `or`. */
  readonly wanted: string;
  /** The value of the request. Credentials are shown as `[redacted]`. */
  readonly actual: string;
  readonly holds: Ternary;
}

/** A part of a clause. */
type Part = Omit<Clause, "holds">;

/** Returns the clauses of a permission; a permission without conditions has none. */
export function clausesOfPermission(permission: Permission, subject: Subject): Clause[] {
  const { rule } = permission;
  const parts = rule.case === "andRules" ? rule.value.rules : [permission];
  return parts.filter((one) => one.rule.case !== "any")
    .map((one) => ({ ...permissionPart(one, subject), holds: permits(one, subject) }));
}

/** Returns the clauses of a principal; a principal without conditions has none. */
export function clausesOfPrincipal(principal: Principal, subject: Subject): Clause[] {
  const { identifier } = principal;
  const parts = identifier.case === "andIds" ? identifier.value.ids : [principal];
  return parts.filter((one) => one.identifier.case !== "any")
    .map((one) => ({ ...principalPart(one, subject), holds: isOne(one, subject) }));
}

function permissionPart({ rule }: Permission, subject: Subject): Part {
  const { destination } = subject;
  switch (rule.case) {
    case "orRules":
      return joined(rule.value.rules.map((one) => permissionPart(one, subject)), " or ");
    case "andRules":
      return joined(rule.value.rules.map((one) => permissionPart(one, subject)), " and ");
    case "notRule":
      return inverted(permissionPart(rule.value, subject));
    case "any":
      return { property: "request", wanted: "any", actual: "this one" };
    case "header":
      return headerPart(rule.value, subject);
    case "urlPath":
      return pathPart(rule.value.rule.value, subject);
    case "uriTemplate": {
      const template = unpack(UriTemplateMatchConfigSchema, rule.value.typedConfig)?.pathTemplate;
      return { ...pathPart(undefined, subject), wanted: template ?? "a template" };
    }
    case "destinationIp":
      return {
        property: "destination address",
        wanted: `${rule.value.addressPrefix}/${rule.value.prefixLen ?? 0}`,
        actual: destination.ip,
      };
    case "destinationPort":
      return { property: "port", wanted: `${rule.value}`, actual: `${destination.port}` };
    case "destinationPortRange":
      return {
        property: "port",
        wanted: `${rule.value.start} to ${rule.value.end - 1}`,
        actual: `${destination.port}`,
      };
    case "metadata":
      return metadataPart(rule.value, subject);
    case "requestedServerName":
      return {
        property: "server name",
        wanted: textOf(rule.value),
        actual: subject.serverName || "none",
      };
    default:
      return unknownPart(rule.case);
  }
}

function principalPart({ identifier: id }: Principal, subject: Subject): Part {
  switch (id.case) {
    case "orIds":
      return joined(id.value.ids.map((one) => principalPart(one, subject)), " or ");
    case "andIds":
      return joined(id.value.ids.map((one) => principalPart(one, subject)), " and ");
    case "notId":
      return inverted(principalPart(id.value, subject));
    case "any":
      return { property: "caller", wanted: "any", actual: "this one" };
    case "authenticated":
      return {
        property: "principal",
        wanted: id.value.principalName === undefined ? "any" : textOf(id.value.principalName),
        actual: subject.principal ?? "none: no mutual TLS",
      };
    case "filterState":
      return {
        property: "principal",
        wanted: id.value.matcher.case === "stringMatch" ? textOf(id.value.matcher.value) : "any",
        actual: subject.principal ?? "none: no tunnel",
      };
    case "directRemoteIp":
      return ipPart("peer address", id.value, subject.directIp);
    case "sourceIp":
    case "remoteIp":
      return ipPart("client address", id.value, subject.remoteIp);
    case "header":
      return headerPart(id.value, subject);
    case "urlPath":
      return pathPart(id.value.rule.value, subject);
    case "metadata":
      return metadataPart(id.value, subject);
    default:
      return unknownPart(id.case);
  }
}

function unknownPart(name: string | undefined): Part {
  return { property: name ?? "condition", wanted: "not modelled", actual: "unknown" };
}

/** Joins alternatives; those of one property have one value. */
function joined(parts: readonly Part[], word: string): Part {
  const [first] = parts;
  if (first === undefined) return { property: "request", wanted: "none", actual: "this one" };
  const same = parts.every(({ property }) => property === first.property);
  if (same) {
    const wanted = [...new Set(parts.map((part) => part.wanted))].join(word);
    return { ...first, wanted };
  }
  const distinct = new Map(parts.map(({ property, actual }) => [property, actual]));
  return {
    property: [...distinct.keys()].join(", "),
    wanted: parts.map(({ property, wanted }) => `${property} ${wanted}`).join(word),
    actual: [...distinct].map(([property, actual]) => `${property} ${actual}`).join(", "),
  };
}

function inverted(part: Part): Part {
  return { ...part, wanted: `not ${part.wanted}` };
}

function ipPart(
  property: string,
  range: { readonly addressPrefix: string; readonly prefixLen?: number },
  actual: string,
): Part {
  return { property, wanted: `${range.addressPrefix}/${range.prefixLen ?? 0}`, actual };
}

function pathPart(matcher: StringMatcher | undefined, { path }: Subject): Part {
  return {
    property: "path",
    wanted: matcher === undefined ? "any" : textOf(matcher),
    actual: path ?? "none: no HTTP",
  };
}

/** Properties of requests that are pseudo headers in rules. */
const PSEUDO: Readonly<Record<string, string>> = {
  ":method": "method",
  ":authority": "host",
  ":path": "path",
};

/** Headers with credentials. */
const SECRET = /^(authorization|proxy-authorization|cookie)$/i;

function headerPart(
  { name, headerMatchSpecifier: how, invertMatch }: HeaderMatcher,
  subject: Subject,
): Part {
  const found = subject.header(name.toLowerCase());
  const wanted = how.case === "stringMatch"
    ? textOf(how.value)
    : how.case === "presentMatch" || how.case === undefined
    ? how.value === false ? "absent" : "present"
    : how.case === "rangeMatch"
    ? `${how.value.start} to ${how.value.end}`
    : how.case === "safeRegexMatch"
    ? `~ ${how.value.regex}`
    : `${how.value}`;
  return {
    property: PSEUDO[name] ?? `header ${name}`,
    wanted: invertMatch ? `not ${wanted}` : wanted,
    actual: found === null
      ? "not modelled"
      : found === undefined
      ? "absent"
      : SECRET.test(name)
      ? "[redacted]"
      : found,
  };
}

function metadataPart(matcher: MetadataMatcher, { metadata }: Subject): Part {
  const path = matcher.path.map(({ segment }) => segment.value ?? "");
  const value = metadataValue(matcher, metadata);
  const wanted = matcher.value === undefined ? "a value" : valueText(matcher.value);
  return {
    // The first segment is the name under which the token filter writes the payload.
    property: `token claim ${path.slice(1).join(".") || path.join(".")}`,
    wanted: matcher.invert ? `not ${wanted}` : wanted,
    actual: typeof value === "symbol"
      ? "not modelled"
      : value === undefined
      ? "absent"
      : typeof value === "string"
      ? value
      : JSON.stringify(value),
  };
}

function valueText({ matchPattern: how }: ValueMatcher): string {
  switch (how.case) {
    case "stringMatch":
      return textOf(how.value);
    case "listMatch":
      return how.value.matchPattern.case === "oneOf"
        ? valueText(how.value.matchPattern.value)
        : "a list";
    case "orMatch":
      return [...new Set(how.value.valueMatchers.map(valueText))].join(" or ");
    case "presentMatch":
      return how.value ? "present" : "absent";
    default:
      return `${how.value ?? "a value"}`;
  }
}

/** Returns a matcher in the notation of policies: `a`, `a*`, `*a`, `*a*`, or `~ REGEX`. */
function textOf({ matchPattern: how }: StringMatcher): string {
  switch (how.case) {
    case "exact":
      return how.value === "" ? '""' : how.value;
    case "prefix":
      return `${how.value}*`;
    case "suffix":
      return `*${how.value}`;
    case "contains":
      return `*${how.value}*`;
    case "safeRegex":
      return `~ ${how.value.regex}`;
    default:
      return "not modelled";
  }
}
