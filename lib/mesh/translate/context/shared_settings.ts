/**
 * The parts of the proxy configuration that resources depend on: the mesh's `defaultConfig`, and the
 * proxy's own settings in its node metadata.
 *
 * @module
 */
import { canonicalJson } from "../../../kit/base/mod.ts";
import type { Mesh } from "../../derive/mod.ts";
import { connectionSettings, type ProxySettings } from "../../envoy/mod.ts";
import { oneOf, type Read } from "../../graph/mod.ts";
import type { ClusterSettings, ReadShared, SharedSettings } from "./context.ts";
import { settingsOf } from "./mesh_settings.ts";

/** Creates the table. */
export function deriveSharedSettings(mesh: Mesh): ReadShared {
  const parts = mesh.graph.derive<unknown, keyof SharedSettings>(
    "mesh.proxySettings",
    oneOf("clusters", "routes"),
    (read, part) => PARTS[part](settingsOf(read, mesh, "")),
    { equal: (a, b) => canonicalJson(a) === canonicalJson(b) },
  );
  return <P extends keyof SharedSettings>(read: Read, part: P) =>
    read.get(parts, part) as SharedSettings[P];
}

const PARTS: { readonly [P in keyof SharedSettings]: (all: ProxySettings) => SharedSettings[P] } = {
  clusters: clusterSettings,
  routes: ({ headers }) => ({
    hideAttempts: headers?.attemptCount?.disabled === true,
    forwardHost: headers?.xForwardedHost?.enabled === true,
  }),
};

function clusterSettings({ headers, connections }: ProxySettings): ClusterSettings {
  const bufferBytes = connectionSettings(connections)?.clusterPerConnectionBufferLimitBytes;
  return {
    keepCase: headers?.preserveHttp1HeaderCase === true,
    ...(bufferBytes === undefined ? {} : { bufferBytes }),
  };
}

/** Settings of a class's own clusters: the proxy's own settings apply to them. */
export function ownClusterSettings(read: Read, mesh: Mesh, ownText: string): ClusterSettings {
  return clusterSettings(settingsOf(read, mesh, ownText));
}
