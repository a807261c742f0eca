/**
 * RequestAuthentication: names, effective fields, rules.
 *
 * @module
 */
import {
  type JWTRule,
  type RequestAuthentication,
  RequestAuthenticationSchema,
} from "#mesh/security/v1beta1/request_authentication_pb.ts";
import type { Path } from "../../../kit/text/mod.ts";
import {
  checkDuration,
  checkPolicyScope,
  checkUnique,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { SECURITY_API, type TabledKind } from "../kind.ts";

export const REQUEST_AUTHENTICATION: TabledKind<
  "RequestAuthentication",
  "requestAuthentications",
  RequestAuthentication
> = {
  kind: "RequestAuthentication",
  ...SECURITY_API,
  plural: "requestauthentications",
  scope: "namespaced",
  table: "requestAuthentications",
  schema: RequestAuthenticationSchema,
  effective: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      ...[
        "issuer",
        "audiences",
        "jwksUri",
        "jwks",
        "fromHeaders",
        "fromParams",
        "fromCookies",
        "forwardOriginalToken",
        "outputPayloadToHeader",
        "outputClaimToHeaders",
        "timeout",
        "spaceDelimitedClaims",
        "presence",
      ].map((field) => `jwtRules[].${field}`),
    ],
  },
  validate,
};

/** Valid header names. */
const HEADER = /^[-_A-Za-z0-9]+$/;

/** Checks a RequestAuthentication's specification. */
function validate(
  spec: RequestAuthentication,
  identity: ObjectIdentity,
  report: Report,
): void {
  checkPolicyScope(spec, identity, report);
  spec.jwtRules.forEach((rule, index) => checkJwtRule(rule, ["spec", "jwtRules", index], report));
}

export function checkJwtRule(rule: JWTRule, path: Path, report: Report): void {
  if (rule.issuer === "") {
    report.fail([...path, "issuer"], REQUIRED, "the rule has no issuer", "Give issuer.");
  }
  rule.audiences.forEach((audience, i) => checkFilled(audience, [...path, "audiences", i], report));
  checkKeys(rule, path, report);
  checkTokenLocations(rule, path, report);
  checkDuration(rule.timeout, [...path, "timeout"], report);
  rule.spaceDelimitedClaims.forEach((claim, i) =>
    checkFilled(claim, [...path, "spaceDelimitedClaims", i], report)
  );
  checkHeader(rule.outputPayloadToHeader, [...path, "outputPayloadToHeader"], report);
  rule.outputClaimToHeaders.forEach(({ header, claim }, index) => {
    const at = [...path, "outputClaimToHeaders", index];
    checkFilled(header, [...at, "header"], report);
    checkHeader(header, [...at, "header"], report);
    checkFilled(claim, [...at, "claim"], report);
  });
  const headers = rule.outputClaimToHeaders.map(({ header }, index) =>
    [header.toLowerCase(), [...path, "outputClaimToHeaders", index, "header"]] as const
  );
  checkUnique(headers.filter(([header]) => header !== ""), "header", report);
}

function checkFilled(text: string, path: Path, report: Report): void {
  if (text !== "") return;
  report.fail(path, INVALID, "the value is empty", "Write a value, or remove the entry.");
}

function checkHeader(name: string, path: Path, report: Report): void {
  if (name === "" || HEADER.test(name)) return;
  const message = `${JSON.stringify(name)} is not the name of a header`;
  report.fail(path, "invalid-name", message, "Use letters, digits, '-' and '_'.");
}

/** Keys are either inline or at a URL. */
function checkKeys(rule: JWTRule, path: Path, report: Report): void {
  if (rule.jwks !== "" && rule.jwksUri !== "") {
    const message = "jwks and jwksUri exclude each other";
    report.failKey([...path, "jwks"], CONFLICT, message, "Keep one of the two.");
  }
  if (rule.jwksUri !== "") checkUri(rule.jwksUri, [...path, "jwksUri"], report);
  if (rule.jwks === "") return;
  const keys = keyCount(rule.jwks);
  if (keys === undefined) {
    const message = "jwks is not a set of keys in JSON";
    report.fail([...path, "jwks"], INVALID, message, 'Write {"keys": […]} as RFC 7517 has it.');
  } else if (keys === 0) {
    const message = "jwks holds no key: every token will be refused";
    report.warn([...path, "jwks"], INVALID, message, "Add the keys of the issuer.");
  }
}

function checkUri(uri: string, path: Path, report: Report): void {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  const http = url?.protocol === "https:" || url?.protocol === "http:";
  if (http && url.hostname !== "" && url.username === "" && url.password === "") return;
  const message = `${JSON.stringify(uri)} is not an address to fetch keys from`;
  report.fail(path, INVALID, message, "Write an https:// address without a user name.");
}

/** Returns the number of keys in a JSON Web Key Set; `undefined` if it is invalid. */
export function keyCount(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const keys = typeof value === "object" && value !== null && "keys" in value && value.keys;
    const good = Array.isArray(keys) &&
      keys.every((key: unknown) => typeof key === "object" && key !== null && "kty" in key);
    return good ? keys.length : undefined;
  } catch {
    return undefined;
  }
}

function checkTokenLocations(rule: JWTRule, path: Path, report: Report): void {
  rule.fromHeaders.forEach(({ name }, index) => {
    const at = [...path, "fromHeaders", index, "name"];
    checkFilled(name, at, report);
    checkHeader(name, at, report);
  });
  for (const field of ["fromParams", "fromCookies"] as const) {
    rule[field].forEach((name, index) => checkFilled(name, [...path, field, index], report));
  }
}
