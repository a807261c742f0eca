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
import { parseYaml } from "../../lib/kit/text/mod.ts";
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
    // A table is about objects of an API server; the command itself says if it does not exist.
    const [, err] = await runInProcess(MESHCTL, one.args);
    return err.split("\n", 1)[0] || "the command needs an API server, and is not compared yet";
  },
};

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
