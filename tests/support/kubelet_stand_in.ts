/**
 * A stand-in for the part of the API that needs a kubelet: `portforward`, `exec` and `log` of pods.
 * Everything else is passed to a real API server, with the client's credentials.
 *
 * @module
 */

/** A command's outcome, as the stand-in answers it. */
export interface StandInExec {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly status?: number;
}

/** The programs of the pods, and the server behind. */
export interface StandInOptions {
  /** URL of the real API server; absent: there is none, and other requests are answered 404. */
  readonly server?: string;
  /** Trusts the API server's authority. */
  readonly client?: Deno.HttpClient;
  /** Ports of this machine by `namespace/pod:port`. */
  readonly ports?: Readonly<Record<string, number>>;
  /** Logs by `namespace/pod/container`. */
  readonly logs?: Readonly<Record<string, string>>;
  readonly exec?: (
    pod: string,
    command: readonly string[],
  ) => StandInExec | undefined | Promise<StandInExec | undefined>;
}

/** A running stand-in. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
  /** Subprotocols that clients offered, by subresource. */
  readonly offered: { readonly subresource: string; readonly protocols: string }[];
  /** Paths with queries of the requests, in order. */
  readonly asked: string[];
}

const POD_STREAM = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/(exec|portforward|log)$/;

/** Starts it on a free port. */
export function startKubeletStandIn(options: StandInOptions): StandIn {
  const offered: StandIn["offered"] = [];
  const asked: string[] = [];
  const handler = (request: Request): Response | Promise<Response> => {
    const url = new URL(request.url);
    asked.push(url.pathname + url.search);
    const [, namespace, name, subresource] = POD_STREAM.exec(url.pathname) ?? [];
    const pod = `${namespace}/${name}`;
    if (subresource === undefined) return pass(options, request);
    if (subresource === "log") return logOf(options, pod, url);
    const protocols = request.headers.get("sec-websocket-protocol");
    if (protocols === null) return statusOf(400, "BadRequest", "Upgrade request required");
    offered.push({ subresource, protocols });
    return subresource === "exec"
      ? answerExec(options, request, pod)
      : answerForward(options, request, pod);
  };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    offered,
    asked,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function pass({ server, client }: StandInOptions, request: Request): Promise<Response> {
  if (server === undefined) return statusOf(404, "NotFound", "the server has no such resource");
  const url = new URL(request.url);
  const body = request.body === null ? undefined : await request.arrayBuffer();
  // Pairs keep repeated headers apart; those of the connection are made anew.
  const headers = [...request.headers].flatMap(([name, value]): [string, string][] =>
    ["host", "connection", "content-length"].includes(name)
      ? []
      : name === "impersonate-group"
      ? value.split(", ").map((one) => [name, one])
      : [[name, value]]
  );
  const { method, signal } = request;
  const asked = fetch(`${server}${url.pathname}${url.search}`, {
    method,
    headers,
    body,
    client,
    signal,
  });
  const answer = await asked.catch((error) => {
    if (!signal.aborted) throw error;
  });
  if (answer === undefined) return statusOf(499, "ClientClosedRequest", "the client has left");
  const type = answer.headers.get("content-type") ?? "application/json";
  return new Response(answer.body, { status: answer.status, headers: { "content-type": type } });
}

function statusOf(code: number, reason: string, message: string): Response {
  return Response.json({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message,
  }, {
    status: code,
  });
}

function logOf({ logs = {} }: StandInOptions, pod: string, url: URL): Response {
  const text = logs[`${pod}/${url.searchParams.get("container") ?? ""}`];
  const previous = url.searchParams.get("previous") === "true";
  return text === undefined || previous
    ? statusOf(400, "BadRequest", `no log of ${pod}`)
    : new Response(text);
}

function frame(channel: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(bytes.length + 1);
  message[0] = channel;
  message.set(bytes, 1);
  return message;
}

function answerExec({ exec }: StandInOptions, request: Request, pod: string): Response {
  const command = new URL(request.url).searchParams.getAll("command");
  const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "v5.channel.k8s.io" });
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  socket.onopen = async () => {
    const result = await exec?.(pod, command);
    const { stdout = "", stderr = "", status = 0 } = result ?? {};
    if (stdout !== "") socket.send(frame(1, encode(stdout)));
    if (stderr !== "") socket.send(frame(2, encode(stderr)));
    const causes = [{ reason: "ExitCode", message: String(status) }];
    const end = result === undefined
      ? { status: "Failure", reason: "InternalError", message: `${command[0]} is not there` }
      : status === 0
      ? { status: "Success" }
      : { status: "Failure", reason: "NonZeroExitCode", details: { causes } };
    socket.send(frame(3, encode(JSON.stringify(end))));
    socket.close();
  };
  return response;
}

function answerForward({ ports = {} }: StandInOptions, request: Request, pod: string): Response {
  const port = Number(new URL(request.url).searchParams.get("ports"));
  const { socket, response } = Deno.upgradeWebSocket(request, { protocol: "v4.channel.k8s.io" });
  socket.binaryType = "arraybuffer";
  const prefix = new Uint8Array([port & 255, port >> 8]);
  const target = ports[`${pod}:${port}`];
  const connected = target === undefined
    ? Promise.reject(new Error("connection refused"))
    : Deno.connect({ hostname: "127.0.0.1", port: target });
  connected.catch(() => {});
  socket.onopen = async () => {
    for (const channel of [0, 1]) socket.send(frame(channel, prefix));
    try {
      const connection = await connected;
      const buffer = new Uint8Array(64 * 1024);
      for (;;) {
        const size = await connection.read(buffer).catch(() => null);
        if (size === null) break;
        socket.send(frame(0, buffer.slice(0, size)));
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      socket.send(frame(1, new TextEncoder().encode(`port ${port}: ${reason}`)));
    }
    socket.close();
  };
  let writing = Promise.resolve();
  socket.onmessage = ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer).subarray(1);
    writing = writing.then(async () => {
      const connection = await connected;
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    }).catch(() => socket.close());
  };
  socket.onclose = () => void connected.then((connection) => close(connection), () => {});
  return response;
}

function close(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}
