/**
 * Secrets for the certificates that a Gateway names. They are served to the gateways in the
 * namespace of the credential.
 *
 * @module
 */
import { type DataSource, DataSourceSchema } from "#envoy/config/core/v3/base_pb.ts";
import { type Secret, SecretSchema } from "#envoy/extensions/transport_sockets/tls/v3/secret_pb.ts";
import {
  type ClientTLSSettings,
  ClientTLSSettings_TLSmode as ClientMode,
} from "#mesh/networking/v1alpha3/destination_rule_pb.ts";
import {
  type ServerTLSSettings,
  ServerTLSSettings_TLSmode as Mode,
} from "#mesh/networking/v1alpha3/gateway_pb.ts";
import { type Credential, type ObjectKey, objectKey } from "../../model/mod.ts";
import { create } from "../../../kit/proto/mod.ts";
import { WORKLOAD_SECRET } from "../core/mod.ts";

/** The names of the secrets for a server's TLS context. */
export interface CredentialNames {
  readonly certificates: readonly string[];
  /**
   * Secret with the authorities of client certificates; `undefined`: no client certificate is
   * requested, or the authorities are a file.
   */
  readonly authorities?: string;
}

/** Prefix of the names of secrets that are looked up by credential name. */
const SCHEME = "kubernetes://";

/** Prefix of the names of secrets that a Gateway of the Gateway API refers to. */
const REFERRED_SCHEME = "kubernetes-gateway://";

/** Prefix of the names of authorities in ConfigMaps. */
const CONFIG_MAP_SCHEME = "configmap://";

/** Prefix of the names of secrets that another program on the proxy's machine serves. */
const EXTERNAL_SCHEME = "sds://";

const SCHEMES = [SCHEME, REFERRED_SCHEME, CONFIG_MAP_SCHEME, EXTERNAL_SCHEME];

/** The proxy's own certificate. */
const BUILT_IN = "builtin://";

/** Suffix of the name of the secret with a credential's authorities. */
const AUTHORITIES_SUFFIX = "-cacert";

/** Returns the names of the secrets of a server; `undefined`: its certificates are files. */
export function credentialNames(tls: ServerTLSSettings): CredentialNames | undefined {
  const named = tls.credentialNames.length > 0 ? tls.credentialNames : [tls.credentialName];
  const certificates = named.filter((name) => name !== "").map(secretName);
  const clients = tls.mode === Mode.MUTUAL || tls.mode === Mode.OPTIONAL_MUTUAL;
  const first = tls.caCertCredentialName || (tls.caCertificates === "" ? named[0] ?? "" : "");
  const authorities = clients && first !== "" ? secretName(first) : undefined;
  if (certificates.length === 0 && authorities === undefined) return undefined;
  return { certificates, authorities: authorities && authoritiesName(authorities) };
}

/**
 * Returns the names of the secrets of a rule's TLS settings: the client certificate, if the server
 * requests one, and the trusted authorities. `undefined`: the certificates are files.
 */
export function clientCredentialNames(
  tls: Pick<ClientTLSSettings, "mode" | "credentialName" | "insecureSkipVerify">,
): CredentialNames | undefined {
  const { mode, credentialName, insecureSkipVerify } = tls;
  const mutual = mode === ClientMode.MUTUAL;
  if (credentialName === "" || (mode !== ClientMode.SIMPLE && !mutual)) return undefined;
  const name = secretName(credentialName);
  return {
    certificates: mutual ? [name] : [],
    ...(insecureSkipVerify ? {} : { authorities: authoritiesName(name) }),
  };
}

/** Returns all secrets that a client may be configured with by credential name. */
export function clientSecrets(name: string): string[] {
  return [secretName(name), authoritiesName(secretName(name))];
}

function secretName(name: string): string {
  if (name.startsWith(BUILT_IN)) return WORKLOAD_SECRET;
  return SCHEMES.some((scheme) => name.startsWith(scheme)) ? name : SCHEME + name;
}

/** The name of a secret at the other program that serves it; `undefined`: it is not of that kind. */
export function externalName(secret: string): string | undefined {
  return secret.startsWith(EXTERNAL_SCHEME) ? secret.slice(EXTERNAL_SCHEME.length) : undefined;
}

function authoritiesName(name: string): string {
  const isWhole = name.endsWith(AUTHORITIES_SUFFIX) || name.startsWith(CONFIG_MAP_SCHEME);
  return isWhole ? name : name + AUTHORITIES_SUFFIX;
}

/** Part of a credential: a certificate with its key, or authorities. */
export type CredentialPart = "certificate" | "authorities";

/** An object that the Gateway API refers to, for one part of its content. */
export interface ReferredCredential extends ObjectKey {
  readonly kind: "Secret" | "ConfigMap";
  readonly part: CredentialPart;
}

/** The name of the secret with what a reference of the Gateway API names. */
export function referredName({ kind, namespace, name, part }: ReferredCredential): string {
  const path = objectKey({ namespace, name });
  if (kind === "ConfigMap") return CONFIG_MAP_SCHEME + path;
  return part === "certificate" ? REFERRED_SCHEME + path : authoritiesName(REFERRED_SCHEME + path);
}

/** Reports if a secret is one that only references of the Gateway API allow. */
export function isReferred(secret: string): boolean {
  return secret.startsWith(REFERRED_SCHEME) || secret.startsWith(CONFIG_MAP_SCHEME);
}

/** Returns the secret with a part of a credential; `undefined` if it lacks the part. */
export function referredSecret(
  { part, ...reference }: ReferredCredential,
  found: Credential | undefined,
): Secret | undefined {
  const name = referredName({ ...reference, part });
  return part === "certificate" ? certificateSecret(name, found) : authoritiesSecret(name, found);
}

/** Name of the secret with the pull credentials of a plugin's image. */
export function pullSecretName(namespace: string, name: string): string {
  return `${SCHEME}${namespace}/${name}`;
}

/** Returns the secret for an agent that pulls images; `undefined` if it has no pull credentials. */
export function pullSecret(name: string, found: Credential | undefined): Secret | undefined {
  if (found?.pullConfig === undefined) return undefined;
  return create(SecretSchema, {
    name,
    type: { case: "genericSecret", value: { secret: inline(found.pullConfig) } },
  });
}

/** Looks a credential up by `namespace/name`. */
export type FindCredential = (key: string) => Credential | undefined;

/**
 * Returns the secret of a name for the gateways of a namespace; `undefined` if it does not exist,
 * is incomplete, or belongs to a namespace that these gateways may not read.
 */
export function credentialSecret(
  secret: string,
  namespace: string,
  find: FindCredential,
): Secret | undefined {
  if (!secret.startsWith(SCHEME)) return undefined;
  const path = secret.slice(SCHEME.length);
  const slash = path.indexOf("/");
  const name = path.slice(slash + 1);
  if (slash >= 0 && path.slice(0, slash) !== namespace) return undefined;
  if (name.endsWith(AUTHORITIES_SUFFIX)) {
    const whole = name.slice(0, -AUTHORITIES_SUFFIX.length);
    return authoritiesSecret(secret, find(objectKey({ namespace, name }))) ??
      authoritiesSecret(secret, find(objectKey({ namespace, name: whole })));
  }
  return certificateSecret(secret, find(objectKey({ namespace, name })));
}

function authoritiesSecret(name: string, found: Credential | undefined): Secret | undefined {
  if (found?.authorities === undefined) return undefined;
  return create(SecretSchema, {
    name,
    type: {
      case: "validationContext",
      value: { trustedCa: inline(found.authorities), crl: inline(found.revoked) },
    },
  });
}

function certificateSecret(name: string, found: Credential | undefined): Secret | undefined {
  if (found?.certificate === undefined || found.privateKey === undefined) return undefined;
  const { ocspStaple } = found;
  return create(SecretSchema, {
    name,
    type: {
      case: "tlsCertificate",
      value: {
        certificateChain: inline(found.certificate),
        privateKey: inline(found.privateKey),
        ocspStaple: ocspStaple === undefined ? undefined : create(DataSourceSchema, {
          specifier: { case: "inlineBytes", value: Uint8Array.fromBase64(ocspStaple) },
        }),
      },
    },
  });
}

function inline(pem: string | undefined): DataSource | undefined {
  if (pem === undefined) return undefined;
  return create(DataSourceSchema, { specifier: { case: "inlineString", value: pem } });
}
