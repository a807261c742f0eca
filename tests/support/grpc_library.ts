/**
 * Validates resources with the gRPC library's own parsers, which decide whether a program accepts
 * an update.
 *
 * @module
 */
import type { Views } from "./suites.ts";
import { TYPE_URLS } from "../../lib/mesh/model/mod.ts";

/** The used part of a reader's arguments and results. */
interface Reader {
  decode(
    context: unknown,
    resource: { readonly type_url: string; readonly value: Uint8Array },
  ): { readonly name: string; readonly error?: string };
}

/** Asks about everything that a program sees; gives back what is refused, with the reason. */
export type Judge = (views: Views) => { readonly taken: number; readonly refused: string[] };

/** Providers of certificates that the agent's bootstrap declares. */
const CONTEXT = { bootstrap: { certificateProviders: { default: {} } } };

/** Loads the library with access control, which this version does not enable by default. */
export async function loadLibrary(): Promise<Judge> {
  Deno.env.set("GRPC_XDS_EXPERIMENTAL_RBAC", "true");
  const types = "@grpc/grpc-js-xds/build/src/xds-resource-type";
  const xds = await import("@grpc/grpc-js-xds");
  xds.register();
  const readers: Readonly<Record<string, Reader>> = {
    [TYPE_URLS.cluster]: (await import(`${types}/cluster-resource-type.js`))
      .ClusterResourceType.get(),
    [TYPE_URLS.endpoint]: (await import(`${types}/endpoint-resource-type.js`))
      .EndpointResourceType.get(),
    [TYPE_URLS.listener]: (await import(`${types}/listener-resource-type.js`))
      .ListenerResourceType.get(),
    [TYPE_URLS.route]: (await import(`${types}/route-config-resource-type.js`))
      .RouteConfigurationResourceType.get(),
  };
  return (views) => {
    let taken = 0;
    const refused: string[] = [];
    for (const [url, reader] of Object.entries(readers)) {
      for (const { name, bytes } of views(url)?.entries() ?? []) {
        const value = Buffer.from(bytes);
        const { error } = reader.decode(CONTEXT, { type_url: url, value });
        if (error === undefined) taken++;
        else refused.push(`${name}: ${error}`);
      }
    }
    return { taken, refused };
  };
}
