/**
 * Support of tests of identity: an issuer of tokens, a plugged-in authority, and a client of the
 * certificate service.
 *
 * @module
 */
import { type Agent, type AgentOptions, startAgent } from "../../scripts/harness/mod.ts";
import { envoyPath } from "../../scripts/tools.ts";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import {
  createCsr,
  generateKey,
  issueAuthority,
  type Issuer,
  privateKeyPem,
} from "../../lib/kit/pki/mod.ts";
import { encode, fromBinary } from "../../lib/kit/proto/mod.ts";
import { openStream, type RpcClientTls } from "../../lib/kit/rpc/mod.ts";
import {
  MeshCertificateRequestSchema,
  MeshCertificateResponseSchema,
} from "#mesh/v1/auth/ca_pb.ts";

/** An issuer of tokens of service accounts, on loopback. */
export interface TokenIssuer extends AsyncDisposable {
  /** The value of `JWT_RULE`. */
  readonly rule: string;
  /** A token that is valid for an hour. */
  token(namespace: string, serviceAccount: string): Promise<string>;
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = { keys: [{ ...await exportJWK(publicKey), kid: "1", alg: "ES256" }] };
  const server: Deno.HttpServer<Deno.NetAddr> = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => Response.json(keys),
  );
  const issuer = `http://127.0.0.1:${server.addr.port}`;
  return {
    rule: JSON.stringify({ issuer, jwksUri: `${issuer}/keys`, audiences: ["mesh-ca"] }),
    token: (namespace, serviceAccount) =>
      new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "1" }).setIssuer(issuer)
        .setAudience("mesh-ca").setExpirationTime("1h")
        .setSubject(`system:serviceaccount:${namespace}:${serviceAccount}`).sign(privateKey),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Writes a root of its own for a daemon into a directory; returns it. */
export async function writePluggedCa(dir: string): Promise<Issuer> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const now = Date.now();
  const certificate = await issueAuthority({
    organization: "cluster.local",
    key,
    notBefore: now - 3_600_000,
    notAfter: now + 24 * 3_600_000,
  });
  const files = {
    "ca-cert.pem": certificate.pem,
    "ca-key.pem": await privateKeyPem(key, "pkcs8"),
    "root-cert.pem": certificate.pem,
  };
  await Deno.mkdir(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${dir}/${name}`, text);
  }
  return { certificate, key };
}

/** Starts agents that obtain certificates by token. */
export interface AgentStarter {
  readonly issuer: Pick<TokenIssuer, "token">;
  /** The daemon's root, PEM. */
  readonly root: string;
  /** Folder for the agents' files. */
  readonly dir: string;
  /** `host:port` of the daemon's secured listener. */
  readonly xds: string;
}

/** Options of {@link startCertifiedAgent}: namespace and name are those of the service account. */
export type CertifiedAgent =
  & Omit<AgentOptions, "xds" | "envoy" | "dir" | "namespace" | "secured">
  & { readonly namespace: string };

/** Starts an agent with the token of its service account, whose name is the agent's. */
export async function startCertifiedAgent(
  { issuer, root, dir, xds }: AgentStarter,
  { name, namespace, env, ...more }: CertifiedAgent,
): Promise<Agent> {
  const run = `${dir}/${name}/var/run/secrets`;
  await Deno.mkdir(`${run}/tokens`, { recursive: true });
  await Deno.mkdir(`${run}/mesh`, { recursive: true });
  await Deno.writeTextFile(`${run}/tokens/mesh-token`, await issuer.token(namespace, name));
  await Deno.writeTextFile(`${run}/mesh/root-cert.pem`, root);
  return await startAgent({
    ...more,
    name,
    namespace,
    xds,
    envoy: await envoyPath(),
    dir,
    env: { SERVICE_ACCOUNT: name, ECC_SIGNATURE_ALGORITHM: "ECDSA", ...env },
    secured: true,
  });
}

/** Serial numbers of the certificates that an agent's Envoy uses. */
export async function serialsOf({ admin }: Agent): Promise<string> {
  const { certificates } = await (await fetch(`${admin}/certs`)).json() as {
    certificates: { cert_chain: { serial_number: string }[] }[];
  };
  const serials = certificates.flatMap((one) => one.cert_chain.map((c) => c.serial_number));
  return serials.sort().join(" ");
}

/** A certificate of a workload, with its key, PEM. */
export interface WorkloadCertificate {
  readonly cert: string;
  readonly key: string;
  /** The last element of the answer. */
  readonly root: string;
}

/** Asks for a certificate. Rejects with `RpcError`. */
export async function requestCertificate(
  target: string,
  tls: RpcClientTls | undefined,
  token?: string,
  impersonated?: string,
): Promise<WorkloadCertificate> {
  return await requestWith(target, {
    tls,
    token,
    metadata: impersonated === undefined ? {} : { ImpersonatedIdentity: impersonated },
  });
}

/** A request for a certificate. */
export interface CertificateCall {
  readonly tls: RpcClientTls | undefined;
  readonly token: string | undefined;
  /** URIs in the CSR. Default: none. */
  readonly uris?: readonly string[];
  /** Metadata of the request, such as `CertSigner`. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Asks for a certificate with names in the CSR. Rejects with `RpcError`. */
export async function requestWith(
  target: string,
  { tls, token, uris = [], metadata }: CertificateCall,
): Promise<WorkloadCertificate> {
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const stream = openStream({
    target,
    tls,
    path: "/mesh.v1.auth.MeshCertificateService/CreateCertificate",
    ...token !== undefined && { metadata: { authorization: `Bearer ${token}` } },
  });
  stream.send(encode(MeshCertificateRequestSchema, {
    csr: await createCsr(key, uris),
    ...Object.keys(metadata).length > 0 && { metadata: { ...metadata } },
  }));
  stream.end();
  try {
    for await (const message of stream.messages) {
      const { certChain } = fromBinary(MeshCertificateResponseSchema, message);
      return {
        cert: certChain.slice(0, -1).join(""),
        key: await privateKeyPem(key, "pkcs8"),
        root: certChain.at(-1)!,
      };
    }
    throw new Error("no answer");
  } finally {
    stream.close();
    await stream.ended;
  }
}
