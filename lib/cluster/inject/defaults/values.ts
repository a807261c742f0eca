/**
 * Values for templates that apply where the ConfigMap gives none.
 *
 * @module
 */
import type { Json } from "../objects.ts";

const REQUESTS = { cpu: "100m", memory: "128Mi" };

/** The built-in values. */
export const DEFAULT_VALUES: Json = {
  gateways: { seccompProfile: {}, securityContext: {} },
  global: {
    caAddress: "",
    caName: "",
    hub: "mesh",
    imagePullPolicy: "",
    imagePullSecrets: [],
    logAsJson: false,
    logging: { level: "default:info" },
    meshID: "",
    meshNamespace: "mesh-system",
    mountMtlsCerts: false,
    multiCluster: { clusterName: "" },
    network: "",
    pilotCertProvider: "meshd",
    platform: "",
    proxy: {
      clusterDomain: "cluster.local",
      componentLogLevel: "misc:error",
      excludeIPRanges: "",
      excludeInboundPorts: "",
      excludeOutboundPorts: "",
      holdApplicationUntilProxyStarts: false,
      image: "proxyv2",
      includeIPRanges: "*",
      includeInboundPorts: "*",
      includeOutboundPorts: "",
      logLevel: "warning",
      outlierLogPath: "",
      privileged: false,
      readinessFailureThreshold: 4,
      readinessInitialDelaySeconds: 0,
      readinessPeriodSeconds: 15,
      seccompProfile: {},
      resources: { limits: { cpu: "2000m", memory: "1024Mi" }, requests: REQUESTS },
      startupProbe: { enabled: true, failureThreshold: 600 },
      statusPort: 15020,
      tracer: "none",
    },
    proxy_init: { forceApplyIptables: false, image: "proxyv2" },
    sds: { token: { aud: "mesh-ca" } },
    sts: { servicePort: 0 },
    tag: "latest",
    variant: "",
    waypoint: {
      affinity: {},
      nodeSelector: {},
      resources: { limits: { cpu: "2", memory: "1Gi" }, requests: REQUESTS },
      tolerations: [],
      topologySpreadConstraints: [],
    },
  },
  pilot: { cni: { enabled: false, provider: "default" } },
  revision: "",
  sidecarInjectorWebhook: { rewriteAppHTTPProbe: true },
};
