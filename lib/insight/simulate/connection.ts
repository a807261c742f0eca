/**
 * A connection in its filter chain, after TLS termination or without TLS.
 *
 * @module
 */
import type { FilterChain } from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { CertificateValidationContext } from "#envoy/extensions/transport_sockets/tls/v3/common_pb.ts";
import {
  type DownstreamTlsContext,
  DownstreamTlsContextSchema,
} from "#envoy/extensions/transport_sockets/tls/v3/tls_pb.ts";
import { type Journey, note, undecided } from "./journey.ts";
import type { Seen } from "./listener.ts";
import { textMatches } from "./match.ts";
import { unpack } from "./resources.ts";
import { some, type Ternary } from "./ternary.ts";
import type { Ending } from "./verdict.ts";

/** A connection as filters see it. */
export interface Connection {
  /** True: the proxy terminated the client's TLS. */
  readonly ended: boolean;
  /** True: filters still see encrypted bytes. */
  readonly sealed: boolean;
  /** The identity of the client of its mutual TLS, or of its tunnel. */
  readonly principal: string | undefined;
  readonly serverName: string;
  readonly sourceIp: string;
}

const RAW = "envoy.transport_sockets.raw_buffer";

/**
 * Performs the TLS handshake that a chain requires; returns the reason of a failure, or endings that
 * are not decided.
 */
export function accept(
  chain: FilterChain,
  seen: Seen,
  journey: Journey,
): Connection | string | Ending[] {
  const { call: { tls, source, tunnel } } = journey;
  const socket = chain.transportSocket;
  const plain = socket === undefined || socket.name === RAW;
  const common = { serverName: seen.serverName, sourceIp: source.ip };
  if (plain) {
    return { ended: false, sealed: tls !== undefined, principal: tunnel?.principal, ...common };
  }
  const context = unpack(DownstreamTlsContextSchema, socket.configType.value);
  if (context === undefined) {
    journey.unmodelled.add(`transport socket ${socket.name}`);
    return { ended: tls !== undefined, sealed: false, principal: tls?.principal, ...common };
  }
  if (tls === undefined) return "the client does not speak TLS, which this chain ends";
  const absent = servedCertificates(context).find((name) => !journey.resources.hasSecret(name));
  if (absent !== undefined) {
    return undecided(
      `whether the proxy has the certificate ${absent}, which is not among its resources`,
      "Create the secret, or correct its name in the Gateway (credentialName, certificateRefs). Files " +
        "give no secrets: ask a daemon.",
    );
  }
  const fault = certificateFault(context, tls.principal);
  if (fault === undefined) journey.unmodelled.add("whether the certificate is accepted");
  if (typeof fault === "string" && fault !== "") return fault;
  const requires = context.requireClientCertificate === true;
  note(
    journey,
    "TLS",
    requires ? "mutual" : "server",
    `ends the client's TLS${asWhom(tls.principal)}`,
  );
  return { ended: true, sealed: false, principal: tls.principal, ...common };
}

/** Names of the proxy's certificates that the daemon serves as secrets. */
function servedCertificates({ commonTlsContext }: DownstreamTlsContext): string[] {
  return (commonTlsContext?.tlsCertificateSdsSecretConfigs ?? [])
    .filter(({ sdsConfig }) => sdsConfig?.configSourceSpecifier.case === "ads")
    .map(({ name }) => name);
}

function asWhom(principal: string | undefined): string {
  return principal === undefined ? "" : `, who is ${principal}`;
}

/** Returns why a certificate is rejected; empty: it is accepted. */
function certificateFault(
  context: DownstreamTlsContext,
  principal: string | undefined,
): string | undefined {
  if (principal === undefined) {
    return context.requireClientCertificate === true ? "the client shows no certificate" : "";
  }
  const names = validationOf(context)?.matchTypedSubjectAltNames ?? [];
  if (names.length === 0) return "";
  const accepted: Ternary = some(
    names,
    ({ matcher }) => matcher === undefined ? undefined : textMatches(matcher, principal),
  );
  if (accepted === undefined) return undefined;
  return accepted ? "" : `the name ${principal} is not one that is accepted`;
}

function validationOf(context: DownstreamTlsContext): CertificateValidationContext | undefined {
  const type = context.commonTlsContext?.validationContextType;
  if (type?.case === "validationContext") return type.value;
  return type?.case === "combinedValidationContext"
    ? type.value.defaultValidationContext
    : undefined;
}
