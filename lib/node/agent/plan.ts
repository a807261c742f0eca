/**
 * Builds the plan of files and processes from settings. Pure: equal settings give equal plans.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { durationMs } from "../../kit/proto/mod.ts";
import { AuthenticationPolicy, type ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import type { ReadinessProbe } from "#mesh/networking/v1alpha3/workload_group_pb.ts";
import type { Addresses } from "./addresses.ts";
import { bootstrapOf, LOAD_STATS } from "./bootstrap.ts";
import { commandLine, workers } from "./command_line.ts";
import { limitTls } from "./compliance.ts";
import type { NamedText } from "./config.ts";
import type { DrainOptions } from "./drain.ts";
import type { AgentEnv } from "./variables.ts";
import { ineffectiveFields, ineffectiveOwnFields } from "./ineffective_fields.ts";
import { type AgentRole, type BootstrapNode, nodeOf } from "./node.ts";
import type { PlatformFacts } from "./platform/ask.ts";
import type { Pairs } from "./pod.ts";
import { applicationTarget, type ScrapeOptions } from "./scrape.ts";
import { selfEnvironment, subjectParts } from "./self.ts";
import type { AgentPorts } from "./static_resources.ts";
import { familiesOf } from "./families.ts";
import { hostPort, type Surroundings } from "./telemetry.ts";
import { fillTemplate, formatOf } from "./template.ts";
import type { Unread } from "./unread.ts";

/** Flags of the command that the agent uses. */
export interface AgentFlags {
  readonly role: AgentRole;
  /** Undefined: not set. */
  readonly concurrency: number | undefined;
  /** Empty: derived from the namespace. */
  readonly domain: string;
  readonly outlierLogPath: string;
  readonly proxyLogLevel: string;
  readonly proxyComponentLogLevel: string;
  readonly logAsJson: boolean;
  /** Port of the token service; default: there is none. */
  readonly stsPort?: number;
}

/** Input of a plan. */
export interface AgentSettings {
  readonly flags: AgentFlags;
  readonly env: AgentEnv;
  /** The whole environment, for node metadata. */
  readonly environ: Readonly<Record<string, string>>;
  /** The merged proxy configuration. */
  readonly proxy: ProxyConfig;
  /** Proxy configuration of this proxy only; default: none. */
  readonly ownProxy?: ProxyConfig;
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly addresses: Addresses;
  readonly hostname: string;
  /** Metadata of the machine's cloud platform; default: none. */
  readonly platform?: PlatformFacts | undefined;
  /** Socket of another program that serves secrets (`sds://NAME`); default: there is none. */
  readonly externalSocket?: string | undefined;
  /** A bootstrap template that replaces the agent's own content. */
  readonly template: NamedText | undefined;
  /** Configuration that the proxy merges over its bootstrap file. */
  readonly override: string | undefined;
}

/** Files to write and processes to start. */
export interface AgentPlan {
  readonly node: BootstrapNode;
  /** Parts of the workload for the subject of its certificate. */
  readonly workload: readonly string[];
  /** Folder of the two files below. */
  readonly configPath: string;
  readonly bootstrapFile: string;
  readonly bootstrap: string;
  readonly socket: string;
  /** True: the agent obtains a certificate, and connects to the daemon with it. */
  readonly secured: boolean;
  /** Path of the socket of the workload's secrets. */
  readonly sdsSocket: string;
  /** Roots that the proxy trusts beside those of the mesh, each in PEM. */
  readonly extraRoots: readonly string[];
  /** The daemon, `host:port`. */
  readonly target: string;
  /** The proxy's program and arguments; undefined: no proxy is run. */
  readonly command: {
    readonly binary: string;
    readonly args: readonly string[];
    /** Variables in addition to the agent's own. */
    readonly environment: Readonly<Record<string, string>>;
    readonly coreDumps: boolean;
  } | undefined;
  /** File for gRPC programs, and folder of the certificate they use; undefined: none is written. */
  readonly grpcBootstrap: {
    readonly file: string;
    readonly certificates: string | undefined;
  } | undefined;
  readonly ports: AgentPorts;
  /** `host:port` of the agent's status server; without a host: all addresses. */
  readonly statusAddress: string;
  /** `host:port` of the proxy's admin API. */
  readonly admin: string;
  readonly drain: DrainOptions;
  readonly scrape: ScrapeOptions;
  /** Health of the workload, which is reported to the daemon. */
  readonly health: {
    /** Probe of the application. */
    readonly readinessProbe?: ReadinessProbe;
    /** True: the workload registers itself, and the daemon is to know when it drains. */
    readonly registers: boolean;
    /** The workload's address. */
    readonly address: string;
  };
  readonly env: AgentEnv;
  /** Fields of the proxy configuration that are set and have no effect, with the reason. */
  readonly ineffective: ReadonlyMap<string, string>;
  /** Settings that cannot be read and were left out, with the reason. */
  readonly unread: ReadonlyMap<string, string>;
}

const BOOTSTRAP_NAME = "dataproxy-rev";
const SOCKET_FILE = "XDS";
/** Folder of the socket of the workload's secrets, from the working directory of proxy and agent. */
const SDS_FOLDER = "./var/run/secrets/workload-spiffe-uds";
/** Longest path of a Unix socket on Linux, without the terminating zero byte. */
const SOCKET_PATH_BYTES = 107;
const TERMINATION_DRAIN_MS = 5000;
const COUNT_INTERVAL_MS = 1000;

/**
 * Makes the plan.
 *
 * @throws MeshError `agent-socket-path`,
 * and the errors of {@link nodeOf}, {@link bootstrapOf} and {@link fillTemplate}
 */
export function planAgent(settings: AgentSettings): AgentPlan {
  const { env, flags, proxy } = settings;
  const unread = new Map<string, string>();
  const node = settingsNode(settings, (name, reason) => unread.set(name, reason));
  const ports: AgentPorts = {
    admin: proxy.proxyAdminPort,
    status: proxy.statusPort,
    health: env.statusPort,
    prometheus: env.prometheusPort,
  };
  const socket = socketPath(proxy.configPath);
  const format = settings.template ? formatOf(settings.template.file) : "json";
  const bootstrapFile = `${proxy.configPath}/${BOOTSTRAP_NAME}.${format}`;
  const surroundings = surroundingsOf(settings);
  const loopback = surroundings.families.first === 6 ? "[::1]" : "127.0.0.1";
  return {
    node,
    workload: subjectParts(node),
    configPath: proxy.configPath,
    bootstrapFile,
    bootstrap: bootstrapText(
      { settings, node, ports, socket },
      (name, reason) => unread.set(name, reason),
    ),
    socket,
    secured: isSecured(proxy),
    sdsSocket: sdsSocket(env),
    extraRoots: proxy.caCertificatesPem,
    target: daemonAddress(proxy),
    command: env.disabled ? undefined : {
      binary: proxy.binaryPath,
      args: proxyArgs(settings, bootstrapFile),
      environment: selfEnvironment(node, settings.environ),
      coreDumps: env.coreDumps,
    },
    grpcBootstrap: env.grpcBootstrap
      ? {
        file: env.grpcBootstrap,
        certificates: isSecured(proxy) ? settings.environ.OUTPUT_CERTS || undefined : undefined,
      }
      : undefined,
    ports,
    statusAddress: `${settings.addresses.loopbackOnly ? loopback : ""}:${ports.status}`,
    admin: `${loopback}:${ports.admin}`,
    drain: drainOf(settings, ports),
    scrape: scrapeOptions(settings, loopback, flags.role),
    health: {
      ...proxy.readinessProbe && { readinessProbe: proxy.readinessProbe },
      registers: Boolean(node.metadata.AUTO_REGISTER_GROUP),
      address: settings.addresses.ips[0] ?? loopback,
    },
    env,
    ineffective: new Map([
      ...ineffectiveFields(proxy, isSecured(proxy), surroundings),
      ...ineffectiveOwnFields(settings.ownProxy),
    ]),
    unread,
  };
}

function drainOf({ env, proxy }: AgentSettings, ports: AgentPorts): DrainOptions {
  return {
    duration: proxy.terminationDrainDuration
      ? durationMs(proxy.terminationDrainDuration)
      : TERMINATION_DRAIN_MS,
    untilZero: env.exitOnZeroConnections,
    minimum: env.minimumDrain,
    interval: COUNT_INTERVAL_MS,
    ports,
  };
}

function surroundingsOf({ addresses, env }: AgentSettings): Surroundings {
  return { families: familiesOf(addresses, env.dualStack), hostIp: env.hostIp };
}

function settingsNode(settings: AgentSettings, unread: Unread): BootstrapNode {
  const { env, flags, addresses, proxy } = settings;
  const namespace = env.podNamespace || "default";
  return nodeOf({
    role: flags.role,
    ips: addresses.ips,
    name: env.podName || settings.hostname,
    namespace,
    domain: flags.domain || `${namespace}.svc.cluster.local`,
    serviceAccount: env.serviceAccount,
    clusterId: env.clusterId,
    proxy,
    ownProxy: settings.ownProxy,
    environ: {
      ...settings.environ,
      ...flags.role === "sidecar" && { MESH_META_AGENT_DRAIN: "true" },
      ...isSecured(proxy) && { MESH_META_AGENT_CERTIFICATES: "true" },
      ...settings.externalSocket && { MESH_META_EXTERNAL_SECRETS: "true" },
      ...env.wasm.converts && { MESH_META_AGENT_WASM: "true" },
      ...flags.stsPort && { MESH_META_STS_PORT: `${flags.stsPort}` },
    },
    labels: settings.labels,
    annotations: settings.annotations,
    outlierLogPath: flags.outlierLogPath,
    prometheusPort: env.prometheusPort,
    statusPort: env.statusPort,
    exitOnZeroConnections: env.exitOnZeroConnections,
    platform: settings.platform,
  }, unread);
}

/** The parts of a bootstrap file. */
interface BootstrapParts {
  readonly settings: AgentSettings;
  readonly node: BootstrapNode;
  readonly ports: AgentPorts;
  readonly socket: string;
}

function bootstrapText(
  { settings, node, ports, socket }: BootstrapParts,
  unread: Unread,
): string {
  const { env, flags, addresses, template } = settings;
  const whole = bootstrapOf({
    node,
    proxy: settings.proxy,
    annotations: settings.annotations,
    ips: addresses.ips,
    surroundings: surroundingsOf(settings),
    loopbackOnly: addresses.loopbackOnly,
    metricsLocalOnly: env.metricsLocalOnly,
    ports,
    xdsSocket: socket,
    sdsSocket: isSecured(settings.proxy) ? sdsSocket(env) : undefined,
    externalSocket: settings.externalSocket,
    delta: env.deltaXds,
    outlierLogPath: flags.outlierLogPath,
    logAsJson: flags.logAsJson,
    delimitedTags: env.delimitedTags,
    deferredStats: env.deferredStats,
    deferredClusters: env.deferredClusters,
    metricRotation: env.metricRotation,
    stripFragment: env.stripFragment,
    bypassOverload: env.bypassOverload,
    exitOnZeroConnections: env.exitOnZeroConnections,
    fips: env.limitsTls,
    loadStats: settings.environ[LOAD_STATS],
  }, unread);
  const content = env.limitsTls ? limitTls(whole) : whole;
  return template === undefined
    ? `${JSON.stringify(content, null, 2)}\n`
    : fillTemplate(template.text, content, template.file);
}

function proxyArgs({ env, flags, proxy, addresses, override }: AgentSettings, file: string) {
  return commandLine({
    bootstrapFile: file,
    proxy,
    logLevel: flags.proxyLogLevel,
    componentLogLevel: flags.proxyComponentLogLevel,
    ipv6Only: addresses.ipv6Only,
    concurrency: workers(flags.concurrency, proxy.concurrency, env.cpuLimit, flags.role),
    override,
  });
}

/** @throws MeshError `agent-socket-path` for a name that is a path */
function sdsSocket({ identitySocket }: AgentEnv): string {
  if (/^[^/]+$/.test(identitySocket) && !/^\.\.?$/.test(identitySocket)) {
    return `${SDS_FOLDER}/${identitySocket}`;
  }
  throw new MeshError("agent-socket-path", `${identitySocket} is no name of a socket file`, {
    remedy: `Set WORKLOAD_IDENTITY_SOCKET_FILE to the name of a file in ${SDS_FOLDER}.`,
  });
}

function socketPath(configPath: string): string {
  const path = `${configPath}/${SOCKET_FILE}`;
  if (new TextEncoder().encode(path).byteLength <= SOCKET_PATH_BYTES) return path;
  throw new MeshError("agent-socket-path", `${path} is too long for the path of a socket`, {
    remedy: `Choose a configPath that leaves the path within ${SOCKET_PATH_BYTES} bytes.`,
  });
}

/** Reports if the connection to the daemon is over TLS, with a certificate of the workload. */
function isSecured({ controlPlaneAuthPolicy }: ProxyConfig): boolean {
  return controlPlaneAuthPolicy !== AuthenticationPolicy.NONE;
}

function daemonAddress(proxy: ProxyConfig): string {
  hostPort("discoveryAddress", proxy.discoveryAddress);
  return proxy.discoveryAddress;
}

/** The application has the workload's address; it may not listen on loopback. */
function scrapeOptions(
  { env, addresses, proxy }: AgentSettings,
  loopback: string,
  role: AgentRole,
): ScrapeOptions {
  const target = role === "sidecar" && env.metricsAnnotations
    ? applicationTarget(env.metricsAnnotations, proxy.statusPort)
    : undefined;
  const ip = addresses.ips[0] ?? "";
  const host = ip.includes(":") ? `[${ip}]` : ip;
  return {
    proxy: env.disabled ? undefined : `${loopback}:${proxy.proxyAdminPort}`,
    application: target && { address: `${host}:${target.port}`, path: target.path },
  };
}
