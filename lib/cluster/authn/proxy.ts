/**
 * Authorization of discovery streams: a client may only be the proxy of its credentials.
 *
 * @module
 */
import { messageOf, printable } from "../../kit/base/mod.ts";
import { intervalLogger, scope } from "../../kit/log/mod.ts";
import { type SpiffeId, spiffeText } from "../../kit/pki/mod.ts";
import { RpcError } from "../../kit/rpc/mod.ts";
import { accountMatcher } from "./accounts.ts";
import type { Authn } from "./policy.ts";
import type { Caller } from "./caller.ts";
import type { AuthnRequest } from "./request.ts";

/** The claims of a proxy about itself. */
export interface ClaimedProxy {
  readonly namespace: string;
  /** Metadata of its node; `NAMESPACE` and `SERVICE_ACCOUNT` count. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The clients of discovery that are authenticated. */
export interface ProxyPolicy {
  /** Clients on the secured port. */
  readonly secured: boolean;
  /** Clients on the plain port. */
  readonly plain: boolean;
  /** Namespace and service account of a proxy must be those of its credentials. */
  readonly checkIdentity: boolean;
  /**
   * Service accounts that may read the credentials of their namespace, as
   * `MESH_CREDENTIAL_ACCOUNTS`; empty: all. Throws `MeshError` `credential-accounts`.
   */
  readonly credentialAccounts?: string;
  /**
   * Decides about the credentials of the namespace of a proxy, after the list of accounts. Absent:
   * all proxies may read those of the daemon's cluster.
   */
  readonly credentialRight?: (question: CredentialQuestion) => Promise<CredentialRight>;
}

/** A proxy that asks for the credentials of its namespace. */
export interface CredentialQuestion {
  readonly id: SpiffeId;
  /** The cluster that the proxy claims in its metadata (`CLUSTER_ID`); empty: none. */
  readonly cluster: string;
  /**
   * The cluster whose API server reviewed the token of the proxy; empty: the daemon's own.
   * `undefined`: the proxy showed no such token.
   */
  readonly reviewedBy: string | undefined;
  /** True if the list of accounts already allows it. */
  readonly isListed: boolean;
}

/** The right of a proxy to read the credentials of its namespace. */
export interface CredentialRight {
  readonly allowed: boolean;
  /** Id of the remote cluster whose credentials it reads; absent: those of the daemon's cluster. */
  readonly cluster?: string;
}

/** A client that is accepted. */
export interface AuthorizedProxy {
  /** Its SPIFFE id; absent: it was not authenticated. */
  readonly identity?: string;
  /** True: it may read the credentials of its namespace. Absent: it has no identity. */
  readonly readsCredentials?: boolean;
  /**
   * True: it is the proxy that it claims to be, and may be sent what Gateways of its namespace refer to.
   * The list of accounts and the right to list secrets are of other credentials.
   */
  readonly readsReferred?: boolean;
  /** Id of the remote cluster whose credentials these are; absent: those of the daemon's cluster. */
  readonly credentialCluster?: string;
}

const log = intervalLogger(scope("authn"));

/**
 * Decides about the client of a stream. Rejects with `RpcError` UNAUTHENTICATED, whose text says
 * nothing about the reason.
 */
export function proxyAuthorizer(
  authn: Authn,
  policy: ProxyPolicy,
): (
  call: AuthnRequest & { readonly secure?: boolean },
  proxy: ClaimedProxy,
) => Promise<AuthorizedProxy> {
  const accounts = accountMatcher(policy.credentialAccounts ?? "");
  return async (call, proxy) => {
    // With a list of accounts, a client without credentials is none of them.
    if (!(call.secure ? policy.secured : policy.plain)) {
      return accounts ? { readsCredentials: false } : {};
    }
    const rightOf = async (id: SpiffeId, kind: Caller["kind"]): Promise<CredentialRight> => {
      const isListed = accounts?.(id);
      if (isListed === false) return { allowed: false };
      const claimed = proxy.metadata.CLUSTER_ID;
      return await policy.credentialRight?.({
        id,
        cluster: typeof claimed === "string" ? claimed : "",
        reviewedBy: kind === "token-review" ? call.metadata.get("clusterid") ?? "" : undefined,
        isListed: isListed === true,
      }) ?? { allowed: true };
    };
    const refuse = (text: string, reason: string) => {
      const address = call.peer.replace(/:\d+$/, "");
      log(address)?.warn("a client of discovery was refused", {
        peer: call.peer,
        namespace: printable(proxy.namespace),
        reason,
      });
      return new RpcError("UNAUTHENTICATED", text);
    };
    const { identities, kind } = await authn.authenticate(call).catch((error) => {
      throw refuse("authentication failure", messageOf(error));
    });
    const own = identities.find((one) => matches(one, proxy));
    const id = own ?? (policy.checkIdentity ? undefined : identities[0]);
    if (id) {
      const { allowed, cluster } = own === undefined
        ? { allowed: false }
        : await rightOf(own, kind);
      return {
        identity: spiffeText(id),
        readsCredentials: allowed,
        readsReferred: own !== undefined,
        ...(cluster === undefined ? {} : { credentialCluster: cluster }),
      };
    }
    const proved = identities.map(spiffeText).join(" ");
    throw refuse("authorization failed", `its credentials are of ${proved}`);
  };
}

function matches(id: SpiffeId, { namespace, metadata }: ClaimedProxy): boolean {
  // Generation takes both from the metadata, so an absent one claims nothing.
  const claims = (name: string, own: string) => {
    const claimed = metadata[name];
    return claimed === undefined || claimed === "" || claimed === own;
  };
  return id.namespace === namespace && claims("NAMESPACE", id.namespace) &&
    claims("SERVICE_ACCOUNT", id.serviceAccount);
}
