/**
 * The clients of the benchmark `ca`, in a worker.
 *
 * @module
 */
/// <reference lib="deno.worker" />
import { encode } from "../../lib/proto/mod.ts";
import { openStream } from "../../lib/rpc/mod.ts";
import { MeshCertificateRequestSchema } from "#mesh/v1/auth/ca_pb.ts";

/** Work of the clients. */
export interface Load {
  /** `host:port` of the service. */
  readonly target: string;
  /** CSR in PEM. */
  readonly csr: string;
  readonly requests: number;
  /** Requests at a time. */
  readonly clients: number;
}

const PATH = "/mesh.v1.auth.MeshCertificateService/CreateCertificate";

self.onmessage = async ({ data }: MessageEvent<Load>) => {
  const { requests, clients } = data;
  const begin = performance.now();
  let left = requests;
  await Promise.all(Array.from({ length: clients }, async () => {
    while (left-- > 0) await ask(data);
  }));
  self.postMessage((performance.now() - begin) / 1000);
};
self.postMessage("ready");

async function ask({ target, csr }: Load): Promise<void> {
  const stream = openStream({ target, path: PATH });
  stream.send(encode(MeshCertificateRequestSchema, { csr }));
  stream.end();
  try {
    for await (const _ of stream.messages) return;
    throw new Error("no answer");
  } finally {
    stream.close();
    await stream.ended;
  }
}
