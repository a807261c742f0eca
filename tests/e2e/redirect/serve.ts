/**
 * A server program: `serve.ts NAME http:ADDRESS:PORT tcp:ADDRESS:PORT …`. It answers with its name,
 * the observed client address, and the host that was asked for.
 *
 * @module
 */
const [name = "", ...specs] = Deno.args;

function answer(request: Request, { remoteAddr }: Deno.ServeHandlerInfo): Response {
  const seen = "hostname" in remoteAddr ? remoteAddr.hostname : "";
  const host = request.headers.get("host") ?? "";
  return new Response("", { headers: { "x-backend": name, "x-seen": seen, "x-host": host } });
}

async function echo(connection: Deno.TcpConn): Promise<void> {
  const greeting = `${name} ${connection.remoteAddr.hostname}\n`;
  await connection.write(new TextEncoder().encode(greeting));
  await connection.readable.pipeTo(connection.writable);
}

for (const spec of specs) {
  const [, kind, hostname, port] = /^(\w+):(.+):(\d+)$/.exec(spec) ?? [];
  const at = { hostname, port: Number(port) };
  if (kind === "http") Deno.serve({ ...at, onListen: () => {} }, answer);
  else {
    const listener = Deno.listen(at);
    (async () => {
      // Clients may go at any time.
      for await (const connection of listener) echo(connection).catch(() => {});
    })();
  }
}
console.log("ready");
