/**
 * The daemon's certificate authority, which is read or made while the daemon reads objects.
 *
 * @module
 */
import { XDS_AUTH, XDS_AUTH_PLAINTEXT } from "../../lib/cluster/authn/mod.ts";
import {
  type Acknowledgements,
  acknowledgements,
  type CertificateAuthority,
  ENABLE_CA_SERVER,
  EXTERNAL_CA,
  startAuthority,
  startRegistrationAuthority,
} from "../../lib/cluster/ca/mod.ts";
import type { SessionInfo } from "../../lib/mesh/xds/mod.ts";
import type { Settings } from "./settings.ts";
import type { FirstSources } from "./sources.ts";
import { acknowledgedRoots } from "./trusted_roots.ts";

/** The input of {@link beginAuthority}. */
export interface AuthorityInput extends Pick<FirstSources, "mesh" | "onMesh" | "client"> {
  readonly settings: Settings;
  /** Connected proxies. */
  readonly sessions: () => readonly SessionInfo[];
}

/** The authority, and what knows which proxies have its roots. */
export interface BegunAuthority {
  /** `undefined` when the daemon has none; rejects with `MeshError` for what cannot be used. */
  readonly started: Promise<CertificateAuthority | undefined>;
  readonly rotation: RootRotation;
  readonly received: Acknowledgements;
  readonly pending: PendingProxies;
}

/** Names of connected proxies that have not received the roots of these serial numbers. */
type PendingProxies = (serials: readonly string[]) => readonly string[];

/** Tells if this replica renews the root. */
interface RootRotation {
  readonly leads: () => boolean;
  lead(signal: AbortSignal): Promise<void>;
}

/**
 * Begins to read the authority, or to make its root: the key of a root takes a third of a second of a
 * processor, in which the daemon reads objects.
 */
export function beginAuthority(
  input: AuthorityInput,
  stack: AsyncDisposableStack,
): BegunAuthority {
  const received = acknowledgements();
  const pending = pendingProxies(input, received);
  const rotation = rootRotation(input.client !== undefined);
  const isUsed = ENABLE_CA_SERVER.get() && (isSecured(input.settings) || isPlainAuthenticated());
  const started = isUsed
    ? startCertificateAuthority(input, { pending, leads: rotation.leads })
    : Promise.resolve(undefined);
  closeLater(started, stack);
  return { started, rotation, received, pending };
}

/** True if there is a secured listener. */
export function isSecured({ options }: Settings): boolean {
  return options.secureGrpcAddr !== "";
}

/** True if callers of the plain listener must show who they are. */
export function isPlainAuthenticated(): boolean {
  return XDS_AUTH.get() && XDS_AUTH_PLAINTEXT.get();
}

/** Closes the authority with the daemon, which does not wait for one that an API server holds up. */
function closeLater(started: BegunAuthority["started"], stack: AsyncDisposableStack): void {
  let ca: CertificateAuthority | undefined;
  let isClosed = false;
  const close = async () => await ca?.source[Symbol.asyncDispose]();
  started.then(async (made) => {
    ca = made;
    if (isClosed) await close();
  }).catch(() => {}); // `openIdentity` reports it
  stack.defer(async () => {
    isClosed = true;
    await close();
  });
}

function pendingProxies({ sessions }: AuthorityInput, received: Acknowledgements): PendingProxies {
  return (serials) =>
    received.pending(
      serials,
      sessions().flatMap((session) => {
        const { node: { identity, name, namespace }, address: peer } = session;
        if (identity === undefined) return [];
        const acknowledged = acknowledgedRoots(session);
        return [{ identity, name: `${name}.${namespace}`, peer, acknowledged }];
      }),
    );
}

/** With an orchestrator, the replica that is elected renews the root; without one, the daemon does. */
function rootRotation(isElected: boolean): RootRotation {
  let isLeading = !isElected;
  return {
    leads: () => isLeading,
    async lead(signal: AbortSignal): Promise<void> {
      isLeading = !signal.aborted;
      await new Promise<void>((done) => {
        if (signal.aborted) done();
        signal.addEventListener("abort", () => done(), { once: true });
      });
      isLeading = false;
    },
  };
}

function startCertificateAuthority(
  { mesh, onMesh, client, settings: { options: { namespace } } }: AuthorityInput,
  rotation: { readonly pending: PendingProxies; readonly leads: () => boolean },
): Promise<CertificateAuthority> {
  const clock = () => Date.now();
  if (EXTERNAL_CA.get()) {
    const authorities = () => mesh().caCertificates;
    return startRegistrationAuthority({ client, clock, authorities, onMesh });
  }
  return startAuthority({
    trustDomain: mesh().trustDomain,
    clock,
    ...rotation,
    ...(client === undefined ? {} : { secrets: { client, namespace } }),
  });
}
