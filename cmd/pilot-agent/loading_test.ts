/**
 * Modules that every sub-command of the agent loads: `version`, `request` and `mesh-iptables` start
 * without the relay, its messages and the libraries of pages and metrics.
 */
import assert from "node:assert/strict";
import { bundle } from "../../scripts/compile.ts";
import { fromFileUrl } from "../../scripts/paths.ts";

/** The used part of the output of `deno info --json`. */
interface Info {
  readonly roots: readonly string[];
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly isDynamic?: boolean;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

/** Modules that are loaded together with a module, without those of dynamic imports. */
async function loadedWith(module: string): Promise<string[]> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", new URL(module, import.meta.url).href],
  }).output();
  assert.ok(success);
  const { roots, modules }: Info = JSON.parse(new TextDecoder().decode(stdout));
  const byName = new Map(modules.map((one) => [one.specifier, one]));
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    for (const { isDynamic, code } of byName.get(name)?.dependencies ?? []) {
      if (!isDynamic && code?.specifier !== undefined) visit(code.specifier);
    }
  };
  roots.forEach(visit);
  return [...found];
}

const RELAY = /\/lib\/\w+\/(agent|rpc|proto|wasm|dns|sds)\/|npm:\/?(preact|prom-client|@bufbuild)/;

Deno.test("sub-commands load neither the relay nor libraries of pages and metrics", async () => {
  assert.deepEqual((await loadedWith("./program.ts")).filter((name) => RELAY.test(name)), []);
  // Those that write rules, which run before each workload, load neither.
  const rules = await loadedWith("./capture.ts");
  assert.ok(rules.some((name) => name.includes("/lib/node/capture/")));
  assert.deepEqual(rules.filter((name) => RELAY.test(name) || name === "node:crypto"), []);
  // The command that runs the agent does.
  const agent = await loadedWith("./proxy.ts");
  assert.ok(agent.some((name) => RELAY.test(name)));
  // The builders of Envoy's messages and the second gRPC transport are the daemon's.
  assert.deepEqual(agent.filter((name) => /\/lib\/mesh\/envoy\/|npm:\/?@grpc/.test(name)), []);
});

Deno.test("the text of the built agent takes one byte a character in memory", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const main = await bundle(fromFileUrl(new URL("../..", import.meta.url)), "pilot-agent", dir);
    const modules = [...Deno.readDirSync(dir)].map(({ name }) => `${dir}/${name}`);
    assert.ok(modules.includes(main) && modules.length > 1);
    for (const module of modules) {
      // The engine stores text with a character above U+00FF in two bytes a character.
      const text = await Deno.readTextFile(module);
      const wide = Array.from(text).filter((character) => character > "\u00ff");
      assert.deepEqual(wide, [], module);
      // Only packages in CommonJS need it, when they are used.
      assert.doesNotMatch(text, /from\s*"node:module"/, module);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
