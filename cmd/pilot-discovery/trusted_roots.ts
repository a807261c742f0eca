/**
 * The roots of the daemon's authority at the agents: sent over discovery as soon as they change, and
 * known to have arrived when the agents acknowledge them.
 *
 * @module
 */
import type { RootsSource } from "../../lib/cluster/ca/mod.ts";
import type { Resource } from "../../lib/mesh/graph/mod.ts";
import type { Intake } from "../../lib/mesh/ingest/mod.ts";
import { AGENT_TYPE_URLS } from "../../lib/mesh/model/mod.ts";
import { readCertificates } from "../../lib/kit/pki/mod.ts";
import { fromBinary } from "../../lib/kit/proto/mod.ts";
import type { SessionInfo } from "../../lib/mesh/xds/mod.ts";
import { ProxyConfigSchema } from "#mesh/mesh/v1alpha1/proxy_pb.ts";

/** Reports the roots of the authority now, and each change of them, to ingest. */
export function sendRoots(source: RootsSource, intake: Intake): void {
  const report = () => {
    const { roots } = source.current().bundle;
    intake.settings({ authorityRoots: roots.map(({ pem }) => pem) });
  };
  report();
  intake.synced();
  source.onChange(report);
}

/** The used part of a session. */
export type RootsSession = Pick<SessionInfo, "types">;

/** Serial numbers of the roots that the agent of a session has acknowledged. */
export function acknowledgedRoots({ types }: RootsSession): readonly string[] {
  const resource = acknowledged(
    types.find(({ typeUrl }) => typeUrl === AGENT_TYPE_URLS.proxyConfig),
  );
  return resource === undefined ? [] : serialsOf(resource);
}

/** The resource that a client has: of the revision that it acknowledged last. */
function acknowledged(type: SessionInfo["types"][number] | undefined): Resource | undefined {
  const view = type?.view;
  if (type === undefined || view === undefined) return undefined;
  const { acked, sent, state } = type;
  // A client that connected again with everything is sent nothing, and acknowledges nothing.
  const hasAll = sent === undefined && state === "SYNCED";
  const [name] = view.names();
  if (name === undefined) return undefined;
  if (hasAll || (acked !== undefined && view.changedAt <= acked.revision)) return view.get(name);
  return acked && (view.at(acked.revision, name) ?? undefined);
}

/** Proxies of one class share a resource. */
const KNOWN = new WeakMap<Resource, readonly string[]>();

function serialsOf(resource: Resource): readonly string[] {
  const known = KNOWN.get(resource);
  if (known !== undefined) return known;
  const { caCertificatesPem } = fromBinary(ProxyConfigSchema, resource.bytes);
  const serials = caCertificatesPem.flatMap(serialsIn);
  KNOWN.set(resource, serials);
  return serials;
}

/** None for an authority of the mesh configuration that is no certificate; agents reject it. */
function serialsIn(pem: string): string[] {
  try {
    return readCertificates(pem, "a trusted root").map(({ serial }) => serial);
  } catch {
    return [];
  }
}
