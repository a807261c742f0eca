/**
 * The plugins of the token service by name (`--tokenManagerPlugin`).
 *
 * @module
 */
import { MeshError } from "../../kit/base/mod.ts";
import { endpointExchange } from "./endpoint.ts";
import type { TokenExchange } from "./exchange.ts";
import { CLOUDPLAT_QUOTA_PROJECT, MESH_TOKEN_EXCHANGE_URL } from "./variables.ts";

/** The plugin that is used without a name. */
const DEFAULT = "TokenExchange";

const PLUGINS: Readonly<Record<string, () => TokenExchange>> = {
  [DEFAULT]: () =>
    endpointExchange({
      url: endpoint(MESH_TOKEN_EXCHANGE_URL.get() ?? ""),
      quotaProject: quotaProject(CLOUDPLAT_QUOTA_PROJECT.get() ?? ""),
    }),
};

/**
 * The exchange of a plugin.
 *
 * @param name empty: `TokenExchange`
 * @throws MeshError `token-plugin` for an unknown name, `token-endpoint` for an address that cannot
 * be used
 */
export function tokenExchange(name: string): TokenExchange {
  const plugin = PLUGINS[name || DEFAULT];
  if (plugin) return plugin();
  throw new MeshError("token-plugin", `there is no token plugin ${JSON.stringify(name)}`, {
    remedy: `Give --tokenManagerPlugin one of: ${Object.keys(PLUGINS).join(", ")}.`,
  });
}

/** Characters that the value of a header may have (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[!-~]*$/;

function quotaProject(name: string): string | undefined {
  if (HEADER_VALUE.test(name)) return name || undefined;
  throw new MeshError("token-quota-project", "CLOUDPLAT_QUOTA_PROJECT is not the id of a project", {
    remedy: "Set it to the id of a project of the cloud platform, such as my-project.",
  });
}

/** Tokens go only to `https`, or to a server of this machine. */
function endpoint(text: string): URL {
  const url = URL.parse(text);
  const isOwn = url !== null && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol === "https:" || (isOwn && url.protocol === "http:")) return url;
  throw new MeshError("token-endpoint", "the token service has no usable address of an issuer", {
    remedy: "Set MESH_TOKEN_EXCHANGE_URL to an https address that takes requests of RFC 8693.",
  });
}
