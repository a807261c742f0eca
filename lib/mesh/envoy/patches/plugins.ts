/**
 * WasmPlugins: their filters in listeners, and their configuration, which proxies fetch by name
 * (ECDS). A change of a plugin's configuration therefore changes no listener.
 *
 * @module
 */
import { AsyncDataSourceSchema } from "#envoy/config/core/v3/base_pb.ts";
import {
  type ExtensionConfigSource,
  ExtensionConfigSourceSchema,
} from "#envoy/config/core/v3/config_source_pb.ts";
import {
  type TypedExtensionConfig,
  TypedExtensionConfigSchema,
} from "#envoy/config/core/v3/extension_pb.ts";
import {
  type FilterChain,
  FilterSchema,
} from "#envoy/config/listener/v3/listener_components_pb.ts";
import type { Listener } from "#envoy/config/listener/v3/listener_pb.ts";
import { WasmSchema as HttpWasmSchema } from "#envoy/extensions/filters/http/wasm/v3/wasm_pb.ts";
import { HttpFilterSchema } from "#envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.ts";
import { WasmSchema as NetworkWasmSchema } from "#envoy/extensions/filters/network/wasm/v3/wasm_pb.ts";
import { type PluginConfig, PluginConfigSchema } from "#envoy/extensions/wasm/v3/wasm_pb.ts";
import {
  EnvValueSource,
  FailStrategy,
  PluginPhase,
  PluginType,
  PullPolicy,
  type WasmPlugin,
} from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import { WorkloadMode } from "#mesh/type/v1beta1/selector_pb.ts";
import {
  NO_CHECKSUM,
  PULL_POLICY_VARIABLE,
  PULL_SECRET_VARIABLE,
  type Role,
} from "../../model/mod.ts";
import { pullSecretName } from "../authentication/mod.ts";
import {
  create,
  type MessageInitShape,
  packAny,
  StringValueSchema,
} from "../../../kit/proto/mod.ts";
import { adsSource } from "../core/mod.ts";
import { concerns, type Plugin, type Where } from "./change.ts";
import { FETCH_TIMEOUT, fetchClusterName } from "./fetches.ts";
import { chainPorts, everyChain, inManagers, whereOf } from "./listeners.ts";
import { type FilterPosition, indexOf } from "./positions.ts";

const POSITIONS: Readonly<Record<PluginPhase, FilterPosition>> = {
  [PluginPhase.UNSPECIFIED_PHASE]: "end",
  [PluginPhase.AUTHN]: "authn",
  [PluginPhase.AUTHZ]: "authz",
  [PluginPhase.STATS]: "behind-authz",
};

/** Adds a plugin's filter to a listener; returns if the plugin applies to any of its traffic. */
export function insertPlugin(listener: Listener, plugin: Plugin, role: Role): boolean {
  const { name, spec } = plugin;
  const where = whereOf(listener, role);
  const wanted = (chain: FilterChain): boolean =>
    concerns(plugin, chain.name) && matches(spec, where, chainPorts(chain, listener));
  const position = POSITIONS[spec.phase];
  if (spec.type !== PluginType.NETWORK) {
    return inManagers(listener, (manager, chain) => {
      if (!wanted(chain)) return false;
      const filter = create(HttpFilterSchema, {
        name,
        configType: { case: "configDiscovery", value: discovered(HTTP_TYPES, spec) },
      });
      manager.httpFilters.splice(indexOf(manager.httpFilters, position), 0, filter);
      return true;
    });
  }
  const chains = everyChain(listener).filter((chain) => carriesBytes(chain) && wanted(chain));
  for (const { filters } of chains) {
    const filter = create(FilterSchema, {
      name,
      configType: { case: "configDiscovery", value: discovered(NETWORK_TYPES, spec) },
    });
    filters.splice(indexOf(filters, position), 0, filter);
  }
  return chains.length > 0;
}

/**
 * Reports if a chain forwards connections without parsing; chains with a connection manager get
 * HTTP plugins.
 */
function carriesBytes({ filters }: FilterChain): boolean {
  const last = filters.at(-1)?.configType;
  return last?.case === "typedConfig" && last.value.typeUrl.endsWith(".TcpProxy");
}

/** Gateways are clients of services, waypoints are servers. */
function matches({ match }: WasmPlugin, where: Where, ports: readonly number[]): boolean {
  const isServer = where === "inbound" || where === "waypoint";
  const side = isServer ? WorkloadMode.SERVER : WorkloadMode.CLIENT;
  return match.length === 0 || match.some((one) => {
    const sides = [WorkloadMode.UNDEFINED, WorkloadMode.CLIENT_AND_SERVER, side];
    if (!sides.includes(one.mode)) return false;
    return one.ports.length === 0 || one.ports.some(({ number }) => ports.includes(number));
  });
}

/** Types of a plugin's filter, and of the filter in its place if its module cannot be fetched. */
interface PluginTypes {
  readonly plugin: string;
  readonly allowing: string;
}

const HTTP_TYPES: PluginTypes = {
  plugin: "envoy.extensions.filters.http.wasm.v3.Wasm",
  allowing: "envoy.extensions.filters.http.rbac.v3.RBAC",
};

const NETWORK_TYPES: PluginTypes = {
  plugin: "envoy.extensions.filters.network.wasm.v3.Wasm",
  allowing: "envoy.extensions.filters.network.rbac.v3.RBAC",
};

/** An agent replaces a plugin that fails open, if it cannot fetch its module. */
function discovered(
  { plugin, allowing }: PluginTypes,
  { failStrategy }: WasmPlugin,
): ExtensionConfigSource {
  const types = failStrategy === FailStrategy.FAIL_OPEN ? [plugin, allowing] : [plugin];
  return create(ExtensionConfigSourceSchema, {
    configSource: adsSource(),
    typeUrls: types.map((type) => `type.googleapis.com/${type}`),
  });
}

/** Builds the configuration of a plugin's filter. */
export function pluginConfiguration(plugin: Plugin): TypedExtensionConfig {
  const { name, spec } = plugin;
  const config = configOf(plugin);
  return create(TypedExtensionConfigSchema, {
    name,
    typedConfig: spec.type === PluginType.NETWORK
      ? packAny(NetworkWasmSchema, { config })
      : packAny(HttpWasmSchema, { config }),
  });
}

function configOf({ name, spec, object }: Plugin): PluginConfig {
  const variables = spec.vmConfig?.env ?? [];
  const forAgent = agentVariables(spec, object);
  const fromHost = variables.filter(({ valueFrom }) => valueFrom === EnvValueSource.HOST);
  const given = variables.filter(({ valueFrom }) => valueFrom !== EnvValueSource.HOST);
  const config = create(PluginConfigSchema, {
    name,
    rootId: spec.pluginName,
    configuration: spec.pluginConfig &&
      packAny(StringValueSchema, { value: JSON.stringify(spec.pluginConfig) }),
    vm: {
      case: "vmConfig",
      value: {
        vmId: name,
        runtime: "envoy.wasm.runtime.v8",
        code: { specifier: codeOf(spec) },
        environmentVariables: variables.length === 0 && forAgent.length === 0 ? undefined : {
          hostEnvKeys: fromHost.map((one) => one.name),
          keyValues: Object.fromEntries([
            ...given.map((one) => [one.name, one.value]),
            ...forAgent,
          ]),
        },
      },
    },
  });
  config.$unknown = [{ no: FAILURE_POLICY, wireType: 0, data: POLICIES[spec.failStrategy] }];
  return config;
}

/** Variables that the agent reads and takes out. Only images have pull secrets. */
function agentVariables(spec: WasmPlugin, object: string): [name: string, value: string][] {
  const policy = PULL_POLICIES[spec.imagePullPolicy];
  const secret = pullSecretOf(spec, object);
  return [
    ...policy === undefined ? [] : [[PULL_POLICY_VARIABLE, policy] as [string, string]],
    ...secret === undefined ? [] : [[PULL_SECRET_VARIABLE, secret.name] as [string, string]],
  ];
}

/**
 * Returns the pull secret of a plugin, in the plugin's namespace; `undefined`: it has none, or its
 * module is no image.
 *
 * @param object `WasmPlugin/namespace/name`
 */
export function pullSecretOf(
  { url, imagePullSecret }: WasmPlugin,
  object: string,
): { readonly name: string; readonly credential: string } | undefined {
  const isImage = !/^(?:https?|file):\/\//i.test(url);
  if (imagePullSecret === "" || !isImage) return undefined;
  const [, namespace = ""] = object.split("/");
  return {
    name: pullSecretName(namespace, imagePullSecret),
    credential: `${namespace}/${imagePullSecret}`,
  };
}

/**
 * Field `failure_policy` of `PluginConfig`, which is newer than the generated code, and its values.
 */
const FAILURE_POLICY = 7;

const POLICIES: Readonly<Record<FailStrategy, Uint8Array<ArrayBuffer>>> = {
  [FailStrategy.FAIL_RELOAD]: Uint8Array.of(1),
  [FailStrategy.FAIL_CLOSE]: Uint8Array.of(2),
  [FailStrategy.FAIL_OPEN]: Uint8Array.of(3),
};

const PULL_POLICIES: Readonly<Record<PullPolicy, string | undefined>> = {
  [PullPolicy.UNSPECIFIED_POLICY]: undefined,
  [PullPolicy.IfNotPresent]: "if-not-present",
  [PullPolicy.Always]: "always",
};

/** Cluster of a module that only the agent fetches; Envoy's message must have one. */
const NO_CLUSTER = "agent";

type Code = NonNullable<MessageInitShape<typeof AsyncDataSourceSchema>["specifier"]>;

function codeOf({ url, sha256 }: WasmPlugin): Code {
  if (/^file:\/\//i.test(url)) {
    const filename = decodeURIComponent(new URL(url).pathname);
    return { case: "local", value: { specifier: { case: "filename", value: filename } } };
  }
  const cluster = /^https?:\/\//i.test(url) ? fetchClusterName(url) : NO_CLUSTER;
  return {
    case: "remote",
    value: {
      sha256: sha256 || NO_CHECKSUM,
      httpUri: {
        uri: url,
        timeout: FETCH_TIMEOUT,
        httpUpstreamType: { case: "cluster", value: cluster },
      },
    },
  };
}
