import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { holderOf } from "./holder.ts";
import { openListener } from "./listening.ts";

/** Listens as the rooms do: an error has the system's name in its cause. */
function open(hostname: string, port: number): Promise<Deno.TcpListener> {
  return Promise.try(() => {
    try {
      return Deno.listen({ hostname, port });
    } catch (cause) {
      throw new MeshError("some-code", "cannot", { cause });
    }
  });
}

async function failure(hostname: string, port: number): Promise<MeshError> {
  const asked = { by: "--some", address: `${hostname}:${port}`, remedy: "Or not." };
  const error = await openListener(asked, () => open(hostname, port)).catch((e: unknown) => e);
  assert(error instanceof MeshError, String(error));
  return error;
}

/** A separate program that listens on a port of its choice until it is ended. */
async function other(): Promise<{ port: number; pid: number } & AsyncDisposable> {
  const code = `const l = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    console.log(l.addr.port); for await (const _ of l);`;
  const args = ["eval", code];
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    pid: child.pid,
    port: Number(new TextDecoder().decode(value)),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

Deno.test("a port in use: the error names flag, program and remedy", async () => {
  await using holder = await other();
  const error = await failure("127.0.0.1", holder.port);
  assert.equal(
    error.message,
    `cannot listen on 127.0.0.1:${holder.port} (--some): the address is in use ` +
      `by deno (process ${holder.pid})`,
  );
  assert.equal(
    error.remedy,
    "End the process that has it, or choose another address. Or not.",
  );
  assert.equal(error.code, "some-code");
});

Deno.test("a port that another listener of the program has", async () => {
  const first = await open("127.0.0.1", 0);
  const { port } = first.addr;
  const { message } = await failure("127.0.0.1", port);
  assert.match(message, /in use by this program itself, for another of its listeners$/);
  assert.deepEqual(holderOf(port), { kind: "own" });
  first.close();
});

Deno.test("the owner of a port is not named when it cannot be found", async () => {
  const held = holderOf(1);
  assert.deepEqual(held.kind, "unknown");
  const code = `import { holderOf } from ${JSON.stringify(import.meta.resolve("./holder.ts"))};
    console.log(JSON.stringify(holderOf(1)));`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, code);
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "-q", "--no-prompt", file] });
  const { stdout } = await command.output();
  await Deno.remove(file);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
    kind: "unknown",
    why: "this program may not look",
  });
});

for (
  const [hostname, why] of [
    ["192.0.2.1", /192\.0\.2\.1:0 \(--some\): this machine has no such address$/],
    ["no-such-host.invalid", /\(--some\): the host name is not known$/],
  ] as const
) {
  Deno.test(`an address that cannot be bound: ${hostname}`, async () => {
    assert.match((await failure(hostname, 0)).message, why);
  });
}

Deno.test("other listen errors are reported with the flag", async () => {
  const asked = { by: "--some", address: "x" };
  const wrong = () => Promise.reject(new MeshError("address-invalid", "x is not an address"));
  await assert.rejects(openListener(asked, wrong), { message: "--some: x is not an address" });
  const bug = () => Promise.reject(new TypeError("a bug"));
  await assert.rejects(openListener(asked, bug), TypeError);
});
