/**
 * TLS in the content of a connection that the last proxy passes on.
 *
 * @module
 */
import { MESH_ALPN } from "../../mesh/envoy/mod.ts";
import type { Target } from "../simulate/mod.ts";
import type { Hop, Outcome } from "../verdict/mod.ts";
import { idOf, type Party, servesTls, type World } from "./world.ts";

/** True: the proxy speaks the mesh's mutual TLS to the endpoint, which no application ends. */
export function inMeshTls({ handshake }: Target): boolean {
  return handshake?.alpn.includes(MESH_ALPN) === true;
}

/** True: the proxy speaks TLS to the endpoint that is not the mesh's. */
export function isSealed(target: Target): boolean {
  return target.handshake !== undefined && !inMeshTls(target);
}

/** TLS of a client's proxy that the server's proxy passes on: the port's protocol says who ends it. */
export function sealedAt(
  { world }: { readonly world: World },
  { party, port, outcome }: {
    readonly party: Party;
    readonly port: number;
    readonly outcome: Outcome;
  },
): Outcome {
  if (servesTls(world, party, port)) return outcome;
  return notKnown(outcome, `whether the application at port ${port} of ${idOf(party)} ends TLS`, {
    remedy: "Declare the protocol of its port as TLS or HTTPS, or send plain text to it.",
  });
}

/** The outcome of mutual TLS that reaches the application. */
export function notEnded(
  { hops }: { readonly hops: readonly Hop[] },
  { share, proxy }: Outcome,
): Outcome {
  const why = `${proxy} passes the client's mutual TLS on to the application, which cannot end it`;
  const causes = (hops[0]?.steps ?? []).flatMap((one) => one.causes)
    .filter(({ decides }) => decides === "mutualTls");
  return {
    share,
    kind: "refused",
    proxy,
    text: `the connection is closed: ${why}`,
    refusal: { by: "TLS", why, causes },
  };
}

/** An outcome that depends on what is not known. */
export function notKnown(
  { share, proxy }: Outcome,
  text: string,
  { remedy }: Pick<Outcome, "remedy">,
): Outcome {
  const known = { share, proxy, kind: "unknown", text } as const;
  return remedy === undefined ? known : { ...known, remedy };
}
