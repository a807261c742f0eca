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
const DAEMON_USER = "system:serviceaccount:mesh-system:meshd";

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

/** Makes all files in a folder. */
export async function makeClusterFiles(dir: string, port: number): Promise<ClusterFiles> {
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
    extensions: ["extendedKeyUsage=serverAuth", `subjectAltName=${SERVER_NAMES.join(",")}`],
  });
  const extensions = ["extendedKeyUsage=clientAuth"];
  await issue(dir, { name: "admin", subject: "/O=system:masters/CN=admin", extensions });
  await issue(dir, { name: "daemon", subject: `/CN=${DAEMON_USER}`, extensions });
  await makeKey(at("account.key"));
  await Deno.writeTextFile(at("tokens.csv"), `${token},token-admin,1,system:masters\n`);
  const data = async (name: string): Promise<string> => btoa(await Deno.readTextFile(at(name)));
  const ca = await data("ca.crt");
  const certificateOf = async (name: string) => ({
    "client-certificate-data": await data(`${name}.crt`),
    "client-key-data": await data(`${name}.key`),
  });
  const write = (name: string, user: Readonly<Record<string, string>>): Promise<void> =>
    Deno.writeTextFile(at(name), kubeconfigText({ port, ca, user }), { mode: 0o600 });
  await write("kubeconfig", await certificateOf("admin"));
  await write("kubeconfig-token", { token });
  await write("kubeconfig-daemon", await certificateOf("daemon"));
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

/** A configuration file with one context; JSON is YAML. `ca` is base64. */
export function kubeconfigText({ port, ca, user }: {
  readonly port: number;
  readonly ca: string;
  readonly user: Readonly<Record<string, string>>;
}): string {
  const cluster = { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [{ name: "test", cluster }],
    users: [{ name: "test", user }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  });
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
