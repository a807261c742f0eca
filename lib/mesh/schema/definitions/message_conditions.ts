/**
 * Conditions of messages that a definition of a custom resource states, so that the API server refuses
 * a wrong object also without the validation webhook. Each is a part of what the kinds' own rules
 * check: an object that a condition refuses is rejected by them, too.
 *
 * @module
 */
import {
  countOf,
  exclusive,
  filled,
  isValue,
  type MessageConditions,
  present,
  type Rule,
} from "./expressions.ts";
import { POLICIES, ROUTES } from "./traffic_conditions.ts";

const N = "mesh.networking.v1alpha3";
const S = "mesh.security.v1beta1";

const SCOPE: readonly Rule[] = [exclusive(
  [present("selector"), present("targetRef"), filled("targetRefs")],
  "selector, targetRef and targetRefs exclude each other",
)];

/** Modes of server TLS that need a certificate. */
const WITH_CERTIFICATE = "(has(self.mode) && self.mode in ['SIMPLE', 'MUTUAL', 'OPTIONAL_MUTUAL'])";
const CERTIFICATES = [
  filled("credentialName"),
  filled("credentialNames"),
  filled("tlsCertificates"),
  `(${filled("serverCertificate")} || ${filled("privateKey")})`,
];

const LISTENERS: Readonly<Record<string, MessageConditions>> = {
  [`${N}.Gateway`]: { required: ["servers"] },
  [`${N}.Server`]: {
    required: ["hosts", "port"],
    rules: [{
      rule: "!has(self.port.protocol) || !(self.port.protocol.upperAscii() in ['HTTPS', 'TLS'])" +
        " || has(self.tls)",
      message: "protocols HTTPS and TLS need tls",
    }],
  },
  [`${N}.Port`]: { required: ["name", "protocol"] },
  [`${N}.ServerTLSSettings`]: {
    rules: [
      {
        rule: `!${WITH_CERTIFICATE} || ${countOf(CERTIFICATES)} <= 1`,
        message: "credentialName, credentialNames, tlsCertificates and serverCertificate exclude " +
          "each other",
      },
      {
        rule: `!${WITH_CERTIFICATE} || ${
          CERTIFICATES.join(" || ")
        } || (has(self.httpsRedirect) && self.httpsRedirect)`,
        message: "the mode needs credentialName, credentialNames, tlsCertificates, or " +
          "serverCertificate and privateKey",
      },
    ],
  },
  [`${N}.Sidecar`]: {
    rules: [{
      rule: `${filled("ingress")} || ${filled("egress")} || ${
        present("outboundTrafficPolicy")
      } || ${present("inboundConnectionPool")}`,
      message: "ingress, egress, outboundTrafficPolicy or inboundConnectionPool is required",
    }],
  },
  [`${N}.MeshIngressListener`]: { required: ["port"] },
  [`${N}.SidecarPort`]: { required: ["number"] },
  [`${N}.MeshEgressListener`]: {
    required: ["hosts"],
    rules: [
      { rule: `!${filled("bind")} || ${present("port")}`, message: "bind needs port" },
      {
        rule: `!${present("captureMode")} || ${isValue("captureMode", "DEFAULT")} || ${
          present("port")
        }`,
        message: "captureMode needs port",
      },
    ],
  },
  [`${N}.OutboundTrafficPolicy`]: {
    rules: [{
      rule: `!${present("egressProxy")} || ${isValue("mode", "ALLOW_ANY")}`,
      message: "egressProxy goes with mode ALLOW_ANY only",
    }],
  },
};

const WORKLOADS: Readonly<Record<string, MessageConditions>> = {
  [`${N}.ServiceEntry`]: {
    required: ["hosts"],
    rules: [
      exclusive(
        [present("workloadSelector"), filled("endpoints")],
        "workloadSelector and endpoints exclude each other",
      ),
      {
        rule: `${present("resolution")} && !(self.resolution in ['NONE', 'DYNAMIC_DNS']) || !${
          filled("endpoints")
        }`,
        message: "resolution NONE and DYNAMIC_DNS take no endpoints",
      },
      {
        rule: `!${
          isValue("resolution", "DNS_ROUND_ROBIN")
        } || !has(self.endpoints) || size(self.endpoints) <= 1`,
        message: "resolution DNS_ROUND_ROBIN takes one of endpoints at most",
      },
      {
        rule: "!has(self.resolution) || self.resolution in ['NONE', 'STATIC'] || " +
          "!has(self.addresses) || !self.addresses.exists(one, one.contains('/'))",
        message: "ranges in addresses go with resolution NONE or STATIC only",
      },
    ],
  },
  [`${N}.ServicePort`]: { required: ["name", "number"] },
  [`${N}.WorkloadEntry`]: {
    rules: [{
      rule: `!(${filled("ports")} && has(self.address) && self.address.startsWith('unix://'))`,
      message: "ports do not go with an address of a Unix socket",
    }],
  },
  [`${N}.WorkloadGroup`]: { required: ["template"] },
  [`${N}.ReadinessProbe`]: {
    rules: [{
      rule: ["httpGet", "tcpSocket", "grpc", "exec"].map(present).join(" || "),
      message: "httpGet, tcpSocket, grpc or exec is required",
    }],
  },
  [`${N}.HTTPHealthCheckConfig`]: { required: ["port"] },
  [`${N}.TCPHealthCheckConfig`]: { required: ["port"] },
  [`${N}.GrpcHealthCheckConfig`]: { required: ["port"] },
  [`${N}.ExecHealthCheckConfig`]: { required: ["command"] },
};

const SECURITY: Readonly<Record<string, MessageConditions>> = {
  [`${S}.AuthorizationPolicy`]: {
    rules: [...SCOPE, {
      rule: `${isValue("action", "CUSTOM")} == ${present("provider")}`,
      message: "action CUSTOM needs provider, and other actions take no provider",
    }],
  },
  [`${S}.AuthorizationPolicy.ExtensionProvider`]: { required: ["name"] },
  [`${S}.Rule.From`]: { required: ["source"] },
  [`${S}.Rule.To`]: { required: ["operation"] },
  [`${S}.Condition`]: { required: ["key"] },
  [`${S}.PeerAuthentication`]: {
    rules: [{
      rule: `!${present("portLevelMtls")} || (${present("selector")} && ` +
        "has(self.selector.matchLabels) && size(self.selector.matchLabels) > 0)",
      message: "portLevelMtls needs selector with matchLabels",
    }],
  },
  [`${S}.RequestAuthentication`]: { rules: SCOPE },
  [`${S}.JWTRule`]: {
    required: ["issuer"],
    rules: [exclusive([filled("jwks"), filled("jwksUri")], "jwks and jwksUri exclude each other")],
  },
  [`${S}.JWTHeader`]: { required: ["name"] },
  [`${S}.ClaimToHeader`]: { required: ["header", "claim"] },
  "mesh.type.v1beta1.PolicyTargetReference": { required: ["kind", "name"] },
};

const EXTENSIONS: Readonly<Record<string, MessageConditions>> = {
  "mesh.telemetry.v1alpha1.Telemetry": { rules: SCOPE },
  "mesh.telemetry.v1alpha1.ProviderRef": { required: ["name"] },
  "mesh.extensions.v1alpha1.WasmPlugin": { required: ["url"], rules: SCOPE },
  "mesh.extensions.v1alpha1.EnvVar": {
    required: ["name"],
    rules: [{
      rule: `!(${isValue("valueFrom", "HOST")} && ${filled("value")})`,
      message: "valueFrom HOST takes no value",
    }],
  },
  [`${N}.DataproxyFilter`]: {
    rules: [exclusive(
      [present("workloadSelector"), filled("targetRefs")],
      "workloadSelector and targetRefs exclude each other",
    )],
  },
  [`${N}.DataproxyFilter.DataproxyConfigObjectPatch`]: { required: ["applyTo", "patch"] },
  [`${N}.DataproxyFilter.Patch`]: { required: ["operation"] },
};

/** Conditions by the full name of the message. */
export const MESSAGE_CONDITIONS: Readonly<Record<string, MessageConditions>> = {
  ...ROUTES,
  ...POLICIES,
  ...LISTENERS,
  ...WORKLOADS,
  ...SECURITY,
  ...EXTENSIONS,
};

/** Conditions of messages that hold only if the message is the specification of an object. */
export const ROOT_CONDITIONS: Readonly<Record<string, MessageConditions>> = {
  [`${N}.WorkloadEntry`]: {
    rules: [{
      rule: `${filled("address")} || ${filled("network")}`,
      message: "address or network is required",
    }],
  },
};
