/**
 * Verdicts of access rules.
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
import type { PathMatcher } from "#envoy/type/matcher/v3/path_pb.ts";
import type { TypedExtensionConfig } from "#envoy/config/core/v3/extension_pb.ts";
import {
  headerMatches,
  type HeaderOf,
  inRange,
  type Metadata,
  metadataMatches,
  regexMatches,
  textMatches,
} from "./match.ts";
import { unpack } from "./resources.ts";
import { every, negated, some, type Told } from "./told.ts";

/** What rules look at. */
export interface Subject {
  readonly destination: { readonly ip: string; readonly port: number };
  /** The connection's other end. */
  readonly directIp: string;
  /** The client, as trusted proxies tell. */
  readonly remoteIp: string;
  /** URI of the client's certificate; `undefined`: no TLS was ended with one. */
  readonly principal: string | undefined;
  readonly serverName: string;
  /** Without query; `undefined` on connections without HTTP. */
  readonly path: string | undefined;
  readonly header: HeaderOf;
  readonly metadata: Metadata;
}

/** What rules say. */
export interface Access {
  /** `undefined`: it cannot be told. */
  readonly allowed: Told;
  /** The policy that decided; empty when none did. */
  readonly policy: string;
  /** What has no model, when it cannot be told. */
  readonly action: "ALLOW" | "DENY" | "LOG";
}

/** The verdict of rules; policies are asked in the order of their names, as Envoy does. */
export function judge(rules: RBAC, subject: Subject): Access {
  const action = rules.action === RBAC_Action.ALLOW
    ? "ALLOW"
    : rules.action === RBAC_Action.DENY
    ? "DENY"
    : "LOG";
  let open = false;
  for (const name of Object.keys(rules.policies).sort()) {
    const told = applies(rules.policies[name]!, subject);
    if (told === true && !open) return { allowed: action !== "DENY", policy: name, action };
    if (told !== false) open = true;
  }
  if (open && action !== "LOG") return { allowed: undefined, policy: "", action };
  return { allowed: action !== "ALLOW", policy: "", action };
}

function applies({ permissions, principals, condition }: Policy, subject: Subject): Told {
  const parts: (() => Told)[] = [
    () => some(permissions, (one) => permits(one, subject)),
    () => some(principals, (one) => isOne(one, subject)),
    ...(condition === undefined ? [] : [() => undefined]),
  ];
  return every(parts, (part) => part());
}

function permits({ rule }: Permission, subject: Subject): Told {
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

function isOne({ identifier: id }: Principal, subject: Subject): Told {
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
      return id.value.principalName === undefined ||
        textMatches(id.value.principalName, subject.principal);
    case "directRemoteIp":
      return inRange(subject.directIp, id.value);
    case "sourceIp":
    case "remoteIp":
      return inRange(subject.remoteIp, id.value);
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

function pathMatches({ rule }: PathMatcher, { path }: Subject): Told {
  if (path === undefined) return false;
  return rule.case === "path" ? textMatches(rule.value, path) : undefined;
}

/** `*` stands for a segment, `**` for any number. */
function templateMatches({ typedConfig }: TypedExtensionConfig, { path }: Subject): Told {
  const template = unpack(UriTemplateMatchConfigSchema, typedConfig)?.pathTemplate;
  if (template === undefined || /[{}]/.test(template)) return undefined;
  if (path === undefined) return false;
  const regex = template.split(/(\*\*?)/).map((piece) => {
    if (piece === "**") return ".*";
    return piece === "*" ? "[^/]+" : piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  return regexMatches(regex.join(""), path);
}
