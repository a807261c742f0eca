/**
 * Conditions of the messages of VirtualServices and DestinationRules.
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

const N = "mesh.networking.v1alpha3";

/** Conditions of the messages of VirtualServices. */
export const ROUTES: Readonly<Record<string, MessageConditions>> = {
  [`${N}.VirtualService`]: {
    rules: [{
      rule: `${filled("http")} || ${filled("tls")} || ${filled("tcp")}`,
      message: "http, tls or tcp is required",
    }],
  },
  [`${N}.HTTPRoute`]: {
    rules: [
      {
        rule: `${
          countOf([
            filled("route"),
            present("redirect"),
            present("directResponse"),
            present("delegate"),
          ])
        } == 1`,
        message: "exactly one of route, redirect, directResponse and delegate is required",
      },
      exclusive([present("mirror"), filled("mirrors")], "mirror and mirrors exclude each other"),
      ...["fault", "rewrite"].map((name): Rule => ({
        rule: `!(${present(name)} && (${present("redirect")} || ${present("directResponse")}))`,
        message: `${name} does not go with redirect and directResponse`,
      })),
    ],
  },
  [`${N}.HTTPRouteDestination`]: { required: ["destination"] },
  [`${N}.RouteDestination`]: { required: ["destination"] },
  [`${N}.HTTPMirrorPolicy`]: { required: ["destination"] },
  [`${N}.Destination`]: { required: ["host"] },
  [`${N}.TLSRoute`]: { required: ["match", "route"] },
  [`${N}.TLSMatchAttributes`]: { required: ["sniHosts"] },
  [`${N}.TCPRoute`]: { required: ["route"] },
  [`${N}.HTTPRedirect`]: {
    rules: [
      exclusive(
        [filled("uri"), filled("prefixRewrite")],
        "uri and prefixRewrite exclude each other",
      ),
      {
        rule: "!has(self.redirectCode) || self.redirectCode in [0, 301, 302, 303, 307, 308]",
        message: "redirectCode must be 301, 302, 303, 307 or 308",
      },
    ],
  },
  [`${N}.HTTPRewrite`]: {
    rules: [
      {
        rule: `${filled("uri")} || ${filled("authority")} || ${present("uriRegexRewrite")}`,
        message: "uri, authority or uriRegexRewrite is required",
      },
      exclusive(
        [filled("uri"), present("uriRegexRewrite")],
        "uri and uriRegexRewrite exclude each other",
      ),
    ],
  },
  [`${N}.HTTPDirectResponse`]: { required: ["status"] },
  [`${N}.HTTPFaultInjection`]: {
    rules: [{
      rule: `${present("delay")} || ${present("abort")}`,
      message: "delay or abort is required",
    }],
  },
};

/** Conditions of the messages of DestinationRules. */
export const POLICIES: Readonly<Record<string, MessageConditions>> = {
  [`${N}.DestinationRule`]: { required: ["host"] },
  [`${N}.Subset`]: { required: ["name"] },
  [`${N}.TrafficPolicy.PortTrafficPolicy`]: { required: ["port"] },
  [`${N}.TrafficPolicy.TunnelSettings`]: { required: ["targetHost", "targetPort"] },
  [`${N}.LoadBalancerSettings`]: {
    rules: [exclusive(
      [present("warmup"), present("warmupDurationSecs")],
      "warmup and warmupDurationSecs exclude each other",
    )],
  },
  [`${N}.WarmupConfiguration`]: { required: ["duration"] },
  [`${N}.LocalityLoadBalancerSetting`]: {
    rules: [exclusive(
      [filled("distribute"), filled("failover")],
      "distribute and failover exclude each other",
    )],
  },
  [`${N}.ConnectionPoolSettings`]: {
    rules: [{
      rule: `${present("tcp")} || ${present("http")}`,
      message: "tcp or http is required",
    }],
  },
  [`${N}.ConnectionPoolSettings.HTTPSettings`]: {
    rules: [{
      rule: `!(has(self.useClientProtocol) && self.useClientProtocol && ${
        isValue("h2UpgradePolicy", "UPGRADE")
      })`,
      message: "useClientProtocol and h2UpgradePolicy UPGRADE exclude each other",
    }],
  },
  [`${N}.OutlierDetection`]: {
    rules: [{
      rule:
        "!(has(self.consecutiveLocalOriginFailures) && self.consecutiveLocalOriginFailures > 0) || " +
        "(has(self.splitExternalLocalOriginErrors) && self.splitExternalLocalOriginErrors)",
      message: "consecutiveLocalOriginFailures needs splitExternalLocalOriginErrors: true",
    }],
  },
  [`${N}.ClientTLSSettings`]: {
    rules: [
      exclusive(
        [
          filled("credentialName"),
          `(${["clientCertificate", "privateKey", "caCertificates"].map(filled).join(" || ")})`,
        ],
        "credentialName excludes clientCertificate, privateKey and caCertificates",
      ),
      {
        rule: `!${isValue("mode", "MUTUAL")} || ${filled("credentialName")} || (${
          filled("clientCertificate")
        } && ${filled("privateKey")})`,
        message: "mode MUTUAL needs credentialName, or clientCertificate and privateKey",
      },
    ],
  },
};
