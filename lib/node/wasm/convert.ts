/**
 * Converts the configuration of Wasm plugins: a module that is to be fetched becomes a local file.
 *
 * @module
 */
import { MeshError, messageOf } from "../../kit/base/mod.ts";
import { scope } from "../../kit/log/mod.ts";
import { NO_CHECKSUM, PULL_POLICY_VARIABLE, PULL_SECRET_VARIABLE } from "../../mesh/model/mod.ts";
import { type Any, AnySchema, create, fromBinary, packAny, toBinary } from "../../kit/proto/mod.ts";
import type { AsyncDataSource } from "#envoy/config/core/v3/base_pb.ts";
import {
  type TypedExtensionConfig,
  TypedExtensionConfigSchema,
} from "#envoy/config/core/v3/extension_pb.ts";
import { RBACSchema as HttpRbacSchema } from "#envoy/extensions/filters/http/rbac/v3/rbac_pb.ts";
import { WasmSchema as HttpWasmSchema } from "#envoy/extensions/filters/http/wasm/v3/wasm_pb.ts";
import { RBACSchema as NetworkRbacSchema } from "#envoy/extensions/filters/network/rbac/v3/rbac_pb.ts";
import { WasmSchema as NetworkWasmSchema } from "#envoy/extensions/filters/network/wasm/v3/wasm_pb.ts";
import type { PluginConfig } from "#envoy/extensions/wasm/v3/wasm_pb.ts";
import type { Modules } from "./cache.ts";
import { conversionDuration, conversions } from "./metrics.ts";

/** `failure_policy` of a plugin, which is newer than the generated code: number and `FAIL_OPEN`. */
const FAILURE_POLICY = 7;
const FAIL_OPEN = 3;

const log = scope("wasm");

/** The last configuration of a plugin whose module was fetched. */
interface Former {
  /** Address and checksum of the module. */
  readonly module: string;
  readonly file: string;
  /** The configuration as the proxy has it. */
  readonly resource: Uint8Array;
}

/**
 * Finds the JSON of a pull secret by its name, such as `kubernetes://shop/registry`. Rejects if the
 * agent does not get it.
 */
export type PullSecrets = (name: string) => Promise<string>;

/** The modules, and former configurations by the name of the plugin. */
interface Conversion {
  readonly modules: Modules;
  readonly secrets: PullSecrets;
  readonly former: Map<string, Former>;
}

/**
 * Returns the function that converts the encoded `TypedExtensionConfig` of a plugin. Configuration
 * that names no remote module stays as it is. If the module of a plugin that fails open cannot be
 * fetched, its former module continues: with the new configuration if the address is the same, else
 * with the former one. Without a former module the plugin becomes a filter that allows everything.
 *
 * The function throws `MeshError` `wasm-fetch` that names the plugin, the address and the reason.
 */
export function pluginConverter(
  modules: Modules,
  secrets: PullSecrets,
): (value: Uint8Array) => Promise<Uint8Array> {
  const conversion: Conversion = { modules, secrets, former: new Map() };
  return async (value) => {
    const started = performance.now();
    try {
      return await converted(value, conversion);
    } finally {
      conversionDuration.observe({}, performance.now() - started);
    }
  };
}

async function converted(value: Uint8Array, conversion: Conversion): Promise<Uint8Array> {
  const extension = fromBinary(TypedExtensionConfigSchema, value);
  const plugin = pluginOf(extension);
  const machine = plugin?.config.vm.case === "vmConfig" ? plugin.config.vm.value : undefined;
  const code = machine?.code?.specifier;
  if (plugin === undefined || machine?.code === undefined || code?.case !== "remote") {
    conversions.inc({ result: "no_remote_load" });
    return value;
  }
  const uri = code.value.httpUri?.uri ?? "";
  if (uri === "") {
    conversions.inc({ result: "missing_remote_fetch_hint" });
    throw fault(extension, "it names no address", undefined);
  }
  const variables = machine.environmentVariables;
  const policy = variables?.keyValues[PULL_POLICY_VARIABLE];
  const secretName = variables?.keyValues[PULL_SECRET_VARIABLE];
  if (variables !== undefined) {
    delete variables.keyValues[PULL_POLICY_VARIABLE];
    delete variables.keyValues[PULL_SECRET_VARIABLE];
  }
  const { modules, secrets, former } = conversion;
  const module = JSON.stringify([uri, code.value.sha256]);
  const local = (filename: string): Uint8Array => {
    machine.code!.specifier = localFile(filename);
    const resource = encoded(extension, plugin.packed());
    former.set(extension.name, { module, file: filename, resource });
    return resource;
  };
  let filename: string;
  try {
    filename = await modules.file({
      url: uri,
      sha256: code.value.sha256 === NO_CHECKSUM ? "" : code.value.sha256,
      pull: policy === "always" || policy === "if-not-present" ? policy : undefined,
      secret: secretName === undefined ? undefined : await secrets(secretName),
    });
  } catch (error) {
    conversions.inc({ result: "remote_fetch_failure" });
    if (!failsOpen(plugin.config)) throw fault(extension, messageOf(error), error);
    const before = former.get(extension.name);
    const about = { plugin: extension.name, reason: messageOf(error) };
    if (before !== undefined && modules.use(before.file)) {
      log.warn("a module cannot be fetched; the former module of its plugin continues", about);
      return before.module === module ? local(before.file) : before.resource;
    }
    log.warn("a module cannot be fetched; its plugin lets everything pass", about);
    return encoded(extension, plugin.allowing);
  }
  conversions.inc({ result: "success" });
  return local(filename);
}

function localFile(filename: string): AsyncDataSource["specifier"] {
  return {
    case: "local",
    value: {
      $typeName: "envoy.config.core.v3.DataSource",
      specifier: { case: "filename", value: filename },
    },
  };
}

interface Plugin {
  readonly config: PluginConfig;
  /** The filter with the current content of `config`. */
  packed(): Any;
  /** A filter of the same kind that allows everything. */
  readonly allowing: Any;
}

function pluginOf({ name, typedConfig }: TypedExtensionConfig): Plugin | undefined {
  if (typedConfig === undefined) return undefined;
  const { typeUrl, value } = typedConfig;
  const type = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
  if (type === HttpWasmSchema.typeName) {
    const filter = fromBinary(HttpWasmSchema, value);
    return filter.config && {
      config: filter.config,
      packed: () => packAny(HttpWasmSchema, filter),
      allowing: packAny(HttpRbacSchema, {}),
    };
  }
  if (type !== NetworkWasmSchema.typeName) return undefined;
  const filter = fromBinary(NetworkWasmSchema, value);
  return filter.config && {
    config: filter.config,
    packed: () => packAny(NetworkWasmSchema, filter),
    allowing: packAny(NetworkRbacSchema, { statPrefix: name }),
  };
}

function failsOpen({ $unknown = [] }: PluginConfig): boolean {
  return $unknown.some(({ no, data }) => no === FAILURE_POLICY && data[0] === FAIL_OPEN);
}

function encoded({ name }: TypedExtensionConfig, typedConfig: Any): Uint8Array {
  return toBinary(
    TypedExtensionConfigSchema,
    create(TypedExtensionConfigSchema, { name, typedConfig: create(AnySchema, typedConfig) }),
  );
}

function fault({ name }: TypedExtensionConfig, reason: string, cause: unknown): MeshError {
  return new MeshError("wasm-fetch", `the module of plugin ${name} cannot be fetched: ${reason}`, {
    remedy: "Read the address, the checksum and the registry's access rules of the WasmPlugin.",
    cause,
  });
}
