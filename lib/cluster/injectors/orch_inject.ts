import { buildInfo, MeshError, printable } from "../../kit/base/mod.ts";
import type { FlagValues, Invocation } from "../../kit/cli/mod.ts";
import {
  type InjectionConfig,
  injectObject,
  type Json,
  parseInjectionConfig,
  pathVariables,
} from "../inject/mod.ts";
import { getObject, isNotFound, type OrchObject, types } from "../../kit/orch/mod.ts";
import { readYaml, toYaml } from "../../kit/text/mod.ts";
import { defaultMeshConfig, parseMeshConfig, type SchemaProblem } from "../../mesh/schema/mod.ts";
import type { MeshConfig } from "#mesh/mesh/v1alpha1/config_pb.ts";
import { embeddedCharts } from "../charts/mod.ts";
import { USUAL_CLUSTER } from "../manifests/mod.ts";
import {
  type InjectionSettings,
  injectionSettings,
  planInstallation,
  problemText,
} from "../operator/mod.ts";
import type { InjectorCluster } from "./cluster.ts";
import { injectPathOf, type WebhookConfig } from "./injectors.ts";

/** Flags of the outline that this command does not use, with the reason. */
const INEFFECTIVE: Readonly<Record<string, string>> = Object.fromEntries(
  ["xds-address", "xds-label", "xds-port", "authority", "cert-dir", "insecure", "plaintext"]
    .map((name) => [name, "this command asks no daemon"]),
);

/** Opens the cluster that a command names. */
type OpenCluster = () => Promise<InjectorCluster & Disposable>;

/** The texts that decide about injection. */
interface Sources {
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
  /** Variables of the path of the webhook. */
  readonly variables: readonly (readonly [name: string, value: string])[];
}

/**
 * Injects the proxy into the workloads of a file and prints all its objects.
 *
 * Policy and selectors of the configuration do not count: who calls this wants the proxy. Only the pod's
 * own label or annotation, the network of the node, and namespaces of the orchestrator refuse it.
 *
 * @param open opens the cluster, whose ConfigMaps have what no flag gives
 */
export async function orchInject(call: Invocation, open: OpenCluster): Promise<number> {
  const { flags, io } = call;
  for (const [name, reason] of Object.entries(INEFFECTIVE)) {
    if (flags.given.has(name)) io.err(`Warning: --${name} has no effect: ${reason}\n`);
  }
  const file = flags.string("filename");
  if (file === "") {
    throw new MeshError("no-file", "filename not specified (see --filename or -f)", {
      remedy: "For example: meshctl orch-inject -f deployment.yaml.",
    });
  }
  const objects = documentsOf(await textOf(file), file);
  const sources = await sourcesOf(call, open);
  const config = forEveryPod(
    parseInjectionConfig({ config: sources.config, values: sources.values }),
  );
  const mesh = meshOf(sources.mesh);
  for (const text of [...config.warnings, ...mesh.warnings]) {
    io.err(printable(`Warning: ${text}`) + "\n");
  }
  const input = {
    config,
    mesh: mesh.config,
    revision: flags.string("revision"),
    nativeSidecars: false,
    compliancePolicy: "",
    variables: sources.variables,
  };
  const namespace = flags.string("namespace") || "default";
  const texts = objects.map((object) => {
    const result = injectObject(object, input, namespace);
    for (const { name, reason } of result.refused) {
      io.err(printable(`Warning: ${name} stays as it is: ${reason}`) + "\n");
    }
    return toYaml(result.object);
  });
  await write(flags.string("output"), texts.join("---\n"), io);
  return 0;
}

function meshOf(text: string): { readonly config: MeshConfig; readonly warnings: string[] } {
  const name = "mesh configuration";
  const { value, problems, warnings } = parseMeshConfig(text, name, defaultMeshConfig());
  const said = ({ path, message }: SchemaProblem) => (path === "" ? "" : `${path}: `) + message;
  if (value !== undefined) {
    return { config: value, warnings: warnings.map((one) => `${name}: ${said(one)}`) };
  }
  const [first] = problems;
  throw new MeshError("mesh-config", `the ${name}: ${first && said(first)}`, {
    remedy: first?.remedy,
  });
}

/** The configuration without the conditions under which pods are not injected. */
export function forEveryPod(config: InjectionConfig): InjectionConfig {
  return { ...config, policy: "enabled", neverInjectSelector: [], alwaysInjectSelector: [] };
}

function documentsOf(text: string, file: string): Json[] {
  return [...readYaml(text)].flatMap(({ document, problem }) => {
    if (problem !== undefined) {
      throw new MeshError("input-yaml", printable(`${file}: ${problem.message}`), {
        remedy: "Correct the YAML.",
      });
    }
    return document.value ? [document.value as Json] : [];
  });
}

/** The texts of the flags; those that no flag gives are read from ConfigMaps of the cluster. */
async function sourcesOf(call: Invocation, open: OpenCluster): Promise<Sources> {
  const { flags } = call;
  if (flags.given.has("injectConfigFile") && flags.given.has("injectConfigMapName")) {
    throw new MeshError(
      "exclusive-flags",
      "--injectConfigFile and --injectConfigMapName cannot be given together",
      { remedy: "Give one of them." },
    );
  }
  const operator = await operatorOf(call, "operatorFileName");
  const given = {
    config: await fileAt(flags, "injectConfigFile") ??
      (flags.given.has("injectConfigMapName") ? undefined : operator?.config),
    values: operator?.values ?? await valuesOf(call),
    mesh: operator?.mesh ?? await fileAt(flags, "meshConfigFile"),
  };
  const { config, values, mesh } = given;
  const isWhole = config !== undefined && values !== undefined && mesh !== undefined;
  if (isWhole && !flags.given.has("webhookConfig")) {
    return { config, values, mesh, variables: [] };
  }
  using cluster = await open();
  const revision = flags.string("revision");
  const suffix = revision === "" || revision === "default" ? "" : `-${revision}`;
  const read = async (name: string, key: string): Promise<string> => {
    const { meshNamespace: namespace, client } = cluster;
    try {
      const { data = {} } = await getObject<
        OrchObject & { readonly data?: Readonly<Record<string, string>> }
      >(client, types.CONFIG_MAP, { namespace, name });
      return data[key] ?? "";
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new MeshError("no-config", `there is no ConfigMap ${name} in ${namespace}`, {
        remedy: "Give --injectConfigFile, --valuesFile and --meshConfigFile, or another revision.",
        cause: error,
      });
    }
  };
  const injector = flags.string("injectConfigMapName") || `mesh-sidecar-injector${suffix}`;
  return {
    config: config ?? await read(injector, "config"),
    values: values ?? await read(injector, "values"),
    mesh: mesh ?? await read(`${flags.string("meshConfigMapName")}${suffix}`, "mesh"),
    variables: await variablesOf(call, cluster, `${flags.string("webhookConfig")}${suffix}`),
  };
}

/** Cluster and network of the path of the webhook; nothing without the webhook. */
async function variablesOf(
  { flags, io }: Invocation,
  { client }: InjectorCluster,
  name: string,
): Promise<Sources["variables"]> {
  try {
    const { webhooks = [] } = await getObject<WebhookConfig & OrchObject>(
      client,
      types.MUTATING_WEBHOOKS,
      { name },
    );
    const path = webhooks.map(injectPathOf).find((one) => one !== undefined);
    const [, , ...segments] = (path ?? "").split("/");
    return pathVariables(segments.map(decodeURIComponent));
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const missing = `there is no configuration ${name} of mutating webhooks`;
    if (flags.given.has("webhookConfig")) {
      throw new MeshError("no-webhook", printable(missing), {
        remedy: "Name one that exists, or leave --webhookConfig out.",
      });
    }
    io.err(printable(`Warning: ${missing}, whose path may name cluster and network`) + "\n");
    return [];
  }
}

async function fileAt(flags: FlagValues, flag: string): Promise<string | undefined> {
  const file = flags.string(flag);
  return file === "" ? undefined : await textOf(file);
}

/** The values of `--valuesFile`: plain ones, or those of a MeshOperator. */
async function valuesOf(call: Invocation): Promise<string | undefined> {
  const text = await fileAt(call.flags, "valuesFile");
  const isOperator = text !== undefined && /^kind:\s*["']?MeshOperator\b/m.test(text);
  return isOperator ? (await operatorOf(call, "valuesFile"))?.values : text;
}

/**
 * The settings that the installation of a MeshOperator has, which precede those of other files. What
 * its validation finds are warnings: nothing is installed.
 */
async function operatorOf(
  { flags, io }: Invocation,
  flag: string,
): Promise<InjectionSettings | undefined> {
  const text = await fileAt(flags, flag);
  if (text === undefined) return undefined;
  const plan = planInstallation({
    charts: embeddedCharts(),
    files: [{ name: flags.string(flag), text }],
    set: [],
    revision: flags.string("revision"),
    capabilities: USUAL_CLUSTER,
    isForced: true,
    version: buildInfo.version,
  });
  for (const warning of plan.warnings) {
    io.err(printable(`Warning: ${problemText(warning)}. ${warning.remedy}`) + "\n");
  }
  const [first] = plan.problems;
  if (first === undefined) return injectionSettings(plan);
  throw new MeshError("operator", problemText(first), { remedy: first.remedy });
}

async function textOf(file: string): Promise<string> {
  try {
    return file === "-"
      ? await new Response(Deno.stdin.readable).text()
      : await Deno.readTextFile(file);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound
      ? "no such file or directory"
      : cause instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : "it cannot be read";
    throw new MeshError("input-unreadable", printable(`open ${file}: ${reason}`), {
      remedy: "Name a file that can be read, or - for standard input.",
      cause,
    });
  }
}

async function write(file: string, text: string, io: Invocation["io"]): Promise<void> {
  if (file === "") return io.out(text);
  try {
    await Deno.writeTextFile(file, text);
  } catch (cause) {
    throw new MeshError("output-unwritable", printable(`${file} cannot be written`), {
      remedy: "Name a file in a folder that can be written to with --output.",
      cause,
    });
  }
}
