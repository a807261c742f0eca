/**
 * Secrets that name clusters: each key of their data is the id of a cluster, each value a
 * configuration file (kubeconfig) with access to its API server.
 *
 * @module
 */
import { hash, MeshError } from "../../../../kit/base/mod.ts";
import {
  type Access,
  accessOf,
  type CredentialOption,
  type ListItem,
  parseKubeconfig,
  type UserConfig,
} from "../../../../kit/orch/mod.ts";
import { objectKey } from "../../../model/mod.ts";
import { readCertificates } from "../../../../kit/pki/mod.ts";

/** Label of the secrets. */
export const CLUSTER_LABEL = "mesh/multiCluster";

/** Annotation with the id of the cluster of a secret whose key is `config`. */
const CLUSTER_ANNOTATION = "networking.mesh.io/cluster";

/** Credentials of one cluster as a secret has them. */
export interface ClusterCredentials {
  readonly cluster: string;
  /** `namespace/name` of the secret. */
  readonly secret: string;
  /** Key of the secret's data. */
  readonly key: string;
  /** The value, base64. */
  readonly data: string;
  readonly digest: string;
}

export interface ClusterSecret {
  readonly namespace: string;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly credentials: readonly ClusterCredentials[];
}

/** Validity of credentials, milliseconds since the epoch. */
export interface CredentialValidity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Access to a cluster, and the validity of its credentials if they have an end. */
export interface ClusterAccess {
  readonly access: Access;
  readonly validity: CredentialValidity | undefined;
}

/** Reads a secret; the values are read by {@link openCredentials}. */
export function clusterSecret(item: ListItem): ClusterSecret {
  const { metadata, data } = item as ListItem & { data?: Readonly<Record<string, string>> };
  const { namespace = "", name, annotations, creationTimestamp } = metadata;
  const named = annotations?.[CLUSTER_ANNOTATION] ?? "";
  return {
    namespace,
    name,
    createdAt: creationTimestamp === undefined ? 0 : Date.parse(creationTimestamp),
    credentials: Object.entries(data ?? {}).map(([key, value]) => ({
      cluster: key === "config" && named !== "" ? named : key,
      secret: objectKey({ namespace, name }),
      key,
      data: value,
      digest: hash(value),
    })),
  };
}

/**
 * The access that credentials describe.
 *
 * @param allowed sorts of credentials that are accepted beside data in the file itself
 * @throws MeshError for files that cannot be used, and for credentials that are not allowed
 */
export function openCredentials(
  { data, secret, key }: ClusterCredentials,
  allowed: readonly CredentialOption[],
): ClusterAccess {
  const origin = `secret ${secret}, key ${key}`;
  const config = parseKubeconfig(decoded(data, origin), origin);
  const access = accessOf(config, { allowed });
  const user = config.users.get(config.contexts.get(access.name)?.user ?? "");
  return { access, validity: user === undefined ? undefined : validityOf(user) };
}

function decoded(data: string, origin: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.fromBase64(data));
  } catch {
    throw new MeshError("orch-config", `${origin}: the value is not text`, {
      remedy: "Write a configuration file (kubeconfig) of the cluster into this key of the secret.",
    });
  }
}

/** The shorter validity of the client certificate and the token. */
function validityOf({ certData, token }: UserConfig): CredentialValidity | undefined {
  const found = [
    ...certData === undefined ? [] : certificateValidities(certData),
    ...token === undefined ? [] : tokenValidity(token),
  ];
  return found.sort((a, b) => a.notAfter - b.notAfter)[0];
}

function certificateValidities(pem: string): CredentialValidity[] {
  try {
    return readCertificates(pem, "a client certificate")
      .map(({ notBefore, notAfter }) => ({ notBefore, notAfter }));
  } catch {
    // The API server decides about certificates that the project does not read.
    return [];
  }
}

/** The claims `iat` and `exp` of a JWT; other tokens have no known end. */
function tokenValidity(token: string): CredentialValidity[] {
  try {
    const part = Uint8Array.fromBase64(token.split(".")[1] ?? "", { alphabet: "base64url" });
    const { iat, exp } = JSON.parse(new TextDecoder().decode(part));
    if (typeof exp !== "number") return [];
    const notBefore = typeof iat === "number" ? iat : exp;
    return [{ notBefore: notBefore * 1000, notAfter: exp * 1000 }];
  } catch {
    return [];
  }
}
