/**
 * Scenes for the fields of security kinds.
 *
 * @module
 */
import { fromJson } from "../../../lib/kit/proto/mod.ts";
import { MeshConfigSchema } from "#mesh/mesh/v1alpha1/config_pb.ts";
import type { FieldValues } from "./fields.ts";
import { openStage, type Scene, type Stage } from "./observe.ts";

const SELECTED = { selector: { matchLabels: { app: "server" } } };

/** A gateway that a watcher is. */
const ROUTER = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" };

/** Values of its fields that mean another, or none. */
const ELSEWHERE = { group: ROUTER.group, kind: "Other", name: "other", namespace: "two" };

/** Specifications for labels that begin so; the longest wins. */
function byPrefix(specs: Readonly<Record<string, unknown>>): Scene["specOf"] {
  const prefixes = Object.keys(specs).sort((a, b) => b.length - a.length);
  return (label) => specs[prefixes.find((prefix) => label.startsWith(prefix)) ?? ""];
}

const common = { apiVersion: "security.mesh.io/v1", namespace: "one" };

const TARGETS = Object.fromEntries(
  ["targetRef", "targetRefs[]"].flatMap((at) =>
    Object.entries(ELSEWHERE).map(([field, value]) => [`${at}.${field}`, value])
  ),
);

/** Conditions, sources and operations, each with one value. */
const RULE_VALUES: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries({
    "from[].source.ipBlocks[]": "10.0.0.0/8",
    "from[].source.notIpBlocks[]": "10.0.0.0/8",
    "from[].source.remoteIpBlocks[]": "10.0.0.0/8",
    "from[].source.notRemoteIpBlocks[]": "10.0.0.0/8",
    "to[].operation.ports[]": "81",
    "to[].operation.notPorts[]": "81",
    "when[].key": "request.headers[x-other]",
    "when[].values[]": "other",
  }).map(([label, value]) => [`rules[].${label}`, value]),
);

const RULES = [{
  from: [{ source: { principals: ["a"] } }],
  to: [{ operation: { methods: ["GET"] } }],
  when: [{ key: "request.headers[x-a]", values: ["b"] }],
}];

/** Keys of which the mesh has a copy. */
const KEYS_URI = "https://issuer.test/keys";
const KEYS = '{"keys":[{"kty":"oct","kid":"k","k":"c2VjcmV0"}]}';

/** A mesh with an authoriser, and with keys that were fetched. */
export function openSecured(background: string): Stage {
  const stage = openStage(background);
  stage.bench.apply({
    mesh: fromJson(MeshConfigSchema, {
      rootNamespace: "mesh-system",
      extensionProviders: [{
        name: "judge",
        dataproxyExtAuthzGrpc: { service: "a.example", port: 80 },
      }],
    }),
    keySets: new Map([[KEYS_URI, { jwks: KEYS }]]),
  });
  return stage;
}

const WHOLE_RULE = { issuer: "https://issuer.test", jwks: '{"keys":[]}' };

/** Scenes by kind. */
export const SECURITY_SCENES: Readonly<Record<string, Scene & FieldValues>> = {
  AuthorizationPolicy: {
    ...common,
    kind: "AuthorizationPolicy",
    specOf: byPrefix({
      "": { ...SELECTED, rules: RULES },
      "selector": { rules: RULES },
      "targetRef": { targetRef: ROUTER, rules: RULES },
      "targetRefs": { targetRefs: [ROUTER], rules: RULES },
      "action": { ...SELECTED, action: "DENY", rules: RULES },
      "action=DENY": { ...SELECTED, rules: RULES },
      "action=AUDIT": { ...SELECTED, rules: RULES },
      "action=CUSTOM": { ...SELECTED, rules: RULES },
      "provider": { ...SELECTED, action: "CUSTOM", rules: RULES, provider: { name: "nobody" } },
      "rules[].from[].source.serviceAccounts": {
        ...SELECTED,
        rules: [{ from: [{ source: { ipBlocks: ["1.1.1.1"] } }] }],
      },
      "rules[].from[].source.notServiceAccounts": {
        ...SELECTED,
        rules: [{ from: [{ source: { ipBlocks: ["1.1.1.1"] } }] }],
      },
    }),
    values: {
      ...TARGETS,
      ...RULE_VALUES,
      "provider.name": "judge",
      "selector.matchLabels.app": "server",
    },
    keys: { "selector.matchLabels": "app" },
  },
  RequestAuthentication: {
    ...common,
    kind: "RequestAuthentication",
    specOf: byPrefix({
      "": { ...SELECTED, jwtRules: [WHOLE_RULE] },
      "selector": { jwtRules: [WHOLE_RULE] },
      "targetRef": { targetRef: ROUTER, jwtRules: [WHOLE_RULE] },
      "targetRefs": { targetRefs: [ROUTER], jwtRules: [WHOLE_RULE] },
      "jwtRules[].jwksUri": { ...SELECTED, jwtRules: [{ issuer: WHOLE_RULE.issuer }] },
      "jwtRules[].fromHeaders[]": {
        ...SELECTED,
        jwtRules: [{ ...WHOLE_RULE, fromHeaders: [{ name: "x-token" }] }],
      },
      "jwtRules[].outputClaimToHeaders[]": {
        ...SELECTED,
        jwtRules: [{ ...WHOLE_RULE, outputClaimToHeaders: [{ header: "x-sub", claim: "sub" }] }],
      },
    }),
    values: {
      ...TARGETS,
      "selector.matchLabels.app": "server",
      "jwtRules[].jwks": KEYS,
      "jwtRules[].jwksUri": KEYS_URI,
    },
    keys: { "selector.matchLabels": "app" },
  },
  PeerAuthentication: {
    ...common,
    kind: "PeerAuthentication",
    specOf: byPrefix({
      "": { ...SELECTED, mtls: { mode: "STRICT" } },
      "selector": { mtls: { mode: "STRICT" } },
      "mtls.mode": { ...SELECTED, mtls: { mode: "DISABLE" } },
      "mtls.mode=DISABLE": { ...SELECTED, mtls: { mode: "STRICT" } },
      "portLevelMtls.7070.mode=STRICT": { ...SELECTED, mtls: { mode: "DISABLE" } },
    }),
    values: { "selector.matchLabels.app": "server" },
    keys: { "selector.matchLabels": "app", "portLevelMtls": "7070" },
  },
};
