/**
 * Secrets of a workload whose certificates are files. A secret has the paths, not the content of
 * the files; the proxy watches the folders of the files. An agent that holds certificates itself
 * serves secrets with the same names.
 *
 * @module
 */
import { type Secret, SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import type { ProxyClass } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { AUTHORITIES_SECRET, fileCertificate, fileSource, WORKLOAD_SECRET } from "../core/mod.ts";

/** Names of the two secrets that mutual TLS needs. */
export interface SecretNames {
  readonly certificate: string;
  readonly authorities: string;
  /** True: the agent serves the secrets, on its own socket. Default: the daemon, over ADS. */
  readonly fromAgent?: boolean;
}

/** The secret names of a workload that has one certificate for both sides. */
export const SHARED: SecretNames = {
  certificate: WORKLOAD_SECRET,
  authorities: AUTHORITIES_SECRET,
};

/** The secret names towards servers, for a workload that has a separate client certificate. */
export const CLIENT: SecretNames = {
  certificate: `${WORKLOAD_SECRET}-client`,
  authorities: `${AUTHORITIES_SECRET}-client`,
};

/** The secret names of a workload whose agent obtains its certificate. */
export const AGENT: SecretNames = { ...SHARED, fromAgent: true };

/** Node metadata by which an agent says that it serves the secrets of {@link AGENT}. */
export const AGENT_OPTION = "AGENT_CERTIFICATES";

/** Node metadata by which an agent says that another program serves secrets (`sds://NAME`). */
export const EXTERNAL_OPTION = "EXTERNAL_SECRETS";

/** Node metadata in which a proxy declares its certificate files. */
export const CERTIFICATE_OPTIONS = [
  "TLS_SERVER_CERT_CHAIN",
  "TLS_SERVER_KEY",
  "TLS_SERVER_ROOT_CERT",
  "TLS_CLIENT_CERT_CHAIN",
  "TLS_CLIENT_KEY",
  "TLS_CLIENT_ROOT_CERT",
] as const;

interface Files {
  readonly chain: string;
  readonly key: string;
  readonly root: string;
}

function filesOf({ options }: Pick<ProxyClass, "options">, side: string): Files | undefined {
  const chain = options[`TLS_${side}_CERT_CHAIN`] ?? "";
  const key = options[`TLS_${side}_KEY`] ?? "";
  const root = options[`TLS_${side}_ROOT_CERT`] ?? "";
  return chain === "" || key === "" || root === "" ? undefined : { chain, key, root };
}

/**
 * Returns the names of the secrets of a proxy for each side; `undefined`: it has no certificate for
 * that side.
 */
export function secretNames(
  cls: Pick<ProxyClass, "options">,
): { readonly server?: SecretNames; readonly client?: SecretNames } {
  const [server, client] = [filesOf(cls, "SERVER"), filesOf(cls, "CLIENT")];
  const agent = cls.options[AGENT_OPTION] === "true" ? AGENT : undefined;
  const apart = server !== undefined && client !== undefined && !same(server, client);
  return {
    server: server ? SHARED : agent,
    client: client ? (apart ? CLIENT : SHARED) : agent,
  };
}

function same(a: Files, b: Files): boolean {
  return a.chain === b.chain && a.key === b.key && a.root === b.root;
}

export function workloadSecrets(cls: Pick<ProxyClass, "options">): Secret[] {
  const names = secretNames(cls);
  const pairs = new Map<SecretNames, Files | undefined>();
  for (const [name, side] of [[names.client, "CLIENT"], [names.server, "SERVER"]] as const) {
    if (name !== undefined && !name.fromAgent) pairs.set(name, filesOf(cls, side));
  }
  return [...pairs].flatMap(([name, files]) => files === undefined ? [] : secretsOf(name, files));
}

function secretsOf(names: SecretNames, { chain, key, root }: Files): Secret[] {
  return [
    create(SecretSchema, {
      name: names.certificate,
      type: { case: "tlsCertificate", value: fileCertificate(chain, key) },
    }),
    create(SecretSchema, {
      name: names.authorities,
      type: { case: "validationContext", value: { trustedCa: fileSource(root) } },
    }),
  ];
}
