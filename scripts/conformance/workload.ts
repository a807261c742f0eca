/**
 * The corpus `workload`: WorkloadGroups, and the files of machines outside the orchestrator.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { createObject, types } from "../../lib/kit/orch/mod.ts";
import { parseYaml } from "../../lib/kit/text/mod.ts";
import { adminClient } from "../../tests/support/cluster.ts";
import { ensureNamespace } from "../../tests/support/service_accounts.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import { startCluster } from "../harness/mod.ts";
import { join } from "../paths.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

/** The objects of the API server. */
interface World {
  readonly rootCert: string;
  /** `namespace/name`. */
  readonly caConfigMap: string;
  readonly meshConfigMap: string;
  readonly meshConfigFile: string;
  /** `namespace/name` and a remark. */
  readonly serviceAccount: string;
}

interface WorkloadCase extends Case {
  readonly args: readonly string[];
  readonly options?: { readonly world?: World };
  /** Name of the written file → golden file. */
  readonly goldens?: Readonly<Record<string, string>>;
  readonly expected?: {
    readonly fails?: boolean;
    readonly output?: string;
    readonly text?: string;
  };
}

/** Compares files by their content; tokens and certificates are those of the real API server. */
export const WORKLOADS: Corpus<WorkloadCase> = {
  name: "workload",
  missing: async () => {
    const [, err] = await runInProcess(MESHCTL, ["experimental", "workload", "group", "create"]);
    const [first = ""] = err.split("\n");
    return /not supported yet|unknown command/.test(first) ? first : undefined;
  },
  judge: async (one, read, folder) =>
    one.options?.world === undefined
      ? judgeOutput(one, await runInProcess(MESHCTL, one.args))
      : await judgeFiles(one, one.options.world, read, folder),
};

function judgeOutput(
  { expected = {} }: WorkloadCase,
  [out, err, status]: readonly [string, string, number],
): string | undefined {
  const { fails, output, text = "" } = expected;
  const said = /^Error: (.*)/.exec(text)?.[1] ?? output ?? "";
  assert.equal(status !== 0, fails ?? text.startsWith("Error: "), err);
  assert.ok(`${out}${err}`.toLowerCase().includes(said.toLowerCase()), `${out}${err}`);
  if (text !== "" && status === 0) assert.deepEqual(parseYaml(out), parseYaml(text));
  return undefined;
}

async function judgeFiles(
  one: WorkloadCase,
  world: World,
  read: ReadFile,
  folder: string,
): Promise<string | undefined> {
  await using cluster = await startCluster();
  using client = await adminClient(cluster);
  const [account = ""] = world.serviceAccount.split(" ");
  const named = (ref: string) => {
    const [namespace = "", name = ""] = ref.split("/");
    return { namespace, name };
  };
  const make = async (type: typeof types.CONFIG_MAP, ref: string, more: object) => {
    const metadata = named(ref);
    await ensureNamespace(client, metadata.namespace);
    const { version: apiVersion, kind } = type;
    await createObject(client, type, { apiVersion, kind, metadata, ...more });
  };
  await make(types.SERVICE_ACCOUNT, account, {});
  await make(types.CONFIG_MAP, world.caConfigMap, { data: { "root-cert.pem": world.rootCert } });
  await make(types.CONFIG_MAP, world.meshConfigMap, {
    data: { mesh: read(world.meshConfigFile) },
  });
  const dir = await Deno.makeTempDir({ prefix: "mesh-machine-" });
  try {
    const args = one.args.map((arg) => arg === "{group}" ? join(folder, one.inputs[0]!) : arg);
    const ran = await runInProcess(MESHCTL, [
      ...args,
      ...["-o", dir, "--orchconfig", cluster.files.kubeconfig],
    ]);
    const difference = judgeOutput(one, ran);
    for (const [name, golden] of Object.entries(one.goldens ?? {})) {
      compareFile(name, await Deno.readTextFile(join(dir, name)), read(golden), world);
    }
    return difference;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

function compareFile(name: string, made: string, golden: string, { rootCert }: World): void {
  switch (name) {
    // The API server makes a token of its own.
    case "mesh-token":
      return;
    case "root-cert.pem":
      return assert.equal(made.trim(), rootCert.trim());
    case "mesh.yaml":
      return assert.deepEqual(parseYaml(made), parseYaml(golden), name);
    default: {
      const lines = (text: string) =>
        text.split("\n").map((line) => line.trim()).filter((line) => line !== "").sort();
      assert.deepEqual(lines(made), lines(golden), name);
    }
  }
}
