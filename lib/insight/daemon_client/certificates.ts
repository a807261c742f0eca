import { MeshError } from "../../kit/base/mod.ts";
import { parseSpiffe, readCertificates } from "../../kit/pki/mod.ts";
import type { RpcClientTls } from "../../kit/rpc/mod.ts";

/** Files of a certificate directory, as the agent writes them with `OUTPUT_CERTS`. */
const FILES = { cert: "cert-chain.pem", key: "key.pem", ca: "root-cert.pem" } as const;

export interface ClientCertificates {
  readonly tls: RpcClientTls;
  /** Namespace of the identity in the certificate; `undefined` without a SPIFFE id. */
  readonly namespace: string | undefined;
}

/**
 * Certificate, key and trusted roots of a directory.
 *
 * @throws {MeshError} `certificates-unreadable`
 */
export async function readClientCertificates(dir: string): Promise<ClientCertificates> {
  const read = async (name: string): Promise<string> => {
    try {
      return await Deno.readTextFile(`${dir}/${name}`);
    } catch (cause) {
      throw new MeshError("certificates-unreadable", `cannot read ${dir}/${name}`, {
        remedy: `The directory needs ${Object.values(FILES).join(", ")}.`,
        cause,
      });
    }
  };
  const [cert, key, ca] = await Promise.all([read(FILES.cert), read(FILES.key), read(FILES.ca)]);
  const [leaf] = readCertificates(cert, `${dir}/${FILES.cert}`);
  const namespace = leaf?.uris.map(parseSpiffe).find((id) => id !== undefined)?.namespace;
  return { tls: { cert, key, ca }, namespace };
}
