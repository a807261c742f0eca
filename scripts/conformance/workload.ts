/**
 * The corpus `workload`: the files for a machine, and WorkloadGroups that flags describe. Commands
 * read the objects that a case says the API server has.
 *
 * @module
 */
import { canonicalJson } from "../../lib/kit/base/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

interface World {
  readonly caConfigMap: string;
  readonly rootCert: string;
  readonly meshConfigMap: string;
  readonly meshConfigFile: string;
}

interface WorkloadCase extends Case {
  readonly args: readonly string[];
  readonly options?: { readonly world?: World };
  readonly expected?: {
    readonly fails?: boolean;
    readonly text?: string;
    readonly output?: string;
  };
  readonly goldens?: Readonly<Record<string, string>>;
}

/** Compares the files as the corpus says, or what was printed. */
export const WORKLOAD: Corpus<WorkloadCase> = {
  name: "workload",
  judge: async (one: WorkloadCase, read: ReadFile, folder: string) => {
    const dir = await Deno.makeTempDir({ prefix: "mesh-workload-" });
    try {
      await using api = serve(one.options?.world, read);
      const config = `${dir}/config`;
      await Deno.writeTextFile(config, kubeconfig(api.addr.port));
      const args = one.args.map((arg) => arg === "{group}" ? `${folder}/${one.inputs?.[0]}` : arg);
      const isConfigure = args.includes("configure");
      const more = isConfigure ? ["-o", `${dir}/out`, "-c", config] : [];
      const [out, err, status] = await runInProcess(MESHCTL, [...args, ...more]);
      return judgeRun(one, { out, err, status, dir: `${dir}/out`, read });
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
};

interface Run {
  readonly out: string;
  readonly err: string;
  readonly status: number;
  /** The folder of the files. */
  readonly dir: string;
  readonly read: ReadFile;
}

function judgeRun({ expected, goldens = {} }: WorkloadCase, run: Run): string | undefined {
  const { out, err, status, dir, read } = run;
  if (expected?.fails) {
    const text = (expected.output ?? expected.text ?? "").trim();
    if (status === 0) return "the command does not fail";
    return err.includes(text) ? undefined : `${err.split("\n")[0]}: not ${text}`;
  }
  if (status !== 0) return err.split("\n")[0];
  if (expected?.text !== undefined) return differs("output", out, expected.text, asYaml);
  for (const [file, golden] of Object.entries(goldens)) {
    const form = file === "mesh.yaml" ? asYaml : asLines;
    const fault = differs(file, Deno.readTextFileSync(`${dir}/${file}`), read(golden), form);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function differs(
  what: string,
  found: string,
  wanted: string,
  form: (text: string) => string,
): string | undefined {
  return form(found) === form(wanted) ? undefined : `${what}: ${form(found)}, not ${form(wanted)}`;
}

const asYaml = (text: string) => canonicalJson(parseYaml(text));
const asLines = (text: string) => text.split("\n").filter((line) => line !== "").sort().join("\n");

/** An API server with the objects of a case, for the length of a command. */
function serve(world: World | undefined, read: ReadFile): Deno.HttpServer<Deno.NetAddr> {
  const objects = new Map<string, unknown>();
  if (world !== undefined) {
    const configMap = (place: string, data: Record<string, string>) => {
      const [namespace, name] = place.split("/");
      const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
      objects.set(path, { metadata: { namespace, name }, data });
    };
    configMap(world.caConfigMap, { "root-cert.pem": world.rootCert });
    configMap(world.meshConfigMap, { mesh: read(world.meshConfigFile) });
  }
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const isToken = request.method === "POST" && pathname.endsWith("/token");
    const found = isToken
      ? { status: { token: "", expirationTimestamp: "" } }
      : objects.get(pathname);
    const missing = { kind: "Status", status: "Failure", reason: "NotFound", code: 404 };
    return found === undefined
      ? Response.json({ ...missing, message: `${pathname} not found` }, { status: 404 })
      : Response.json(found);
  });
}

function kubeconfig(port: number): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
    "current-context": "c",
  });
}
