/**
 * Reads the agent's input from the machine: files, environment, addresses.
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import {
  type IneffectiveVariable,
  ineffectiveVariables,
  useEnvironment,
  validateEnv,
} from "../../kit/env/mod.ts";
import type { ProxyConfig } from "#mesh/mesh/v1alpha1/proxy_pb.ts";
import { addressesOf, interfaceAddresses } from "./addresses.ts";
import { CONFIG_ANNOTATION, mergeConfig, type NamedText } from "./config.ts";
import { type AgentEnv, readEnv } from "./variables.ts";
import type { AgentFlags, AgentSettings } from "./plan.ts";
import { type Pairs, readPairs } from "./pod.ts";

/** Flags that select the input, in addition to the flags of the plan. */
export interface LoadFlags extends AgentFlags {
  /** Path of the mesh configuration file. */
  readonly meshConfig: string;
  /** True: the file was named on the command line, so it must exist. */
  readonly meshConfigGiven: boolean;
  /** Undefined: not set. */
  readonly serviceCluster: string | undefined;
  /** Empty: none. */
  readonly templateFile: string;
}

/** Settings, and warnings about them. */
export interface Loaded {
  readonly settings: AgentSettings;
  /** Unknown configuration fields. */
  readonly warnings: readonly string[];
  /** Variables that are set and have no effect. */
  readonly ineffectiveVariables: readonly IneffectiveVariable[];
}

/** Socket at which another program serves secrets of gateways. */
const EXTERNAL_SOCKET = "./var/run/secrets/credential-uds/socket";
const POD_FOLDER = "./etc/mesh/pod";

/**
 * Reads all settings.
 *
 * @param variables the environment; it overrides `proxyMetadata` of the configuration
 * @param served values of ProxyConfigs from the daemon, if it was asked
 * @throws MeshError `agent-config`, `agent-file`, `env-invalid`, `pod-file`, `agent-instance-ip`
 */
export async function loadSettings(
  flags: LoadFlags,
  variables: Readonly<Record<string, string>>,
  served?: ProxyConfig,
): Promise<Loaded> {
  const labels = await readPairs(`${POD_FOLDER}/labels`);
  const annotations = await readPairs(`${POD_FOLDER}/annotations`);
  const { proxy, own, warnings } = mergeConfig({
    mesh: await readMeshConfig(flags),
    served,
    variable: variables.PROXY_CONFIG,
    annotation: configAnnotation(annotations),
    annotations,
    serviceCluster: flags.serviceCluster,
  });
  const environ = { ...proxy.proxyMetadata, ...variables };
  const { env, ineffective } = environment(environ);
  const template = env.bootstrapTemplate || proxy.customConfigFile || flags.templateFile ||
    proxy.proxyBootstrapTemplatePath;
  const settings: AgentSettings = {
    flags,
    env,
    environ,
    proxy,
    ownProxy: own,
    labels,
    annotations,
    addresses: addressesOf(env.instanceIp, interfaceAddresses()),
    hostname: env.podName ? "" : Deno.hostname(),
    externalSocket: await externalSocket(),
    template: template ? await readNamed("the bootstrap template", template) : undefined,
    override: env.bootstrapOverride
      ? (await readNamed("the bootstrap override", env.bootstrapOverride)).text
      : undefined,
  };
  return { settings, warnings, ineffectiveVariables: ineffective };
}

/**
 * The port of the status server of the agent in this container, by the pod's annotations and the variable
 * `PROXY_CONFIG`, which injection sets; 0: it has none.
 *
 * @throws MeshError `agent-config`, `pod-file`
 */
export async function ownStatusPort(
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const annotations = await readPairs(`${POD_FOLDER}/annotations`);
  const { proxy } = mergeConfig({
    mesh: undefined,
    variable: variables.PROXY_CONFIG,
    annotation: configAnnotation(annotations),
    annotations,
    serviceCluster: undefined,
  });
  return proxy.statusPort;
}

/** The socket of another program, if it is there when the agent starts. */
async function externalSocket(): Promise<string | undefined> {
  try {
    return (await Deno.stat(EXTERNAL_SOCKET)).isSocket ? EXTERNAL_SOCKET : undefined;
  } catch {
    return undefined;
  }
}

function environment(
  environ: Readonly<Record<string, string>>,
): { env: AgentEnv; ineffective: IneffectiveVariable[] } {
  using _ = useEnvironment(new Map(Object.entries(environ)));
  validateEnv("pilot-agent");
  return { env: readEnv(), ineffective: ineffectiveVariables("pilot-agent") };
}

function configAnnotation(annotations: Pairs): NamedText | undefined {
  const text = annotations[CONFIG_ANNOTATION];
  return text === undefined ? undefined : { file: `annotation ${CONFIG_ANNOTATION}`, text };
}

async function readMeshConfig(flags: LoadFlags): Promise<NamedText | undefined> {
  try {
    return await readNamed("the mesh configuration", flags.meshConfig);
  } catch (error) {
    const missing = error instanceof MeshError && error.cause instanceof Deno.errors.NotFound;
    if (missing && !flags.meshConfigGiven) return undefined;
    throw error;
  }
}

async function readNamed(what: string, file: string): Promise<NamedText> {
  try {
    return { file, text: await Deno.readTextFile(file) };
  } catch (cause) {
    throw new MeshError("agent-file", `${what} ${file} cannot be read`, {
      remedy: "Name a file that exists and may be read.",
      cause,
    });
  }
}
