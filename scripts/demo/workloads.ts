/**
 * The demo's workloads: agents whose Envoys use mutual TLS with certificates that the daemon issues.
 * The demo makes the authority, and a first certificate for each workload, with which its agent
 * requests further ones.
 *
 * @module
 */
import {
  generateKey,
  issueAuthority,
  issueLeaf,
  type Issuer,
  privateKeyPem,
} from "../../lib/kit/pki/mod.ts";
import { type Agent, freePort, startAgent } from "../harness/mod.ts";
import { ADDRESSES, principalOf } from "./config.ts";

/** The authority of the demo's workloads, and the daemon's options for it. */
export interface DemoAuthority {
  readonly issuer: Issuer;
  /** Port of the daemon's secured listener. */
  readonly secured: number;
  /** Variables of the daemon. */
  readonly env: Readonly<Record<string, string>>;
}

/** The parts that each workload needs. */
export interface WorkloadSettings {
  readonly authority: DemoAuthority;
  /** Path of the Envoy binary. */
  readonly envoy: string;
  /** Folder for the agents' files. */
  readonly work: string;
}

const DAY_MS = 24 * 3_600_000;

/** Makes the authority in a folder, and frees a port for the daemon's secured listener. */
export async function makeAuthority(work: string): Promise<DemoAuthority> {
  const dir = `${work}/authority`;
  await Deno.mkdir(dir);
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const validity = { notBefore: Date.now() - DAY_MS, notAfter: Date.now() + DAY_MS };
  const certificate = await issueAuthority({ organization: "cluster.local", key, ...validity });
  await Deno.writeTextFile(`${dir}/ca-cert.pem`, certificate.pem);
  await Deno.writeTextFile(`${dir}/root-cert.pem`, certificate.pem);
  await Deno.writeTextFile(`${dir}/ca-key.pem`, await privateKeyPem(key, "pkcs8"), { mode: 0o600 });
  return { issuer: { certificate, key }, secured: freePort(), env: { ROOT_CA_DIR: dir } };
}

/** Writes a workload's first certificate to a folder. */
async function provision(dir: string, issuer: Issuer, account: string): Promise<void> {
  await Deno.mkdir(dir, { recursive: true });
  const key = await generateKey({ type: "ecdsa", curve: "P256" });
  const leaf = await issueLeaf({
    spki: key.spki,
    uris: [`spiffe://${principalOf(account)}`],
    notBefore: Date.now() - 60_000,
    notAfter: Date.now() + DAY_MS / 2,
  }, issuer);
  await Deno.writeTextFile(`${dir}/cert-chain.pem`, leaf.pem);
  await Deno.writeTextFile(`${dir}/key.pem`, await privateKeyPem(key, "pkcs8"), { mode: 0o600 });
  await Deno.writeTextFile(`${dir}/root-cert.pem`, issuer.certificate.pem);
}

export interface DemoWorkload {
  readonly name: keyof typeof ADDRESSES;
  /** Default: the name. */
  readonly account?: string;
  /** Default: `app` with the name. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly role?: "sidecar" | "router";
  /** Do not wait for readiness. */
  readonly noWait?: boolean;
}

/** Starts the agent of a workload with its Envoy. */
export async function startWorkload(
  { authority: { issuer, secured }, envoy, work }: WorkloadSettings,
  { name, account = name, labels = { app: name }, role = "sidecar", noWait }: DemoWorkload,
): Promise<Agent> {
  await provision(`${work}/${name}/provisioned`, issuer, account);
  return await startAgent({
    role,
    name,
    namespace: "demo",
    labels,
    ip: ADDRESSES[name],
    xds: `localhost:${secured}`,
    secured: true,
    envoy,
    dir: work,
    interception: "NONE",
    noWait,
    env: {
      SERVICE_ACCOUNT: account,
      ECC_SIGNATURE_ALGORITHM: "ECDSA",
      PROV_CERT: "./provisioned",
    },
  });
}
