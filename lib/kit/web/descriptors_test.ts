import assert from "node:assert/strict";
import {
  connectTo,
  latin1,
  listeningPorts,
  readHead,
  sendRaw,
  until,
  writeAll,
} from "./testing.ts";

const GET = "GET / HTTP/1.1\r\nHost: elsewhere\r\n\r\n";

/** Starts a listener in a process with so few file descriptors; gives its base URL. */
async function withDescriptors(
  limit: number,
): Promise<{ base: string; pid: number } & AsyncDisposable> {
  const code = `import { route, startWeb, text } from ${
    JSON.stringify(import.meta.resolve("./mod.ts"))
  };
    const finish = Promise.withResolvers();
    const routes = [
      route("GET", "/", () => text("ok")),
      route("GET", "/slow", () => finish.promise),
      route("GET", "/finish", () => (finish.resolve(text("done")), text("ok"))),
    ];
    const { address } = await startWeb({ address: ":0", name: "test", routes });
    // As in the programs: the runtime ends when it needs a descriptor for this first later.
    Deno.addSignalListener("SIGUSR1", () => {});
    console.log(address.port);`;
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, code);
  const config = import.meta.resolve("../../../deno.json").slice("file://".length);
  const command = new Deno.Command("bash", {
    args: ["-c", `ulimit -n ${limit}; exec "$@"`, "_", Deno.execPath(), "run", "-A", "-q"]
      .concat("--config", config, file),
    stdout: "piped",
    stderr: "null",
  });
  const child = command.spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    pid: child.pid,
    base: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
      await Deno.remove(file);
    },
  };
}

Deno.test("a process without file descriptors for connections goes on answering", async () => {
  await using child = await withDescriptors(128);
  using slow = await connectTo(child.base);
  await writeAll(slow, latin1(GET.replace("/", "/slow")));
  const ports = await listeningPorts(child.pid);
  assert(ports.size > 0);
  const held: Deno.Conn[] = [];
  try {
    for (let n = 0; n < 300; n++) {
      const connection = await connectTo(child.base);
      held.push(connection);
      await writeAll(connection, latin1(GET)).catch(() => {});
    }
    await until(async () =>
      (await sendRaw(child.base, GET.replace("/", "/finish")).catch(() => "")).startsWith(
        "HTTP/1.1 200 ",
      )
    );
    // The request in progress was not disturbed.
    assert.match(await readHead(slow), /^HTTP\/1.1 200 /);
    // The runtime's server ends when it cannot accept; another one would have another port. The
    // process may hold more ports for a moment, while it counts its free descriptors.
    const now = await listeningPorts(child.pid);
    assert(ports.isSubsetOf(now), `${[...ports]} of ${[...now]}`);
  } finally {
    for (const connection of held) connection.close();
  }
});
