/**
 * The clients of the benchmark `ca`, in a process of their own: `clients.ts <json load>`. Prints the
 * seconds that the requests took.
 *
 * @module
 */
import { encode } from "../../../lib/kit/proto/mod.ts";
import { openStream } from "../../../lib/kit/rpc/mod.ts";
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

async function main(load: Load): Promise<void> {
  const begin = performance.now();
  let left = load.requests;
  await Promise.all(Array.from({ length: load.clients }, async () => {
    while (left-- > 0) await ask(load);
  }));
  console.log((performance.now() - begin) / 1000);
}

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

if (import.meta.main) await main(JSON.parse(Deno.args[0]!) as Load);
