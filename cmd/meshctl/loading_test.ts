import assert from "node:assert/strict";

const ROOT = new URL("../../", import.meta.url);

/** Rooms that the tables of commands and the reading of flags need. */
const AT_START = ["lib/kit/base", "lib/kit/cli", "lib/kit/env"];

interface ModuleRow {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier?: string };
    readonly isDynamic?: boolean;
  }[];
}

/** Modules that are loaded before a command runs: those of static imports. */
async function loadedAtStart(main: URL): Promise<readonly string[]> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", main.href],
    cwd: ROOT,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    readonly modules: readonly ModuleRow[];
  };
  const rows = new Map(modules.map((row) => [row.specifier, row]));
  const found = new Set([main.href]);
  for (const specifier of found) {
    for (const { code, isDynamic } of rows.get(specifier)?.dependencies ?? []) {
      if (isDynamic !== true && code?.specifier !== undefined) found.add(code.specifier);
    }
  }
  return [...found];
}

Deno.test("meshctl loads the rooms of a command when the command runs", async () => {
  const loaded = await loadedAtStart(new URL("main.ts", import.meta.url));
  const rooms = loaded.filter((one) => one.startsWith(`${ROOT.href}lib/`))
    .map((one) => one.slice(ROOT.href.length).split("/").slice(0, 3).join("/"));
  assert.deepEqual([...new Set(rooms)].sort(), AT_START);
  assert.deepEqual(loaded.filter((one) => /^(npm|jsr|https?):/.test(one)), []);
});

Deno.test("a question to a daemon loads neither the messages of the mesh nor its translation", async () => {
  for (const room of ["questions", "incident"]) {
    const loaded = await loadedAtStart(
      new URL(`../../lib/insight/${room}/mod.ts`, import.meta.url),
    );
    const heavy = ["kit/proto", "kit/rpc", "mesh/schema", "mesh/envoy", "mesh/translate"];
    const found = heavy.filter((one) =>
      loaded.some((file) => file.startsWith(`${ROOT.href}lib/${one}/`))
    );
    assert.deepEqual(found, [], room);
  }
});
