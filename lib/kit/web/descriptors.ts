/** File descriptors that are left for others when a connection to the server is opened. */
const SPARE = 2;

/**
 * True when the process has file descriptors for so many connections to the server, at both ends,
 * and {@link SPARE}. The server ends when it has none to accept one, so this is checked before.
 */
export function hasDescriptorsFor(connections: number): boolean {
  const opened: Deno.TcpListener[] = [];
  try {
    const count = 2 * connections + SPARE;
    while (opened.length < count) opened.push(Deno.listen({ hostname: "127.0.0.1", port: 0 }));
    return true;
  } catch {
    return false;
  } finally {
    for (const each of opened) each.close();
  }
}
