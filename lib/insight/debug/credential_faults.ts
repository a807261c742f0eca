/**
 * Credentials that cannot be used, and the proxies and objects that need them.
 *
 * @module
 */
import {
  type ConfigObject,
  hasLabels,
  objectKeys,
  objectRef,
  type ProxyClass,
} from "../../mesh/model/mod.ts";
import type { CredentialFault } from "../../mesh/sources/mod.ts";
import type { SessionInfo } from "../../mesh/xds/mod.ts";
import type { DestinationRule } from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import type { Gateway } from "#mesh/networking/v1alpha3/gateway_pb.ts";
import type { DebugInputs } from "./inputs.ts";

/** Says what is served instead of a faulty credential. */
export function servedText({ lastGoodServes }: CredentialFault): string {
  return lastGoodServes
    ? "proxies are served the last good version until the daemon starts again"
    : "proxies get none, so ports that need it refuse connections";
}

/** Sentences about the faulty credentials that a proxy asks for. */
export function credentialWarnings(inputs: DebugInputs, session: SessionInfo): string[] {
  return inputs.credentialFaults().filter((fault) => asksFor(session, fault)).map((fault) =>
    `the credential ${fault.credential} cannot be used: ${fault.problem} (${fault.place}); ${
      servedText(fault)
    }. ${REMEDY}`
  );
}

/** The remedy of every faulty credential. */
export const REMEDY =
  "Write a certificate and its key that belong together, in PEM; they are used as soon as they are read.";

/** Reports if a proxy asks for a credential of its namespace. */
export function asksFor({ node, types }: SessionInfo, { credential }: CredentialFault): boolean {
  const { namespace, name } = objectKeys.decode(credential);
  return node.namespace === namespace &&
    types.some(({ short, names }) => short === "sds" && names.some((one) => isOf(one, name)));
}

/** Suffix of the name of a secret with the authorities of a credential. */
const AUTHORITIES = "-cacert";

/** Reports if the name of a secret, in an object or in xDS, is that of a credential. */
function isOf(secret: string, name: string): boolean {
  const plain = secret.replace(/^[a-z]+:\/\//, "");
  return plain === name || plain === `${name}${AUTHORITIES}`;
}

/**
 * The Gateways and DestinationRules that name a credential, `Kind/namespace/name`. A credential is that
 * of the proxy's namespace, so a Gateway of another one counts if it selects a proxy there.
 */
export function objectsNaming(inputs: DebugInputs, { credential }: CredentialFault): string[] {
  const { namespace, name } = objectKeys.decode(credential);
  const near = inputs.sessions().filter(({ node }) => node.namespace === namespace);
  const selects = ({ meta, spec }: ConfigObject) =>
    meta.namespace === namespace ||
    meta.kind === "Gateway" &&
      near.some((session) => hasLabels(labelsOf(session), (spec as Gateway).selector));
  return inputs.objects()
    .filter((object) => namesOf(object).some((one) => isOf(one, name)) && selects(object))
    .map(objectRef);
}

function labelsOf({ classKey }: SessionInfo): Readonly<Record<string, string>> {
  return (JSON.parse(classKey) as Pick<ProxyClass, "labels">).labels;
}

function namesOf({ meta: { kind }, spec }: ConfigObject): string[] {
  if (kind === "Gateway") {
    return (spec as Gateway).servers.flatMap(({ tls }) =>
      tls === undefined
        ? []
        : [tls.credentialName, ...tls.credentialNames, tls.caCertCredentialName]
    );
  }
  if (kind !== "DestinationRule") return [];
  const { trafficPolicy, subsets } = spec as DestinationRule;
  return [trafficPolicy, ...subsets.map((one) => one.trafficPolicy)].flatMap((policy) => [
    policy?.tls?.credentialName ?? "",
    ...(policy?.portLevelSettings ?? []).map(({ tls }) => tls?.credentialName ?? ""),
  ]);
}
