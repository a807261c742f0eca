/**
 * The environment variables of the agent.
 *
 * @module
 */
import { COMPLIANCE_POLICY } from "../../kit/pki/mod.ts";
import { readWasmEnv, type WasmEnv } from "../wasm/mod.ts";
import { LINK_VARIABLES } from "./variables/link.ts";
import { METRICS_VARIABLES } from "./variables/metrics.ts";
import { PROXY_VARIABLES } from "./variables/proxy.ts";
import { WORKLOAD_VARIABLES } from "./variables/workload.ts";

/** Values of the variables; each is documented at its declaration. */
export interface AgentEnv {
  readonly podName: string | undefined;
  readonly podNamespace: string | undefined;
  readonly instanceIp: string | undefined;
  readonly hostIp: string | undefined;
  readonly serviceAccount: string | undefined;
  /** Undefined if it is not set: the daemon then uses its own. */
  readonly clusterId: string | undefined;
  readonly proxyConfig: string | undefined;
  /** True: the daemon is asked for ProxyConfigs. */
  readonly servedConfig: boolean;
  readonly bootstrapTemplate: string | undefined;
  readonly bootstrapOverride: string | undefined;
  readonly cpuLimit: number;
  readonly deltaXds: boolean;
  /** TLS is limited to what FIPS 140-2 allows. */
  readonly limitsTls: boolean;
  readonly dualStack: boolean;
  readonly statusPort: number;
  readonly prometheusPort: number;
  readonly disabled: boolean;
  /** Undefined if it is not set: the file is then not written. */
  readonly grpcBootstrap: string | undefined;
  readonly exitOnZeroConnections: boolean;
  /** Milliseconds. */
  readonly minimumDrain: number;
  readonly maxMessageBytes: number;
  /** Limit on the size of the daemon's messages; undefined: none. */
  readonly maxResponseBytes: number | undefined;
  readonly maxStreams: number;
  /** Milliseconds. */
  readonly keepaliveInterval: number;
  /** Milliseconds. */
  readonly keepaliveTimeout: number;
  /** Port of the debug tap; undefined: there is none. */
  readonly tapPort: number | undefined;
  /** True: the proxy's configuration is kept on disk. */
  readonly savedConfig: boolean;
  readonly metricsLocalOnly: boolean;
  readonly metricsAnnotations: string | undefined;
  readonly deferredStats: boolean;
  readonly deferredClusters: boolean;
  readonly delimitedTags: boolean;
  /** Milliseconds; 0: metrics are never dropped. */
  readonly metricRotation: number;
  readonly stripFragment: boolean;
  readonly bypassOverload: boolean;
  readonly wasm: WasmEnv;
  /** Name of the socket of the workload's secrets. */
  readonly identitySocket: string;
  /** Undefined: the platform is detected. */
  readonly cloudPlatform: string | undefined;
  readonly cloudMetadata: string | undefined;
  readonly coreDumps: boolean;
}

/** Declarations of all variables. */
const variables = {
  ...WORKLOAD_VARIABLES,
  ...LINK_VARIABLES,
  ...PROXY_VARIABLES,
  ...METRICS_VARIABLES,
};

/**
 * Reads all variables.
 *
 * @throws MeshError `env-invalid` for the first invalid value
 */
export function readEnv(): AgentEnv {
  const v = variables;
  return {
    podName: v.podName.get(),
    podNamespace: v.podNamespace.get(),
    instanceIp: v.instanceIp.get(),
    hostIp: v.hostIp.get(),
    serviceAccount: v.serviceAccount.get(),
    clusterId: v.clusterId.isSet() ? v.clusterId.get() : undefined,
    proxyConfig: v.proxyConfig.get(),
    servedConfig: v.servedConfig.get(),
    bootstrapTemplate: v.bootstrapTemplate.get(),
    bootstrapOverride: v.bootstrapOverride.get(),
    cpuLimit: v.cpuLimit.get(),
    deltaXds: v.deltaXds.get(),
    limitsTls: Boolean(COMPLIANCE_POLICY.get()),
    dualStack: v.dualStack.get(),
    statusPort: v.statusPort.get(),
    prometheusPort: v.prometheusPort.get(),
    disabled: v.disabled.get(),
    grpcBootstrap: v.grpcBootstrap.isSet() ? v.grpcBootstrap.get() : undefined,
    exitOnZeroConnections: v.exitOnZeroConnections.get(),
    minimumDrain: v.minimumDrain.get(),
    maxMessageBytes: v.maxMessageBytes.get(),
    maxResponseBytes: v.maxMessageBytes.isSet() ? v.maxMessageBytes.get() : undefined,
    maxStreams: v.maxStreams.get(),
    keepaliveInterval: v.keepaliveInterval.get(),
    keepaliveTimeout: v.keepaliveTimeout.get(),
    tapPort: v.tap.get() ? v.tapPort.get() : undefined,
    savedConfig: v.savedConfig.get(),
    metricsLocalOnly: v.metricsLocalOnly.get(),
    metricsAnnotations: v.metricsAnnotations.get(),
    deferredStats: v.deferredStats.get(),
    deferredClusters: v.deferredClusters.get(),
    delimitedTags: v.delimitedTags.get(),
    metricRotation: v.metricRotation.get(),
    stripFragment: v.stripFragment.get(),
    bypassOverload: v.bypassOverload.get(),
    wasm: readWasmEnv(),
    identitySocket: v.identitySocket.get(),
    cloudPlatform: v.cloudPlatform.get() || undefined,
    cloudMetadata: v.cloudMetadata.get(),
    coreDumps: v.coreDumps.get(),
  };
}
