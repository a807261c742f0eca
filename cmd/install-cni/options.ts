/**
 * Options of the program, from flags and variables.
 *
 * @module
 */
import { join } from "node:path";
import { MeshError, messageOf } from "../../lib/kit/base/mod.ts";
import { type FlagValues, usageError } from "../../lib/kit/cli/mod.ts";
import { envText, type EnvVar } from "../../lib/kit/env/mod.ts";
import { type InstallSettings, PLUGIN } from "../../lib/node/cni_install/mod.ts";
import { canonicalIp, isIp } from "../../lib/kit/text/mod.ts";
import type { AmbientSettings } from "../../lib/node/ambient_pods/mod.ts";
import type { RepairSettings } from "../../lib/node/repair/mod.ts";
import { INSTALL_FLAGS } from "./flags.ts";
import * as ambient from "./variables/ambient.ts";
import * as variables from "./variables/pod.ts";

/** Options of the installation. */
export interface InstallOptions {
  readonly settings: InstallSettings;
  readonly repair: RepairSettings;
  /** Absent: ambient mode is off. */
  readonly ambient?: AmbientSettings;
  readonly ctrlzAddress: string;
  readonly ctrlzPort: number;
  readonly healthPort: number;
  /** 0: no listener. */
  readonly monitoringPort: number;
  /** Namespace and name of the pod; the name is unique among the nodes. */
  readonly pod: { readonly namespace: string; readonly name: string };
  /** Name of the node, for messages; empty: not known. */
  readonly nodeName: string;
  /** Host and port of the API server; empty: its name in the cluster's DNS. */
  readonly apiServer: string;
  readonly serviceAccountDir: string;
  /** Folder below which the node's `/proc` and `/var/run/netns` are seen. */
  readonly hostRoot: string;
  /** Flags that are given, also as variables, without dashes. */
  readonly given: ReadonlySet<string>;
}

/**
 * Collects the options.
 *
 * @throws MeshError for values that cannot be used
 */
export async function installOptions(flags: FlagValues): Promise<InstallOptions> {
  const { POD_NAME, POD_NAMESPACE, SYSTEM_NAMESPACE, NODE_NAME } = variables;
  const name = POD_NAME.get() || Deno.hostname();
  const ofAmbient = ambientOf(flags);
  return {
    settings: await settingsOf(flags, name),
    repair: repairOf(flags),
    ...ofAmbient && { ambient: ofAmbient },
    ctrlzAddress: flags.string("ctrlz_address"),
    ctrlzPort: flags.number("ctrlz_port"),
    healthPort: variables.HEALTH_PORT.get(),
    monitoringPort: portOf(flags, "monitoring-port"),
    pod: { namespace: POD_NAMESPACE.get() || SYSTEM_NAMESPACE.get(), name },
    nodeName: text(NODE_NAME),
    apiServer: apiServerOf(),
    serviceAccountDir: variables.SERVICE_ACCOUNT_DIR.get(),
    hostRoot: variables.HOST_ROOT.get(),
    given: givenOf(flags),
  };
}

async function settingsOf(flags: FlagValues, podName: string): Promise<InstallSettings> {
  const serviceAccount = variables.SERVICE_ACCOUNT_DIR.get();
  const { host, port } = apiServer();
  const runDir = absolute(flags, "cni-agent-run-dir");
  return {
    binarySource: join(variables.CNI_BIN_SOURCE_DIR.get(), PLUGIN),
    binaryDir: variables.MOUNTED_CNI_BIN_DIR.get(),
    runDir,
    orchconfig: {
      host,
      port,
      protocol: variables.KUBERNETES_SERVICE_PROTOCOL.get(),
      tokenFile: join(serviceAccount, "token"),
      caFile: flags.string("orch-ca-file") || join(serviceAccount, "ca.crt"),
      skipTlsVerify: flags.bool("skip-tls-verify"),
      mode: modeOf(flags),
    },
    netDir: absolute(flags, "mounted-cni-net-dir"),
    confName: flags.string("cni-conf-name"),
    chained: flags.bool("chained-cni-plugin"),
    entry: {
      logLevel: flags.string("log-level"),
      excludeNamespaces: namespacesOf(flags),
      ambientEnabled: flags.bool("ambient-enabled"),
      podNamespace: variables.POD_NAMESPACE.get() ?? "",
      ...await templateOf(flags),
    },
    // A container that is started again in the same pod continues the installation of the one before.
    instance: podName,
  };
}

/** The template, and the flag it is from. */
async function templateOf(
  flags: FlagValues,
): Promise<{ readonly template: string; readonly templateFrom: string }> {
  const file = flags.string("cni-network-config-file");
  if (file === "") {
    const templateFrom = "--cni-network-config (CNI_NETWORK_CONFIG)";
    return { template: flags.string("cni-network-config"), templateFrom };
  }
  const templateFrom = `--cni-network-config-file (CNI_NETWORK_CONFIG_FILE): ${file}`;
  try {
    return { template: await Deno.readTextFile(file), templateFrom };
  } catch (cause) {
    const message = `cannot read the template of ${templateFrom}: ${messageOf(cause)}`;
    throw new MeshError("cni-template-invalid", message, {
      remedy: "Mount the file, or leave the flag out.",
      cause,
    });
  }
}

function repairOf(flags: FlagValues): RepairSettings {
  return {
    enabled: flags.bool("repair-enabled"),
    repairPods: flags.bool("repair-repair-pods"),
    deletePods: flags.bool("repair-delete-pods"),
    labelPods: flags.bool("repair-label-pods"),
    labelKey: flags.string("repair-broken-pod-label-key"),
    labelValue: flags.string("repair-broken-pod-label-value"),
    nodeName: flags.string("repair-node-name"),
    sidecarAnnotation: flags.string("repair-sidecar-annotation"),
    initContainerName: flags.string("repair-init-container-name"),
    initContainerExitCode: flags.number("repair-init-container-exit-code"),
    initContainerTerminationMessage: flags.string("repair-init-container-termination-message"),
    labelSelectors: flags.string("repair-label-selectors"),
    fieldSelectors: flags.string("repair-field-selectors"),
  };
}

function ambientOf(flags: FlagValues): AmbientSettings | undefined {
  if (!flags.bool("ambient-enabled")) return undefined;
  const nodeName = text(variables.NODE_NAME);
  if (nodeName === "") {
    throw new MeshError("cni-node-name", "--ambient-enabled (AMBIENT_ENABLED) needs NODE_NAME", {
      remedy: "Set NODE_NAME to the name of the node; the chart takes it from the pod.",
    });
  }
  const hostRoot = variables.HOST_ROOT.get();
  return {
    nodeName,
    socketPath: absolute(flags, "ztunnel-uds-address"),
    helper: join(variables.CNI_BIN_SOURCE_DIR.get(), PLUGIN),
    dnsCapture: ambient.AMBIENT_DNS_CAPTURE.get(),
    ipv6: ambient.AMBIENT_IPV6.get(),
    probes: {
      4: probeSource(ambient.HOST_PROBE_SNAT_IP, 4),
      6: probeSource(ambient.HOST_PROBE_SNAT_IPV6, 6),
    },
    excludeNamespaces: new Set(namespacesOf(flags).filter((name) => name !== "")),
    hostRoot,
    hostNamespace: text(ambient.HOST_NETWORK_NAMESPACE) || `${hostRoot}/proc/1/ns/net`,
  };
}

function probeSource(variable: EnvVar<string>, family: 4 | 6): string {
  const value = variable.get();
  if (isIp(value) && value.includes(":") === (family === 6)) return canonicalIp(value);
  const shown = JSON.stringify(value);
  throw new MeshError("cni-probe-source", `${variable.name}: ${shown} is no IPv${family} address`, {
    remedy: "Give an address that nobody in the network of pods has, or leave it out.",
  });
}

function namespacesOf(flags: FlagValues): readonly string[] {
  return flags.string("exclude-namespaces").split(",").map((one) => one.trim());
}

function apiServer(): { readonly host: string; readonly port: string } {
  const { ORCH_SERVICE_HOST, ORCH_SERVICE_PORT } = variables;
  const { KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT } = variables;
  return {
    host: text(ORCH_SERVICE_HOST) || text(KUBERNETES_SERVICE_HOST),
    port: text(ORCH_SERVICE_PORT) || text(KUBERNETES_SERVICE_PORT),
  };
}

function apiServerOf(): string {
  const { host, port } = apiServer();
  if (host === "" || port === "") return host;
  return host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
}

function text(variable: EnvVar<string | undefined>): string {
  return variable.get() ?? "";
}

function portOf(flags: FlagValues, name: string): number {
  const port = flags.number(name);
  if (port >= 0 && port <= 65535) return port;
  throw usageError(`--${name}: ${port} is not a port; give a number from 0 to 65535`);
}

/** The mode is read with the owner's right, which the plugin needs. */
function modeOf(flags: FlagValues): number {
  const mode = flags.number("orchconfig-mode");
  if (mode > 0 && mode <= 0o777 && (mode & 0o400) !== 0) return mode;
  throw usageError(
    `--orchconfig-mode: ${mode} is not a mode with which the owner can read the file; give one such as 384 or 0600`,
  );
}

function absolute(flags: FlagValues, name: string): string {
  const path = flags.string(name);
  if (path.startsWith("/")) return path;
  throw usageError(`--${name}: ${JSON.stringify(path)} is not an absolute path`);
}

function givenOf(flags: FlagValues): ReadonlySet<string> {
  const byVariable = INSTALL_FLAGS.filter(({ env }) => env !== undefined && envText(env));
  return new Set([...flags.given, ...byVariable.map(({ name }) => name)]);
}
