/**
 * WasmPlugin: names, effective fields, rules.
 *
 * @module
 */
import {
  EnvValueSource,
  type VmConfig,
  type WasmPlugin,
  WasmPluginSchema,
} from "#mesh/extensions/v1alpha1/wasm_pb.ts";
import { isDnsSubdomain, type Path } from "../../../kit/text/mod.ts";
import {
  checkPolicyScope,
  checkPort,
  checkUnique,
  CONFLICT,
  INVALID,
  REQUIRED,
} from "../rules/mod.ts";
import type { ObjectIdentity, Report } from "../problem.ts";
import { type TabledKind } from "../kind.ts";

export const WASM_PLUGIN: TabledKind<"WasmPlugin", "wasmPlugins", WasmPlugin> = {
  kind: "WasmPlugin",
  group: "extensions.mesh.io",
  versions: ["v1alpha1"],
  plural: "wasmplugins",
  scope: "namespaced",
  table: "wasmPlugins",
  schema: WasmPluginSchema,
  effective: {
    paths: [
      "selector",
      "targetRef",
      "targetRefs",
      "url",
      "sha256",
      "imagePullPolicy",
      "imagePullSecret",
      "pluginConfig",
      "pluginName",
      "phase",
      "priority",
      "failStrategy",
      "vmConfig",
      "match",
      "type",
    ],
  },
  validate,
};

/** URL schemes of modules; no scheme means a registry. */
const SCHEMES: ReadonlySet<string> = new Set(["oci", "file", "http", "https"]);
/** Limits of the published schema, in characters. */
const MAX_NAME = 256;
const MAX_ENV_VALUE = 2048;
const MAX_SECRET_NAME = 253;
const MAX_ENV = 256;

/** Origin of a module: a local file, a URL that Envoy itself can fetch, or what only an agent can. */
export type ModuleOrigin = "file" | "remote" | "agent";

/**
 * Returns the origin of a plugin's module. Envoy requires a checksum for a URL; it cannot read images
 * of registries.
 */
export function moduleOrigin({ url, sha256 }: WasmPlugin): ModuleOrigin {
  if (/^file:\/\//i.test(url)) return "file";
  return /^https?:\/\//i.test(url) && sha256 !== "" ? "remote" : "agent";
}

/** Checks a WasmPlugin's specification. */
function validate(
  spec: WasmPlugin,
  identity: ObjectIdentity,
  report: Report,
): void {
  const path = ["spec"];
  checkPolicyScope(spec, identity, report);
  checkUrl(spec.url, [...path, "url"], report);
  if (spec.sha256 !== "" && !/^[a-f0-9]{64}$/.test(spec.sha256)) {
    const message = `${JSON.stringify(spec.sha256)} is not a SHA-256 sum`;
    const remedy = "Write 64 lower-case hexadecimal digits.";
    report.fail([...path, "sha256"], INVALID, message, remedy);
  }
  checkNames(spec, path, report);
  if (spec.vmConfig !== undefined) checkEnv(spec.vmConfig, [...path, "vmConfig", "env"], report);
  spec.match.forEach(({ ports }, index) => {
    ports.forEach(({ number }, at) =>
      checkPort(number, [...path, "match", index, "ports", at, "number"], report)
    );
  });
}

function checkUrl(url: string, path: Path, report: Report): void {
  const remedy = "Write oci://registry/image:tag, https://…, http://… or file:///absolute/path.";
  if (url === "") {
    report.fail(path, REQUIRED, "the plugin has no url", remedy);
    return;
  }
  const withScheme = url.includes("://") ? url : `oci://${url}`;
  const scheme = withScheme.slice(0, withScheme.indexOf("://")).toLowerCase();
  const reference = withScheme.slice(withScheme.indexOf("://") + 3);
  if (
    !URL.canParse(withScheme) || !/^[a-z0-9/[]/i.test(reference) ||
    /[\s%](?![0-9a-f]{2})/i.test(reference)
  ) {
    report.fail(path, INVALID, `${JSON.stringify(url)} is not a URL`, remedy);
  } else if (!SCHEMES.has(scheme)) {
    const message = `modules are not fetched by scheme ${JSON.stringify(scheme)}`;
    report.fail(path, "unknown-value", message, remedy);
  }
}

function checkNames(spec: WasmPlugin, path: Path, report: Report): void {
  if (spec.pluginName.length > MAX_NAME) {
    const message = `pluginName has ${spec.pluginName.length} characters, more than ${MAX_NAME}`;
    report.fail([...path, "pluginName"], "out-of-range", message, "Shorten it.");
  }
  const secret = spec.imagePullSecret;
  if (secret !== "" && (secret.length > MAX_SECRET_NAME || !isDnsSubdomain(secret))) {
    const message = `${JSON.stringify(secret)} is not the name of a secret`;
    const remedy = "Name a secret of the plugin's namespace.";
    report.fail([...path, "imagePullSecret"], "invalid-name", message, remedy);
  }
}

function checkEnv({ env }: VmConfig, path: Path, report: Report): void {
  if (env.length > MAX_ENV) {
    const message = `${env.length} variables are more than ${MAX_ENV}`;
    report.fail(path, "out-of-range", message, "Put them into pluginConfig.");
  }
  env.forEach(({ name, value, valueFrom }, index) => {
    const at = [...path, index];
    if (name === "") {
      report.fail([...at, "name"], REQUIRED, "the variable has no name", "Name it.");
    }
    if (name.length > MAX_NAME) {
      const message = `the variable's name has more than ${MAX_NAME} characters`;
      report.fail([...at, "name"], "out-of-range", message, "Shorten it.");
    }
    if (valueFrom === EnvValueSource.HOST && value !== "") {
      const message = `variable "${name}" comes from the host and takes no value`;
      report.failKey([...at, "value"], CONFLICT, message, "Remove value, or use INLINE.");
    }
    if (value.length > MAX_ENV_VALUE) {
      const message = `the value of "${name}" has more than ${MAX_ENV_VALUE} characters`;
      report.fail([...at, "value"], "out-of-range", message, "Put it into pluginConfig.");
    }
  });
  const named = env.map(({ name }, index) => [name, [...path, index, "name"]] as const);
  checkUnique(named.filter(([name]) => name !== ""), "variable", report);
}
