/**
 * The corpus `injection`: workloads to workloads with a proxy. Each case is compared twice: with the
 * template of the corpus, and with the built-in one if the case uses the default template.
 *
 * @module
 */
import { injectObject, type Json, parseInjectionConfig } from "../../lib/cluster/inject/mod.ts";
import { defaultMeshConfig, parseMeshConfig } from "../../lib/mesh/schema/mod.ts";
import { readYaml } from "../../lib/kit/text/mod.ts";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";
import { normalised } from "./pods.ts";

interface InjectionCase extends Case {
  readonly args?: readonly string[];
  readonly options?: {
    readonly injectConfigFile: string;
    readonly valuesFile: string;
    readonly meshConfigFile: string;
    readonly env?: Readonly<Record<string, string>>;
    /** The variable `PLATFORM` of the daemon. */
    readonly platform?: string;
    readonly namespaceAnnotations?: Readonly<Record<string, string>>;
  };
  readonly golden?: string;
  /** True: compared with the built-in template, whose scripts are its own. */
  readonly isOwn?: boolean;
  /** With `fails` or `output`: a run of the command, with its status and a pattern for its errors. */
  readonly expected: {
    readonly error?: string;
    readonly fails?: boolean;
    readonly output?: string;
  };
}

/** The template of the corpus that the built-in template `sidecar` must equal in its result. */
const DEFAULT_TEMPLATE = "settings/default.template.yaml";

/** Compares the injected objects, field by field. */
export const INJECTION: Corpus<InjectionCase> = {
  name: "injection",
  judge: async (one: InjectionCase, read: ReadFile, folder: string) => {
    if (one.args !== undefined) return await judgeRun(one, one.args, { read, folder });
    const settings = settingsOf(one, read);
    const found = judgeWith(one, settings, read);
    if (found !== undefined) return found;
    if (one.options?.injectConfigFile !== DEFAULT_TEMPLATE) return undefined;
    const own = judgeWith({ ...one, isOwn: true }, { ...settings, config: "" }, read);
    return own && `built-in template: ${own}`;
  },
};

interface Settings {
  readonly config: string;
  readonly values: string;
  readonly mesh: string;
  readonly inputs: readonly string[];
  readonly native: boolean;
  readonly platform?: string;
  readonly namespaceAnnotations?: Readonly<Record<string, string>>;
}

function settingsOf({ options, inputs }: InjectionCase, read: ReadFile): Settings {
  if (options === undefined) throw new Error("the case has neither options nor arguments");
  return {
    config: read(options.injectConfigFile),
    values: read(options.valuesFile),
    mesh: read(options.meshConfigFile),
    inputs,
    native: options.env?.ENABLE_NATIVE_SIDECARS === "true",
    platform: options.platform,
    namespaceAnnotations: options.namespaceAnnotations,
  };
}

/** Runs the command of a case. Arguments that name a file of the corpus are that file. */
async function judgeRun(
  { expected, golden }: InjectionCase,
  args: readonly string[],
  { read, folder }: { readonly read: ReadFile; readonly folder: string },
): Promise<string | undefined> {
  const isFile = (name: string) => {
    try {
      return Deno.statSync(`${folder}/${name}`).isFile;
    } catch {
      return false;
    }
  };
  const argv = args.map((one) => isFile(one) ? `${folder}/${one}` : one);
  const [out, err, status] = await runInProcess(MESHCTL, argv);
  const { fails = false, output } = expected;
  if ((status !== 0) !== fails) return `status ${status}: ${err}`;
  if (output !== undefined && !new RegExp(output).test(err + out)) return `not ${output}: ${err}`;
  return golden === undefined ? undefined : compared(documents(out), documents(read(golden)), {});
}

function judgeWith(one: InjectionCase, settings: Settings, read: ReadFile): string | undefined {
  const wanted = one.expected.error;
  let objects: Json[];
  try {
    objects = injected(settings, read);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (wanted !== undefined && /annotations\["[^"]*(?:Ports|Ranges)"\]/.test(message)) {
      return undefined;
    }
    return message;
  }
  if (wanted !== undefined) return `accepted, where an error about ${wanted} is expected`;
  return compared(objects, documents(read(one.golden!)), one);
}

/** The first difference of objects. */
function compared(
  objects: readonly Json[],
  golden: readonly Json[],
  { isOwn = false }: Pick<InjectionCase, "isOwn">,
): string | undefined {
  if (golden.length !== objects.length) {
    return `${objects.length} objects, expected ${golden.length}`;
  }
  for (const [i, object] of objects.entries()) {
    const form = (value: unknown) => normalised(isOwn ? withoutScripts(value) : value);
    const fault = difference(form(object), form(golden[i]), "");
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function injected(settings: Settings, read: ReadFile): Json[] {
  const mesh = parseMeshConfig(settings.mesh, "mesh", defaultMeshConfig()).value;
  if (mesh === undefined) throw new Error("the mesh configuration is not valid");
  const input = {
    config: parseInjectionConfig(settings),
    mesh,
    revision: "",
    nativeSidecars: settings.native,
    compliancePolicy: "",
    platform: settings.platform,
    namespaceAnnotations: settings.namespaceAnnotations,
  };
  return settings.inputs.flatMap((file) =>
    documents(read(file)).map((object) => injectObject(object, input).object)
  );
}

function documents(text: string): Json[] {
  return [...readYaml(text)].flatMap(({ document, problem }) => {
    if (problem !== undefined) throw new Error(problem.message);
    return document.value ? [document.value as Json] : [];
  });
}

/** The object without the commands of shells. */
function withoutScripts(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value),
    (_, one) => Array.isArray(one) && one[0] === "sh" ? [] : one,
  );
}

/** The first difference, with its path. */
function difference(found: unknown, wanted: unknown, path: string): string | undefined {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return undefined;
  const [a, b] = [found, wanted] as [Json, Json];
  if (typeof found !== "object" || typeof wanted !== "object" || !found || !wanted) {
    return `${path}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`;
  }
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const fault = difference(a[name], b[name], `${path}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
