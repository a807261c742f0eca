/**
 * `deno task crds`: prints the definitions of Mesh's custom resources as YAML. With `--apply`, applies
 * them to the cluster of a configuration file: `--kubeconfig=FILE` (default `KUBECONFIG`, then
 * `~/.kube/config`), `--context=NAME`.
 *
 * @module
 */
import { MeshError } from "../lib/kit/base/mod.ts";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  applyObject,
  createClient,
  getObject,
  loadKubeconfig,
  type OrchClient,
  type OrchObject,
  types,
} from "../lib/kit/orch/mod.ts";
import { type ResourceDefinition, resourceDefinitions } from "../lib/mesh/schema/mod.ts";
import { toYaml } from "../lib/kit/text/mod.ts";
import { protoComments } from "./reference.ts";

/** Name under which the fields are owned. */
const MANAGER = "mesh-install";
/** Longest wait for a definition to be served, in milliseconds. */
const ESTABLISHED_MS = 60_000;

interface Definition extends OrchObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * The definitions with the first sentences of the reference as descriptions. The texts are short,
 * because `kubectl apply` keeps a definition in an annotation of at most 256 KiB.
 */
export async function describedDefinitions(): Promise<ResourceDefinition[]> {
  const comments = await protoComments();
  return resourceDefinitions((name) => /^.*?\.(?= |$)/.exec(comments.get(name) ?? "")?.[0] ?? "");
}

/**
 * Applies the definitions and waits until the server serves them.
 *
 * @param kinds only these; default: all
 */
export async function applyDefinitions(
  client: OrchClient,
  kinds?: readonly string[],
): Promise<void> {
  const definitions = (await describedDefinitions())
    .filter(({ spec }) => kinds?.includes(spec.names.kind) ?? true);
  for (const definition of definitions) {
    await applyObject(client, types.CUSTOM_RESOURCE_DEFINITION, definition, {
      manager: MANAGER,
      force: true,
    });
  }
  const end = performance.now() + ESTABLISHED_MS;
  for (const { metadata } of definitions) {
    while (!await isEstablished(client, metadata.name)) {
      if (performance.now() < end) {
        await new Promise((resume) => setTimeout(resume, 100));
        continue;
      }
      throw new MeshError("crd-not-served", `the server does not serve ${metadata.name}`, {
        remedy: `Look at the conditions of the CustomResourceDefinition ${metadata.name}.`,
      });
    }
  }
}

async function isEstablished(client: OrchClient, name: string): Promise<boolean> {
  const type = types.CUSTOM_RESOURCE_DEFINITION;
  const { status } = await getObject<Definition>(client, type, { name });
  return status?.conditions?.some((one) => one.type === "Established" && one.status === "True") ===
    true;
}

/** The definitions as documents of one file. */
export async function definitionsText(): Promise<string> {
  return (await describedDefinitions()).map((one) => `---\n${toYaml(one)}`).join("");
}

function option(name: string): string | undefined {
  const prefix = `--${name}=`;
  return Deno.args.find((arg) => arg.startsWith(prefix))?.slice(prefix.length);
}

async function main(): Promise<void> {
  if (!Deno.args.includes("--apply")) return console.log(await definitionsText());
  const home = `${Deno.env.get("HOME") ?? ""}/.kube/config`;
  const path = option("kubeconfig") ?? Deno.env.get("KUBECONFIG") ?? home;
  const config = await loadKubeconfig(path.split(":"));
  const context = option("context") ?? "";
  using client = createClient(accessOf(config, { allowed: ALL_CREDENTIAL_OPTIONS, context }));
  await applyDefinitions(client);
  console.error(`crds: ${resourceDefinitions().length} definitions are served`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    console.error(`crds: ${error.message}`);
    if (error.remedy !== undefined) console.error(`crds: ${error.remedy}`);
    Deno.exit(1);
  }
}
