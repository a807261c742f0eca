/**
 * The client library is loaded when a configuration needs it, and by nothing else.
 */
import assert from "node:assert/strict";

/** Loads a module, makes requests with an ordinary access, and prints loaded packages. */
const PROBE = `
import { createRequire } from "node:module";
const [orch, server] = Deno.args;
const { createClient } = await import(orch);
const access = { server, name: "x", namespace: "", proxyUrl: "", tls: async () => ({ ca: "" }) };
const loaded = () => Object.keys(createRequire(orch).cache).some((name) => name.includes("/undici/"));
{
  using client = createClient(access);
  await client.text({ path: "/" });
}
const before = loaded();
{
  const special = { tlsServerName: "", insecureSkipVerify: true };
  using client = createClient({ ...access, special });
  await client.text({ path: "/" });
}
console.log(JSON.stringify([before, loaded()]));
`;

Deno.test("library: it is loaded with the first connection that needs it, and not before", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("{}"),
  );
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["eval", "-q", PROBE, import.meta.resolve("../mod.ts")],
      `http://127.0.0.1:${server.addr.port}`,
    ],
    cwd: new URL("../../../..", import.meta.url),
  }).output();
  const output = new TextDecoder().decode(stdout);
  assert.equal(output.trim(), "[false,true]", new TextDecoder().decode(stderr));
});

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

for (const program of ["meshctl", "pilot-discovery", "pilot-agent"]) {
  Deno.test(`library: only its own module imports it: ${program}`, async () => {
    const { stdout, success } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", `cmd/${program}/main.ts`],
      cwd: new URL("../../../..", import.meta.url),
    }).output();
    assert.ok(success);
    const { modules }: Info = JSON.parse(new TextDecoder().decode(stdout));
    const importing = modules.filter(({ dependencies = [] }) =>
      dependencies.some(({ code }) => /npm:\/?@kubernetes\//.test(code?.specifier ?? ""))
    ).map(({ specifier }) => specifier.replace(/^.*\/lib\//, "lib/"));
    const own = "lib/kit/orch/library/package.ts";
    assert.deepEqual(importing, program === "pilot-agent" ? [] : [own]);
    const toOwn = modules.flatMap(({ dependencies = [] }) => dependencies)
      .filter(({ code }) => code?.specifier?.endsWith(own));
    assert.ok(toOwn.every(({ isDynamic }) => isDynamic));
  });
}
