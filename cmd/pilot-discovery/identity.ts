/**
 * Identity: the certificate authority, authentication of callers, the daemon's own certificate.
 *
 * @module
 */
import {
  CA_TRUSTED_NODE_ACCOUNTS,
  createAuthn,
  MESH_CREDENTIAL_ACCOUNTS,
  PILOT_ENABLE_XDS_IDENTITY_CHECK,
  proxyAuthorizer,
  XDS_AUTH,
} from "../../lib/cluster/authn/mod.ts";
import { MeshError } from "../../lib/kit/base/mod.ts";
import {
  type CertificateAuthority,
  certificateFromAuthority,
  certificateFromFiles,
  certificateFromSigner,
  certificateService,
  checkSigner,
  DEFAULT_WORKLOAD_CERT_TTL,
  MESHD_CUSTOM_HOST,
  PILOT_CERT_PROVIDER,
  type RootsSource,
  serverNames,
  type SignedCertificateSource,
} from "../../lib/cluster/ca/mod.ts";
import {
  allowedSuites,
  complianceSuites,
  readCertificates,
  spiffeText,
} from "../../lib/kit/pki/mod.ts";
import type { RemoteCallers, RootChangeControl } from "../../lib/insight/debug/mod.ts";
import type { Ingest } from "../../lib/mesh/ingest/mod.ts";
import type { RpcMethod, RpcTls } from "../../lib/kit/rpc/mod.ts";
import type { XdsOptions } from "../../lib/mesh/xds/mod.ts";
import { REVISION } from "../../lib/cluster/controllers/mod.ts";
import {
  type AuthorityInput,
  type BegunAuthority,
  isPlainAuthenticated,
  isSecured,
} from "./authority.ts";
import { debugCallers, rootChangeControl } from "./operator.ts";
import { credentialAccess, localCredentials } from "./credential_access.ts";
import { nodeImpersonation } from "./node_workloads.ts";
import { expiriesOf } from "./expiries.ts";
import type { Settings } from "./settings.ts";
import { type ClusterClients, tokenReviews } from "./token_reviews.ts";
import { sendRoots } from "./trusted_roots.ts";

/** Identity in a running daemon. */
export interface Identity {
  readonly authorize: NonNullable<XdsOptions["authorize"]>;
  /** See `XdsOptions`. */
  readonly localCredentials: boolean;
  /** Namespace whose identities may read everything. */
  readonly systemNamespace: string;
  /** Decides about readers of debug pages on other machines. */
  readonly debugCallers: RemoteCallers;
  /** The change of the self-signed root; `undefined` without one. */
  readonly rootChange: RootChangeControl | undefined;
  /**
   * Renews the root that replicas share until the signal is aborted; `undefined`: there is none, or
   * the daemon has its own.
   */
  readonly rotateRoot: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** The service that issues certificates; `undefined` when the daemon issues none. */
  readonly certificates: RpcMethod | undefined;
  /** The roots that proxies trust; `undefined` without an authority. */
  readonly authority: RootsSource | undefined;
  /** TLS of the secured listener; `undefined` without one. */
  readonly tls: SecuredTls | undefined;
  /** Ends of validity of the certificates of the daemon and of its authority. */
  readonly expiries: () => ReturnType<typeof expiriesOf>;
}

/** TLS that is renewed. */
export interface SecuredTls {
  /** `undefined` until a signer of the orchestrator has signed the first certificate. */
  current(): RpcTls | undefined;
  /** Authorities of clients and of the daemon's certificate, PEM. */
  clientCa(): string;
  /** Calls back after each change, also for the first certificate. */
  onChange(changed: () => void): void;
}

/**
 * Runs `open` with the certificate, and waits for it; without a certificate `open` runs later.
 *
 * @param failed receives an error of the later `open`
 * @throws errors of `open`
 */
export async function whenCertified(
  tls: SecuredTls,
  open: (first: RpcTls) => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  const now = tls.current();
  if (now !== undefined) return await open(now);
  let isOpened = false;
  tls.onChange(() => {
    const first = tls.current();
    if (isOpened || first === undefined) return;
    isOpened = true;
    open(first).catch(failed);
  });
}

/** The input of {@link openIdentity}. */
export interface IdentityInput extends Pick<AuthorityInput, "settings" | "mesh"> {
  /** Clients of the clusters; `undefined` without an orchestrator. */
  readonly clients: ClusterClients | undefined;
  readonly begun: BegunAuthority;
  /** Receives the roots of the daemon's authority, which agents are sent. */
  readonly ingest: Ingest;
}

/**
 * Starts what the settings ask for.
 *
 * @throws MeshError for files and variables that cannot be used
 */
export async function openIdentity(
  input: IdentityInput,
  stack: AsyncDisposableStack,
): Promise<Identity> {
  const { settings, mesh, begun: { received, pending, rotation } } = input;
  const { options } = settings;
  const ca = await input.begun.started;
  if (ca !== undefined) sendRoots(ca.source, input.ingest.open("certificate authority"));
  const tls = isSecured(settings) ? await openTls(input, ca, stack) : undefined;
  const authn = createAuthn({
    ...(input.clients === undefined ? {} : { reviewOf: tokenReviews(input.clients) }),
    trustDomain: mesh().trustDomain,
    clock: () => Date.now(),
    roots: (domain) => {
      const { trustDomain, trustDomainAliases } = mesh();
      const isOwn = domain === trustDomain || trustDomainAliases.includes(domain);
      return isOwn ? tls?.roots() ?? ca?.source.current().bundle.roots : undefined;
    },
  });
  return {
    tls,
    authority: ca?.source,
    expiries: () => expiriesOf(ca?.own, tls),
    systemNamespace: options.namespace,
    debugCallers: debugCallers(authn, options.namespace),
    rootChange: ca?.selfSigned && rootChangeControl(ca.selfSigned, pending),
    rotateRoot: ca?.selfSigned?.isShared ? rotation.lead : undefined,
    localCredentials: localCredentials(input.clients),
    authorize: proxyAuthorizer(authn, {
      secured: XDS_AUTH.get(),
      plain: isPlainAuthenticated(),
      checkIdentity: PILOT_ENABLE_XDS_IDENTITY_CHECK.get(),
      credentialAccounts: MESH_CREDENTIAL_ACCOUNTS.get(),
      ...(input.clients && {
        credentialRight: credentialAccess({
          clients: input.clients,
          aliases: options.clusterAliases,
        }),
      }),
    }),
    certificates: ca && certificateService({
      issuance: ca.issuance,
      limit: ca.limit,
      authenticate: (call) => authn.authenticate(call),
      mayImpersonate: nodeImpersonation(CA_TRUSTED_NODE_ACCOUNTS.get(), input.clients),
      issued: (identity, peer) => {
        const { roots } = ca.source.current().bundle;
        received.issued(spiffeText(identity), peer, roots.map(({ serial }) => serial));
      },
    }),
  };
}

/** Prefix of `PILOT_CERT_PROVIDER` before the full name of a signer of the orchestrator. */
const SIGNER_PROVIDER = "orch.io/";

async function openTls(
  { settings: { options } }: IdentityInput,
  ca: CertificateAuthority | undefined,
  stack: AsyncDisposableStack,
) {
  const cipherSuites = complianceSuites() ?? allowedSuites(options.tlsCipherSuites);
  const own = stack.use(await openCertificate({ options, ca, cipherSuites }));
  const clientCa = () => (ca?.source.current().bundle.pem ?? "") + (own.current()?.clientCa ?? "");
  return {
    clientCa,
    roots: () => readCertificates(clientCa(), "the authorities of clients"),
    current: (): RpcTls | undefined => {
      const { cert, key } = own.current() ?? {};
      if (cert === undefined || key === undefined) return undefined;
      return { cert, key, clientCa: clientCa(), cipherSuites };
    },
    onChange(changed: () => void) {
      own.onChange(changed);
      ca?.source.onChange(changed);
    },
  };
}

/** The daemon's own certificate: from files when they are given, else from its own authority or a signer. */
async function openCertificate({ options, ca, cipherSuites }: {
  readonly options: Settings["options"];
  readonly ca: CertificateAuthority | undefined;
  readonly cipherSuites: ReadonlySet<string> | undefined;
}): Promise<SignedCertificateSource> {
  const { tlsCertFile: cert, tlsKeyFile: key, caCertFile } = options;
  if (cert !== "" || key !== "") return await certificateFromFiles({ cert, key, ca: caCertFile });
  const provider = PILOT_CERT_PROVIDER.get();
  const { namespace, domain } = options;
  const hasEcdsa = !cipherSuites || [...cipherSuites].some((name) => !name.includes("_RSA_"));
  const request = {
    ...serverNames({
      ...{ namespace, domain, revision: REVISION.get() },
      custom: MESHD_CUSTOM_HOST.get() ?? "",
    }),
    ttlMs: DEFAULT_WORKLOAD_CERT_TTL.get(),
    clock: () => Date.now(),
    keyType: hasEcdsa ? "ecdsa" as const : "rsa" as const,
  };
  if (ca?.own && provider === "meshd") {
    return await certificateFromAuthority({ ...request, authority: ca.own });
  }
  if (ca?.signers && provider.startsWith(SIGNER_PROVIDER)) {
    const signer = provider.slice(SIGNER_PROVIDER.length);
    checkSigner("PILOT_CERT_PROVIDER", signer);
    return certificateFromSigner({ ...request, signers: ca.signers, signer });
  }
  throw new MeshError(
    "server-certificate",
    `--secureGRPCAddr=${options.secureGrpcAddr}: there is no certificate for it`,
    {
      remedy: "Give --tlsCertFile and --tlsKeyFile; or let the daemon issue its own, with " +
        "ENABLE_CA_SERVER=true and PILOT_CERT_PROVIDER=meshd, and without EXTERNAL_CA; or name a " +
        "signer in PILOT_CERT_PROVIDER=orch.io/NAME, with EXTERNAL_CA; or give an empty " +
        "--secureGRPCAddr.",
    },
  );
}
