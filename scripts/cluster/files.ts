/**
 * Keys, certificates and configuration files of a test cluster, made with `openssl`.
 *
 * @module
 */
import { join } from "../paths.ts";

/** Names of the API server's certificate. */
const SERVER_NAMES = [
  "DNS:localhost",
  "DNS:kubernetes.default.svc",
  "DNS:kubernetes.default.svc.cluster.local",
  "IP:127.0.0.1",
];

/** User as whom daemons call the API: the service account of `daemonRoles`. */
export const DAEMON_USER = "system:serviceaccount:mesh-system:meshd";

/** Files of a cluster, by path. */
export interface ClusterFiles {
  readonly ca: string;
  readonly caKey: string;
  readonly serverCert: string;
  readonly serverKey: string;
  readonly accountKey: string;
  /** Token, name, uid and groups of users, one on each line. */
  readonly tokens: string;
  /** Configuration file with a client certificate of the administrator. */
  readonly kubeconfig: string;
  /** Configuration file with a token of the administrator. */
  readonly tokenKubeconfig: string;
  readonly adminToken: string;
  /** Configuration file with a client certificate of the daemon's user, who has no roles at first. */
  readonly daemonKubeconfig: string;
}

/** The addresses of an API server. */
export interface ServerPlace {
  readonly port: number;
  /** Address in configuration files; default: loopback. */
  readonly host?: string;
  /** Further addresses of its certificate. */
  readonly addresses?: readonly string[];
}

/** Makes all files in a folder. */
export async function makeClusterFiles(dir: string, place: ServerPlace): Promise<ClusterFiles> {
  const at = (name: string): string => join(dir, name);
  const token = crypto.randomUUID();
  await makeKey(at("ca.key"));
  await openssl([
    ...["req", "-x509", "-new", "-key", at("ca.key"), "-out", at("ca.crt")],
    ...["-subj", "/CN=test-cluster", "-days", "2"],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ]);
  await issue(dir, {
    name: "server",
    subject: "/CN=kube-apiserver",
    extensions: ["extendedKeyUsage=serverAuth", `subjectAltName=${serverNames(place)}`],
  });
  await issueClient(dir, "admin", "/O=system:masters/CN=admin");
  await issueClient(dir, "daemon", `/CN=${DAEMON_USER}`);
  await makeKey(at("account.key"));
  await Deno.writeTextFile(at("tokens.csv"), `${token},token-admin,1,system:masters\n`);
  await writeKubeconfig(dir, "kubeconfig", place, await certificateOf(dir, "admin"));
  await writeKubeconfig(dir, "kubeconfig-token", place, { token });
  await writeKubeconfig(dir, "kubeconfig-daemon", place, await certificateOf(dir, "daemon"));
  return {
    ca: at("ca.crt"),
    caKey: at("ca.key"),
    serverCert: at("server.crt"),
    serverKey: at("server.key"),
    accountKey: at("account.key"),
    tokens: at("tokens.csv"),
    kubeconfig: at("kubeconfig"),
    tokenKubeconfig: at("kubeconfig-token"),
    adminToken: token,
    daemonKubeconfig: at("kubeconfig-daemon"),
  };
}

/** Key and certificate of a client of the API server, `NAME.key` and `NAME.crt`. */
export function issueClient(dir: string, name: string, subject: string): Promise<void> {
  return issue(dir, { name, subject, extensions: ["extendedKeyUsage=clientAuth"] });
}

/** The fields of a configuration file for a client's key and certificate. */
export async function certificateOf(dir: string, name: string): Promise<Record<string, string>> {
  return {
    "client-certificate-data": btoa(await Deno.readTextFile(join(dir, `${name}.crt`))),
    "client-key-data": btoa(await Deno.readTextFile(join(dir, `${name}.key`))),
  };
}

/** Writes a configuration file with one context; JSON is YAML. */
export async function writeKubeconfig(
  dir: string,
  name: string,
  { host = "127.0.0.1", port }: ServerPlace,
  user: Readonly<Record<string, string>>,
): Promise<void> {
  const ca = btoa(await Deno.readTextFile(join(dir, "ca.crt")));
  const cluster = { server: `https://${host}:${port}`, "certificate-authority-data": ca };
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  });
  await Deno.writeTextFile(join(dir, name), text, { mode: 0o600 });
}

function serverNames({ addresses = [] }: ServerPlace): string {
  return [...SERVER_NAMES, ...addresses.map((address) => `IP:${address}`)].join(",");
}

interface Leaf {
  readonly name: string;
  readonly subject: string;
  readonly extensions: readonly string[];
}

async function issue(dir: string, { name, subject, extensions }: Leaf): Promise<void> {
  const at = (file: string): string => join(dir, file);
  await makeKey(at(`${name}.key`));
  await openssl([
    ...["req", "-x509", "-new", "-key", at(`${name}.key`), "-out", at(`${name}.crt`)],
    ...["-subj", subject, "-days", "2", "-CA", at("ca.crt"), "-CAkey", at("ca.key")],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...extensions.flatMap((extension) => ["-addext", extension]),
  ]);
}

function makeKey(path: string): Promise<void> {
  return openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path]);
}

async function openssl(args: readonly string[]): Promise<void> {
  const command = new Deno.Command("openssl", { args: [...args], stderr: "piped" });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}
