/**
 * The corpus `cli`: verdicts about injection, and tables about objects of an API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { MESHCTL } from "../../cmd/meshctl/program.ts";
import { defaultInjectionConfig } from "../../lib/cluster/inject/mod.ts";
import {
  type InjectorVerdict,
  injectorVerdict,
  isInjector,
  type WebhookConfig,
} from "../../lib/cluster/injectors/mod.ts";
import { parseYaml, readYaml } from "../../lib/kit/text/mod.ts";
import { runInProcess } from "../../tests/support/program_run.ts";
import type { Case, Corpus, ReadFile } from "./corpus.ts";

interface CommandCase extends Case {
  readonly args: readonly string[];
  readonly golden?: string;
  readonly options?: {
    readonly podLabels: Readonly<Record<string, string>>;
    readonly namespaceLabels: Readonly<Record<string, string>>;
  };
  readonly expected?: { readonly webhooks: readonly InjectorVerdict[] };
}

/** Compares webhook, revision and verdict, and the cells of tables. */
export const COMMANDS: Corpus<CommandCase> = {
  name: "cli",
  judge: async (one, read) => {
    if (one.expected?.webhooks !== undefined) return judgeVerdicts(one, read);
    return await judgeTable(one, read);
  },
};

/** Runs a command against a server that has the objects, and compares the cells of its table. */
async function judgeTable({ inputs, args, golden }: CommandCase, read: ReadFile) {
  const items = inputs.flatMap((file) =>
    [...readYaml(read(file))].flatMap(({ document }) => document?.value ?? [])
  );
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      new URL(url).pathname === GATEWAYS
        ? Response.json({
          ...{ apiVersion: "gateway.networking.k8s.io/v1", kind: "GatewayList", items },
          metadata: { resourceVersion: "1" },
        })
        : Response.json({ kind: "Status", status: "Failure", code: 404 }, { status: 404 }),
  );
  const config = await Deno.makeTempFile({ prefix: "mesh-cli-", suffix: ".yaml" });
  try {
    await Deno.writeTextFile(config, configFor(server.addr.port));
    const [out, err] = await runInProcess(MESHCTL, [...args, "--orchconfig", config]);
    if (out === "") return err.split("\n", 1)[0] || "the command printed nothing";
    assert.deepEqual(cellsOf(out), cellsOf(read(golden ?? "")));
    return undefined;
  } finally {
    await Deno.remove(config);
  }
}

const GATEWAYS = "/apis/gateway.networking.k8s.io/v1/gateways";

function configFor(port: number): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "one" },
    clusters: [{ name: "one", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "one", user: {} }],
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
  });
}

function cellsOf(table: string): string[][] {
  return table.trim().split("\n").map((line) => line.trim().split(/\s{2,}/));
}

function judgeVerdicts({ inputs, options, expected, args }: CommandCase, read: ReadFile) {
  const { podLabels: pod = {}, namespaceLabels: namespace = {} } = options ?? {};
  const [namespaceName = ""] = args.at(-1)?.split(".").slice(-1) ?? [];
  const found = inputs.map((file) => parseYaml(read(file)) as WebhookConfig).filter(isInjector)
    .map((config) =>
      injectorVerdict(config, { namespaceName, namespace, pod }, defaultInjectionConfig())
    );
  const sorted = (all: readonly InjectorVerdict[]) =>
    all.map(({ webhook, revision, injected }) => `${webhook} ${revision} ${injected}`).sort();
  assert.deepEqual(sorted(found), sorted(expected?.webhooks ?? []));
  return undefined;
}
