/**
 * Evaluation of RBAC rules.
 *
 * @module
 */
import {
  type Permission,
  type Policy,
  type Principal,
  type RBAC,
  RBAC_Action,
} from "#envoy/config/rbac/v3/rbac_pb.ts";
import { UriTemplateMatchConfigSchema } from "#envoy/extensions/path/match/uri_template/v3/uri_template_match_pb.ts";
import type { CidrRange } from "#envoy/config/core/v3/address_pb.ts";
import type { PathMatcher } from "#envoy/type/matcher/v3/path_pb.ts";
import type { TypedExtensionConfig } from "#envoy/config/core/v3/extension_pb.ts";
import {
  headerMatches,
  type HeaderOf,
  inRange,
  type Metadata,
  metadataMatches,
  provesClient,
  regexMatches,
  textMatches,
} from "./match.ts";
import { unpack } from "./resources.ts";
import { every, negated, some, type Ternary } from "./ternary.ts";

/** Input of rules. */
export interface Subject {
  readonly destination: { readonly ip: string; readonly port: number };
  /** Peer address of the connection. */
  readonly directIp: string;
  /** Client address as trusted proxies report it. */
  readonly remoteIp: string;
  /** Addresses that stand for one that is not known. */
  readonly assumedAddresses?: readonly string[];
  /**
   * URI of the client's certificate, or of that of its tunnel's client; `undefined`: no TLS with a client
   * certificate was terminated.
   */
  readonly principal: string | undefined;
  /** True: the principal stands for one that is not known. */
  readonly principalAssumed?: boolean;
  readonly serverName: string;
  /** Path without query; `undefined` for connections without HTTP. */
  readonly path: string | undefined;
  readonly header: HeaderOf;
  readonly metadata: Metadata;
}

/** Result of rules. */
export interface Access {
  /** `undefined`: not decidable. */
  readonly allowed: Ternary;
  /** The deciding policy; empty if none matched. */
  readonly policy: string;
  /** Action of the rules. */
  readonly action: "ALLOW" | "DENY" | "LOG";
}

/** Evaluates rules; policies are evaluated in the order of their names, like Envoy does. */
export function judge(rules: RBAC, subject: Subject): Access {
  const action = rules.action === RBAC_Action.ALLOW
    ? "ALLOW"
    : rules.action === RBAC_Action.DENY
    ? "DENY"
    : "LOG";
  let open = false;
  for (const name of Object.keys(rules.policies).sort()) {
    const applicable = applies(rules.policies[name]!, subject);
    if (applicable === true && !open) return { allowed: action !== "DENY", policy: name, action };
    if (applicable !== false) open = true;
  }
  if (open && action !== "LOG") return { allowed: undefined, policy: "", action };
  return { allowed: action !== "ALLOW", policy: "", action };
}

function applies({ permissions, principals, condition }: Policy, subject: Subject): Ternary {
  const parts: (() => Ternary)[] = [
    () => some(permissions, (one) => permits(one, subject)),
    () => some(principals, (one) => isOne(one, subject)),
    ...(condition === undefined ? [] : [() => undefined]),
  ];
  return every(parts, (part) => part());
}

/** Reports if a permission matches. */
export function permits({ rule }: Permission, subject: Subject): Ternary {
  switch (rule.case) {
    case "any":
      return rule.value;
    case "andRules":
      return every(rule.value.rules, (one) => permits(one, subject));
    case "orRules":
      return some(rule.value.rules, (one) => permits(one, subject));
    case "notRule":
      return negated(permits(rule.value, subject));
    case "header":
      return headerMatches(rule.value, subject.header);
    case "urlPath":
      return pathMatches(rule.value, subject);
    case "uriTemplate":
      return templateMatches(rule.value, subject);
    case "destinationIp":
      return inRange(subject.destination.ip, rule.value);
    case "destinationPort":
      return subject.destination.port === rule.value;
    case "destinationPortRange":
      return subject.destination.port >= rule.value.start &&
        subject.destination.port < rule.value.end;
    case "metadata":
      return metadataMatches(rule.value, subject.metadata);
    case "requestedServerName":
      return textMatches(rule.value, subject.serverName);
    default:
      return undefined;
  }
}

/** Reports if a principal matches. */
export function isOne({ identifier: id }: Principal, subject: Subject): Ternary {
  switch (id.case) {
    case "any":
      return id.value;
    case "andIds":
      return every(id.value.ids, (one) => isOne(one, subject));
    case "orIds":
      return some(id.value.ids, (one) => isOne(one, subject));
    case "notId":
      return negated(isOne(id.value, subject));
    case "authenticated":
      if (subject.principal === undefined) return false;
      if (id.value.principalName === undefined) return true;
      if (subject.principalAssumed === true) return undefined;
      return textMatches(id.value.principalName, subject.principal);
    case "filterState":
      if (subject.principal !== undefined && subject.principalAssumed === true) return undefined;
      return provesClient(id.value, subject.principal);
    case "directRemoteIp":
      return comesFrom(subject.directIp, id.value, subject);
    case "sourceIp":
    case "remoteIp":
      return comesFrom(subject.remoteIp, id.value, subject);
    case "header":
      return headerMatches(id.value, subject.header);
    case "urlPath":
      return pathMatches(id.value, subject);
    case "metadata":
      return metadataMatches(id.value, subject.metadata);
    default:
      return undefined;
  }
}

function comesFrom(ip: string, range: CidrRange, { assumedAddresses = [] }: Subject): Ternary {
  return assumedAddresses.includes(ip) && (range.prefixLen ?? 0) > 0
    ? undefined
    : inRange(ip, range);
}

function pathMatches({ rule }: PathMatcher, { path }: Subject): Ternary {
  if (path === undefined) return false;
  return rule.case === "path" ? textMatches(rule.value, path) : undefined;
}

/** `*` matches one segment, `**` any number. */
function templateMatches({ typedConfig }: TypedExtensionConfig, { path }: Subject): Ternary {
  const template = unpack(UriTemplateMatchConfigSchema, typedConfig)?.pathTemplate;
  if (template === undefined || /[{}]/.test(template)) return undefined;
  if (path === undefined) return false;
  const regex = template.split(/(\*\*?)/).map((piece) => {
    if (piece === "**") return ".*";
    return piece === "*" ? "[^/]+" : piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return regexMatches(regex.join(""), path);
}
