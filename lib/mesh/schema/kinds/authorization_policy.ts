/**
 * AuthorizationPolicy: names, effective fields, rules.
 *
 * @module
 */
import {
  type AuthorizationPolicy,
  AuthorizationPolicy_Action as Action,
  AuthorizationPolicySchema,
  type Condition,
  type Operation,
  type Rule,
  type Source,
} from "#mesh/security/v1beta1/authorization_policy_pb.ts";
import { eachInSteps, parseBoolean } from "../../../kit/base/mod.ts";
import type { Path } from "../../../kit/text/mod.ts";
import {
  checkPolicyScope,
  checkSubnet,
  conditionKey,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { SECURITY_API, type TabledKind } from "../kind.ts";

export const AUTHORIZATION_POLICY: TabledKind<
  "AuthorizationPolicy",
  "authorizationPolicies",
  AuthorizationPolicy
> = {
  kind: "AuthorizationPolicy",
  ...SECURITY_API,
  plural: "authorizationpolicies",
  scope: "namespaced",
  table: "authorizationPolicies",
  schema: AuthorizationPolicySchema,
  effective: {
    paths: ["selector", "targetRef", "targetRefs", "rules", "action", "provider"],
  },
  validate,
  checkAnnotations,
};

/** Annotation of policies in shadow (dry-run) mode; a boolean. */
export const DRY_RUN = "mesh.io/dry-run";

/** A value that is no boolean leaves the policy in force, which its author may not expect. */
function checkAnnotations(
  { [DRY_RUN]: dryRun }: Readonly<Record<string, string>>,
  report: Report,
): void {
  if (dryRun === undefined || parseBoolean(dryRun) !== undefined) return;
  const message = `${JSON.stringify(dryRun)} is no boolean, and the policy is in force`;
  const remedy = 'Write "true" to try the policy, or remove the annotation.';
  report.warnValue(["metadata", "annotations", DRY_RUN], INVALID, message, remedy);
}

/** Maximum number of service accounts in a list, and maximum length of each. */
const MAX_SERVICE_ACCOUNTS = 16;
const MAX_SERVICE_ACCOUNT_LENGTH = 320;

/** Checks an AuthorizationPolicy's specification. */
function* validate(
  spec: AuthorizationPolicy,
  identity: ObjectIdentity,
  report: Report,
): Generator<void, void> {
  checkPolicyScope(spec, identity, report);
  checkProvider(spec, report);
  checkEffect(spec, report);
  yield* eachInSteps(
    spec.rules,
    (rule, index) => checkRule(rule, spec.action, ["spec", "rules", index], report),
  );
}

function checkProvider(spec: AuthorizationPolicy, report: Report): void {
  const provider = spec.actionDetail.value;
  const path = ["spec", "provider"];
  if (spec.action !== Action.CUSTOM) {
    if (provider === undefined) return;
    const message = `action ${Action[spec.action]} takes no provider`;
    report.failKey(path, CONFLICT, message, "Remove provider, or use action CUSTOM.");
  } else if (provider === undefined || provider.name === "") {
    const message = "action CUSTOM needs a provider";
    const remedy = "Give provider.name, as an extension provider of the mesh is called.";
    report.fail(
      provider === undefined ? ["spec", "action"] : [...path, "name"],
      REQUIRED,
      message,
      remedy,
    );
  }
}

/** A rule without any effect is an error for CUSTOM and a warning for the other actions. */
function checkEffect(spec: AuthorizationPolicy, report: Report): void {
  if (spec.rules.length > 0 || spec.action === Action.ALLOW) return;
  const action = Action[spec.action];
  const message = `action ${action} without rules never applies`;
  const remedy = "Write rules; one empty rule, [{}], applies to everything.";
  if (spec.action === Action.CUSTOM) report.failKey(["spec"], REQUIRED, message, remedy);
  else report.warn(["spec"], REQUIRED, message, remedy);
}

function checkRule(rule: Rule, action: Action, path: Path, report: Report): void {
  rule.from.forEach(({ source }, index) => {
    const at = [...path, "from", index];
    if (source === undefined) missing("source", at, report);
    else checkSource(source, action, [...at, "source"], report);
  });
  rule.to.forEach(({ operation }, index) => {
    const at = [...path, "to", index];
    if (operation === undefined) missing("operation", at, report);
    else checkOperation(operation, [...at, "operation"], report);
  });
  rule.when.forEach((one, index) => checkCondition(one, action, [...path, "when", index], report));
}

function missing(name: string, path: Path, report: Report): void {
  report.fail(path, REQUIRED, `the entry has no ${name}`, `Write ${name}, or remove the entry.`);
}

/** Returns the lists of a message by field name, set or not. */
function listsOf(message: Source | Operation): [name: string, values: readonly string[]][] {
  return Object.entries(message).filter((entry): entry is [string, string[]] =>
    Array.isArray(entry[1])
  );
}

/** A source or an operation must not be empty, and its entries must not be empty. */
function checkLists(message: Source | Operation, what: string, path: Path, report: Report): void {
  const lists = listsOf(message);
  if (lists.every(([, values]) => values.length === 0)) {
    report.fail(path, REQUIRED, `the ${what} sets nothing`, `Set a field of it, or remove it.`);
  }
  for (const [name, values] of lists) {
    values.forEach((value, index) => checkPresent(value, [...path, name, index], report));
  }
}

function checkPresent(value: string, path: Path, report: Report): void {
  if (value !== "") return;
  report.fail(path, INVALID, "the entry is empty", "Write a value, or remove the entry.");
}

function checkSource(source: Source, action: Action, path: Path, report: Report): void {
  checkLists(source, "source", path, report);
  for (const name of ["ipBlocks", "notIpBlocks", "remoteIpBlocks", "notRemoteIpBlocks"] as const) {
    source[name].forEach((block, i) => block && checkSubnet(block, [...path, name, i], report));
  }
  for (const name of ["serviceAccounts", "notServiceAccounts"] as const) {
    checkServiceAccounts(source[name], [...path, name], report);
  }
  for (const name of ["trustDomains", "notTrustDomains"] as const) {
    source[name].forEach((domain, i) => checkTrustDomain(domain, [...path, name, i], report));
  }
  const accounts = source.serviceAccounts.length + source.notServiceAccounts.length > 0;
  const others = [
    source.principals,
    source.notPrincipals,
    source.namespaces,
    source.notNamespaces,
  ].some((list) => list.length > 0);
  if (accounts && others) {
    const message = "service accounts exclude namespaces and principals";
    report.fail(path, CONFLICT, message, "Keep one of the ways to name the caller.");
  }
  for (const name of ["requestPrincipals", "notRequestPrincipals"] as const) {
    if (source[name].length > 0) checkTokenUse(action, [...path, name], report);
  }
}

/** External authorization runs before token verification, so its rules cannot use tokens. */
function checkTokenUse(action: Action, path: Path, report: Report): void {
  if (action !== Action.CUSTOM) return;
  const message = "the token of a request is not known yet when CUSTOM rules are looked at";
  report.warn(path, "no-effect", message, "Use it in rules of another action.");
}

function checkServiceAccounts(accounts: readonly string[], path: Path, report: Report): void {
  if (accounts.length > MAX_SERVICE_ACCOUNTS) {
    const message = `${accounts.length} service accounts are more than ${MAX_SERVICE_ACCOUNTS}`;
    report.fail(path, "out-of-range", message, "Split the rule.");
  }
  accounts.forEach((account, index) => {
    const parts = account.split("/");
    const good = parts.length <= 2 && parts.every((part) => part !== "") &&
      !account.includes("*") && account.length <= MAX_SERVICE_ACCOUNT_LENGTH;
    if (good || account === "") return;
    const message = `${JSON.stringify(account)} is not a service account`;
    const remedy = "Write name or namespace/name, without wildcards.";
    report.fail([...path, index], "invalid-name", message, remedy);
  });
}

function checkTrustDomain(domain: string, path: Path, report: Report): void {
  if (domain === "" || /^\*?[a-z0-9._-]+\*?$|^\*$/i.test(domain)) return;
  const message = `${JSON.stringify(domain)} is not a trust domain`;
  report.fail(path, "invalid-name", message, "Write a name such as cluster.local.");
}

function checkOperation(operation: Operation, path: Path, report: Report): void {
  checkLists(operation, "operation", path, report);
  for (const name of ["ports", "notPorts"] as const) {
    operation[name].forEach((port, i) => port && checkPortText(port, [...path, name, i], report));
  }
  for (const name of ["paths", "notPaths"] as const) {
    operation[name].forEach((text, i) => checkTemplate(text, [...path, name, i], report));
  }
}

function checkPortText(port: string, path: Path, report: Report): void {
  if (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535) return;
  const message = `${JSON.stringify(port)} is not a port`;
  report.fail(path, "invalid-port", message, 'Write a port from 1 to 65535, such as "8080".');
}

/** Checks Envoy's form of a path template, with `{*}` for one segment and `{**}` for any number. */
function checkTemplate(text: string, path: Path, report: Report): void {
  if (!/\{\*{1,2}\}/.test(text)) return;
  const remedy =
    "Write, for example, /users/{*}/posts or /files/{**}; nothing stands beside them in a segment.";
  const segments = text.split("/");
  const stray = segments.some((segment) =>
    segment !== "{*}" && segment !== "{**}" && /[*{}]/.test(segment)
  );
  const open = segments.indexOf("{**}");
  const second = open >= 0 && segments.indexOf("{**}", open + 1) >= 0;
  if (text.startsWith("/") && !stray && !second) return;
  report.fail(path, INVALID, `${JSON.stringify(text)} is not a template of a path`, remedy);
}

function checkCondition(one: Condition, action: Action, path: Path, report: Report): void {
  const key = conditionKey(one.key);
  if (key === undefined) {
    const message = one.key === ""
      ? "the condition has no key"
      : `condition ${JSON.stringify(one.key)} is not known`;
    const remedy =
      "Write, for example, source.namespace, request.headers[x-user] or request.auth.claims[group].";
    report.fail([...path, "key"], one.key === "" ? REQUIRED : "unknown-value", message, remedy);
    return;
  }
  if (one.values.length + one.notValues.length === 0) {
    const message = "the condition has neither values nor notValues";
    report.fail(path, REQUIRED, message, "Give values, notValues or both.");
  }
  for (const name of ["values", "notValues"] as const) {
    one[name].forEach((value, index) => {
      const at = [...path, name, index];
      checkPresent(value, at, report);
      if (value === "") return;
      if (key.type === "subnet") checkSubnet(value, at, report);
      if (key.type === "port") checkPortText(value, at, report);
      if (key.type === "account") checkServiceAccounts([value], [...path, name], report);
    });
  }
  if (key.token) checkTokenUse(action, [...path, "key"], report);
}
