/**
 * Conversion of policies to DestinationRules, one for each Service.
 *
 * @module
 */
import type {
  BackendTLSPolicy,
  BackendTLSPolicyValidation,
} from "#mesh/gateway/v1/backend_tls_policy_pb.ts";
import {
  ClientTLSSettings_TLSmode as TlsMode,
  type ClientTLSSettingsSchema,
  type DestinationRule,
  DestinationRuleSchema,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import { create, type MessageInitShape } from "../../../kit/proto/mod.ts";
import { type ConfigObject, type ObjectKey, withApiTraffic } from "../../model/mod.ts";
import type { BoundBackendTls, BoundValidation, PolicyTarget } from "../binding/policies.ts";
import { type BoundTrafficPolicy, trafficOf } from "./backend_traffic.ts";
import { GENERATED, generatedRow, PARENTS_ANNOTATION } from "./rows.ts";

/** A policy with its binding. */
export interface BoundPolicy {
  readonly policy: ConfigObject<BackendTLSPolicy>;
  readonly bound: BoundBackendTls;
}

/** A Service that policies target. */
export interface TargetService extends ObjectKey {
  readonly host: string;
  readonly ports: readonly { readonly name: string; readonly number: number }[];
}

/** A name that no certificate has: without an authority that can be used, no server is trusted. */
const NOBODY = "no-valid-authority.invalid";

/** The DestinationRule of a Service; undefined if no policy has effect on it. */
export function convertPolicies(
  service: TargetService,
  policies: readonly BoundPolicy[],
  trafficPolicies: readonly BoundTrafficPolicy[] = [],
): ConfigObject<DestinationRule> | undefined {
  const effective = policies.flatMap((one) =>
    one.bound.targets.filter(({ ref, fault }) => ref.name === service.name && fault === undefined)
      .map(({ ref }) => ({ ...one, ref }))
  ).toSorted((a, b) => a.policy.meta.name < b.policy.meta.name ? -1 : 1);
  const traffic = trafficOf(service.name, trafficPolicies);
  const from = effective[0]?.policy.meta ?? traffic?.policy.meta;
  if (from === undefined) return undefined;
  const whole = effective.find(({ ref }) => !ref.sectionName);
  const ports = effective.flatMap((one) => portOf(service, one));
  const spec = create(DestinationRuleSchema, {
    host: service.host,
    trafficPolicy: {
      ...(whole === undefined ? {} : { tls: tlsOf(whole) }),
      portLevelSettings: ports,
      ...(traffic?.retryBudget === undefined ? {} : { retryBudget: traffic.retryBudget }),
    },
  });
  if (traffic?.facts !== undefined) withApiTraffic(spec.trafficPolicy!, traffic.facts);
  const { namespace, name } = service;
  return generatedRow(DestinationRuleSchema, spec, {
    kind: "DestinationRule",
    namespace,
    name: `${name}-${GENERATED}`,
    annotations: {
      [PARENTS_ANNOTATION]: [
        ...new Set(
          effective.map(({ policy }) => `BackendTLSPolicy/${policy.meta.name}.${namespace}`),
        ),
        ...(traffic === undefined
          ? []
          : [`${traffic.policy.meta.kind}/${traffic.policy.meta.name}.${namespace}`]),
      ].join(","),
    },
    from,
    ...(traffic?.facts === undefined ? {} : { facts: JSON.stringify(traffic.facts) }),
  });
}

/** The settings of the port that a target names. */
function portOf(service: TargetService, one: BoundPolicy & { readonly ref: PolicyTarget }) {
  const port = service.ports.find(({ name }) => name === one.ref.sectionName);
  return port === undefined ? [] : [{ port: { number: port.number }, tls: tlsOf(one) }];
}

function tlsOf({ policy, bound }: BoundPolicy): MessageInitShape<typeof ClientTLSSettingsSchema> {
  return tlsSettings(policy.spec.validation ?? {}, bound);
}

/** TLS to servers that are validated so. */
export function tlsSettings(
  { hostname = "", subjectAltNames = [] }: Partial<BackendTLSPolicyValidation>,
  bound: BoundValidation,
): MessageInitShape<typeof ClientTLSSettingsSchema> {
  const names = subjectAltNames.map((one) => one.type === "URI" ? one.uri : one.hostname);
  const common = { mode: TlsMode.SIMPLE, sni: hostname };
  if (bound.rejected !== undefined) return { ...common, subjectAltNames: [NOBODY] };
  const [authority] = bound.authorities.valid;
  const scheme = authority?.kind === "ConfigMap" ? "configmap" : "kubernetes-gateway";
  return {
    ...common,
    subjectAltNames: names.length > 0 ? names : [hostname],
    ...(authority === undefined
      ? {}
      : { credentialName: `${scheme}://${authority.namespace}/${authority.name}` }),
  };
}
