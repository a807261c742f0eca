// @isolate: it takes long.
/** Examples in doc comments: they are type-correct and run, and the entries of rooms have one. */
import assert from "node:assert/strict";
import { fromFileUrl, join, sourceFiles } from "./paths.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Functions that a user of a room calls first, by file. */
const ENTRIES: Readonly<Record<string, string>> = {
  "lib/cluster/inject/inject.ts": "injectPod",
  "lib/insight/analyze/object_set.ts": "analyzeObjects",
  "lib/insight/diff/mod.ts": "diffJson",
  "lib/insight/explain/explain.ts": "explain",
  "lib/insight/simulate/world.ts": "simulate",
  "lib/kit/pki/issue.ts": "issueLeaf",
  "lib/kit/rpc/server.ts": "startRpc",
  "lib/mesh/graph/graph.ts": "createGraph",
  "lib/mesh/ingest/ingest.ts": "createIngest",
  "lib/mesh/schema/documents.ts": "parseConfigDocuments",
  "lib/mesh/translate/translation.ts": "createPipeline",
  "lib/mesh/xds/server.ts": "createXdsServer",
};

for (const [file, name] of Object.entries(ENTRIES)) {
  Deno.test(`examples: ${name} of ${file} has one`, async () => {
    const text = await Deno.readTextFile(join(ROOT, file));
    const comment = new RegExp(
      `/\\*\\*((?:(?!\\*/)[^])*)\\*/\nexport (?:async )?function ${name}\\b`,
    );
    assert.match(comment.exec(text)?.[1] ?? "", /@example\n \* ```ts\n/);
  });
}

Deno.test("examples: all of them are type-correct and run", async () => {
  const files: string[] = [];
  for (const file of await sourceFiles(join(ROOT, "lib"))) {
    if (file.includes("/proto/gen/") || !file.endsWith(".ts")) continue;
    if (/^ *\* @example$/m.test(await Deno.readTextFile(file))) files.push(file);
  }
  assert.ok(files.length >= Object.keys(ENTRIES).length, files.join());
  const config = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(config, JSON.stringify(await looseConfig()));
    const args = ["test", "-A", "-q", "--doc", "--no-lock", `--config=${config}`, ...files];
    const env = { NO_COLOR: "1" };
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env })
      .output();
    const [said, failed] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.ok(success, `${said}${failed}`);
    assert.match(said!, new RegExp(`\\| ${files.length} passed`));
  } finally {
    await Deno.remove(config);
  }
});

/** The project's configuration without unused names: the checker imports all names of a file. */
async function looseConfig(): Promise<object> {
  const { compilerOptions, imports, unstable } = JSON.parse(
    await Deno.readTextFile(join(ROOT, "deno.json")),
  );
  return {
    nodeModulesDir: "none",
    unstable,
    compilerOptions: { ...compilerOptions, noUnusedLocals: false },
    imports: Object.fromEntries(
      Object.entries<string>(imports).map(([name, to]) => [
        name,
        to.startsWith("./") ? new URL(`../${to}`, import.meta.url).href : to,
      ]),
    ),
  };
}
