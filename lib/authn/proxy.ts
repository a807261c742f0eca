/**
 * Authorization of discovery streams: a client may only be the proxy of its credentials.
 *
 * @module
 */
import { messageOf, printable } from "../base/mod.ts";
import { intervalLogger, scope } from "../log/mod.ts";
import { type SpiffeId, spiffeText } from "../pki/mod.ts";
import { RpcError } from "../rpc/mod.ts";
import type { Authn } from "./policy.ts";
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
}

const log = intervalLogger(scope("authn"));

/**
 * Decides about the client of a stream. Resolves to its SPIFFE id; `undefined` when none is needed.
 * Rejects with `RpcError` UNAUTHENTICATED, whose text says nothing about the reason.
 */
export function proxyAuthorizer(
  authn: Authn,
  policy: ProxyPolicy,
): (call: AuthnRequest & { readonly secure?: boolean }, proxy: ClaimedProxy) => Promise<
  string | undefined
> {
  return async (call, proxy) => {
    if (!(call.secure ? policy.secured : policy.plain)) return undefined;
    const refuse = (text: string, reason: string) => {
      const address = call.peer.replace(/:\d+$/, "");
      log(address)?.warn("a client of discovery was refused", {
        peer: call.peer,
        namespace: printable(proxy.namespace),
        reason,
      });
      return new RpcError("UNAUTHENTICATED", text);
    };
    const { identities } = await authn.authenticate(call).catch((error) => {
      throw refuse("authentication failure", messageOf(error));
    });
    const id = policy.checkIdentity ? identities.find((one) => matches(one, proxy)) : identities[0];
    if (id) return spiffeText(id);
    const own = identities.map(spiffeText).join(" ");
    throw refuse("authorization failed", `its credentials are of ${own}`);
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
