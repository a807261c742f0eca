/**
 * Credentials of gateways as files, made with `openssl`: pairs of two kinds of keys, an OCSP response,
 * authorities of clients with a revocation list.
 *
 * @module
 */
import { opensslText } from "./openssl.ts";

/** A directory of credentials, `NAMESPACE/NAME/`. */
export interface GatewayCredentials {
  readonly dir: string;
  /** The authority of all certificates, PEM. */
  readonly ca: string;
  /** A client's certificate and key, PEM. */
  readonly client: { readonly cert: string; readonly key: string };
  /** Issues a certificate and writes it, named by the kind of its key; ECDSA with an OCSP response. */
  writePair(namespace: string, kind: "ecdsa" | "rsa"): Promise<void>;
  /** Writes the authorities of clients, `clients`. */
  writeClients(namespace: string): Promise<void>;
  /** Writes a revocation list with the client's certificate. */
  withdrawClient(namespace: string): Promise<void>;
  /** The serial number of a written certificate, as `openssl x509 -serial` prints it. */
  serialOf(namespace: string, name: string): Promise<string>;
}

const NEW_KEY = {
  ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
  rsa: ["-newkey", "rsa:2048"],
} as const;

/** Makes an authority below a folder, and an empty directory of credentials. */
export async function makeGatewayCredentials(
  dir: string,
  host: string,
): Promise<GatewayCredentials> {
  const own = `${dir}/.own`;
  await Deno.mkdir(own, { recursive: true });
  const ca = `${own}/ca.pem`;
  const caKey = `${own}/ca-key.pem`;
  await opensslText([
    ...["req", "-x509", "-nodes", "-days", "1", "-subj", "/CN=gateway-ca", ...NEW_KEY.ecdsa],
    ...["-keyout", caKey, "-out", ca, "-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ]);
  const issue = (name: string, kind: "ecdsa" | "rsa", files: readonly [string, string]) =>
    issueFiles({ ca, caKey, name, kind, files });
  const client = [`${own}/client.pem`, `${own}/client-key.pem`] as const;
  await issue("client", "ecdsa", client);
  await Deno.writeTextFile(`${own}/index`, "");
  await Deno.writeTextFile(
    `${own}/cnf`,
    `[ca]\ndefault_ca=own\n[own]\ndatabase=${own}/index\ndefault_md=sha256\ndefault_crl_days=1\n`,
  );
  const byCa = ["-config", `${own}/cnf`, "-cert", ca, "-keyfile", caKey];
  const revocations = (to: string) => opensslText(["ca", "-gencrl", ...byCa, "-out", to]);
  const folderOf = async (namespace: string, name: string): Promise<string> => {
    const folder = `${dir}/${namespace}/${name}`;
    await Deno.mkdir(folder, { recursive: true });
    return folder;
  };
  let issued = 0;
  return {
    dir,
    ca: await Deno.readTextFile(ca),
    client: {
      cert: await Deno.readTextFile(client[0]),
      key: await Deno.readTextFile(client[1]),
    },
    async writePair(namespace, kind) {
      const folder = await folderOf(namespace, kind);
      const files = [`${own}/${++issued}.pem`, `${own}/${issued}-key.pem`] as const;
      await issue(host, kind, files);
      if (kind === "ecdsa") {
        await staple({ own, ca, caKey, cert: files[0], to: `${folder}/tls.ocsp-staple` });
      }
      await Deno.copyFile(files[0], `${folder}/tls.crt`);
      await Deno.copyFile(files[1], `${folder}/tls.key`);
    },
    async writeClients(namespace) {
      const folder = await folderOf(namespace, "clients");
      await revocations(`${folder}/ca.crl`);
      await Deno.copyFile(ca, `${folder}/ca.crt`);
    },
    async withdrawClient(namespace) {
      await opensslText(["ca", "-revoke", client[0], ...byCa]);
      await revocations(`${await folderOf(namespace, "clients")}/ca.crl`);
    },
    serialOf: (namespace, name) =>
      opensslText(["x509", "-noout", "-serial", "-in", `${dir}/${namespace}/${name}/tls.crt`]),
  };
}

/** Issues a certificate for a DNS name into two files: certificate and key. */
async function issueFiles({ ca, caKey, name, kind, files }: {
  readonly ca: string;
  readonly caKey: string;
  readonly name: string;
  readonly kind: "ecdsa" | "rsa";
  readonly files: readonly [string, string];
}): Promise<void> {
  await opensslText([
    ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/CN=${name}`, ...NEW_KEY[kind]],
    ...["-keyout", files[1], "-out", files[0], "-CA", ca, "-CAkey", caKey],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-addext", `subjectAltName=DNS:${name}`],
  ]);
}

/** Makes an OCSP response that calls a certificate good. */
async function staple({ own, ca, caKey, cert, to }: {
  readonly own: string;
  readonly ca: string;
  readonly caKey: string;
  readonly cert: string;
  readonly to: string;
}): Promise<void> {
  const text = await opensslText(["x509", "-noout", "-serial", "-enddate", "-in", cert]);
  const serial = /serial=(\w+)/.exec(text)![1]!;
  await Deno.writeTextFile(`${own}/known`, `V\t491231235959Z\t\t${serial}\tunknown\t/CN=known\n`);
  await opensslText([
    ...["ocsp", "-index", `${own}/known`, "-CA", ca, "-rsigner", ca, "-rkey", caKey],
    ...["-issuer", ca, "-cert", cert, "-ndays", "1", "-respout", to],
  ]);
}
