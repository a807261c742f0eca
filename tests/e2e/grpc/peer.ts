/**
 * A proxyless gRPC program: `peer.ts client`, or `peer.ts server NAME PORT`. Its bootstrap is in
 * `GRPC_XDS_BOOTSTRAP_CONFIG`. The header `please` of a call controls servers: `hang`, or
 * `fail-first`, which answers only retries. Commands come on standard input, one JSON line each,
 * answers go to standard output.
 *
 * @module
 */
import * as grpc from "@grpc/grpc-js";
import * as xds from "@grpc/grpc-js-xds";
import type { Calls, Counts } from "./program.ts";

const METHOD = "/test.Echo/Say";
const DEADLINE_MS = 20_000;

xds.register();

function print(value: unknown): void {
  console.log(JSON.stringify(value));
}

function callOnce(
  client: grpc.Client,
  { headers = {}, deadlineMs = DEADLINE_MS }: Calls,
): Promise<string> {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const bytes = (text: string) => Buffer.from(text);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      METHOD,
      bytes,
      (buffer: Buffer) => buffer.toString(),
      "hello",
      metadata,
      { deadline: Date.now() + deadlineMs },
      (error, answer) => {
        if (error) console.error(error.details);
        resolve(error ? grpc.status[error.code]! : answer ?? "");
      },
    );
  });
}

async function client(): Promise<void> {
  const clients = new Map<string, grpc.Client>();
  const clientOf = (target: string, mesh: boolean): grpc.Client => {
    const plain = grpc.credentials.createInsecure();
    const known = clients.get(target) ??
      new grpc.Client(target, mesh ? new xds.XdsChannelCredentials(plain) : plain);
    clients.set(target, known);
    return known;
  };
  print("ready");
  let buffered = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    for (let end = buffered.indexOf("\n"); end >= 0; end = buffered.indexOf("\n")) {
      const calls = JSON.parse(buffered.slice(0, end)) as Calls;
      buffered = buffered.slice(end + 1);
      const counts: Record<string, number> = {};
      for (let i = 0; i < calls.count; i++) {
        const answer = await callOnce(clientOf(calls.target, calls.mesh ?? false), calls);
        counts[answer] = (counts[answer] ?? 0) + 1;
      }
      print(counts satisfies Counts);
    }
  }
}

async function server(name: string, address: string, mesh: boolean): Promise<void> {
  const instance = mesh ? new xds.XdsServer() : new grpc.Server();
  const pass = (buffer: Buffer) => buffer;
  instance.addService({
    say: {
      path: METHOD,
      requestStream: false,
      responseStream: false,
      requestSerialize: pass,
      requestDeserialize: pass,
      responseSerialize: pass,
      responseDeserialize: pass,
    },
  }, {
    say: ({ metadata }: { metadata: grpc.Metadata }, reply: grpc.sendUnaryData<Buffer>) => {
      const [asked] = metadata.get("please");
      if (asked === "hang") return;
      const first = metadata.get("grpc-previous-rpc-attempts").length === 0;
      if (asked === "fail-first" && first) reply({ code: grpc.status.UNAVAILABLE });
      else reply(null, Buffer.from(name));
    },
  });
  const plain = grpc.ServerCredentials.createInsecure();
  const credentials = mesh ? new xds.XdsServerCredentials(plain) : plain;
  await new Promise<void>((resolve, reject) => {
    instance.bindAsync(address, credentials, (error) => error ? reject(error) : resolve());
  });
  print("ready");
  await new Promise(() => {});
}

const [role, name = "", address = "", mesh = ""] = Deno.args;
if (role === "client") await client();
else await server(name, address, mesh === "mesh");
