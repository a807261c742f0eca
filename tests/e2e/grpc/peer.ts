/**
 * A program of somebody's who uses gRPC with xDS and no proxy: `peer.ts client`, or
 * `peer.ts server NAME PORT`. Its bootstrap comes by `GRPC_XDS_BOOTSTRAP_CONFIG`, as gRPC has it.
 * Commands come on standard input, a line of JSON each, answers go to standard output.
 *
 * @module
 */
import * as grpc from "@grpc/grpc-js";
import * as xds from "@grpc/grpc-js-xds";
import type { Calls, Tally } from "./program.ts";

const METHOD = "/test.Echo/Say";
const DEADLINE_MS = 5_000;

xds.register();

function tell(value: unknown): void {
  console.log(JSON.stringify(value));
}

function callOnce(client: grpc.Client, headers: Record<string, string>): Promise<string> {
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
      { deadline: Date.now() + DEADLINE_MS },
      (error, answer) => resolve(error ? grpc.status[error.code]! : answer ?? ""),
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
  tell("ready");
  let buffered = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    for (let end = buffered.indexOf("\n"); end >= 0; end = buffered.indexOf("\n")) {
      const calls = JSON.parse(buffered.slice(0, end)) as Calls;
      buffered = buffered.slice(end + 1);
      const tally: Record<string, number> = {};
      for (let i = 0; i < calls.count; i++) {
        const answer = await callOnce(
          clientOf(calls.target, calls.mesh ?? false),
          calls.headers ?? {},
        );
        tally[answer] = (tally[answer] ?? 0) + 1;
      }
      tell(tally satisfies Tally);
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
    say: (_call: unknown, reply: grpc.sendUnaryData<Buffer>) => reply(null, Buffer.from(name)),
  });
  const plain = grpc.ServerCredentials.createInsecure();
  const credentials = mesh ? new xds.XdsServerCredentials(plain) : plain;
  await new Promise<void>((resolve, reject) => {
    instance.bindAsync(address, credentials, (error) => error ? reject(error) : resolve());
  });
  tell("ready");
  await new Promise(() => {});
}

const [role, name = "", address = "", mesh = ""] = Deno.args;
if (role === "client") await client();
else await server(name, address, mesh === "mesh");
