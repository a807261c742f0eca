/**
 * Follows ConfigMaps with `lib/kit/orch`: KUBECONFIG.
 *
 * @module
 */
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  follow,
  type ListItem,
  loadKubeconfig,
  types,
} from "../../../lib/kit/orch/mod.ts";
import { answer } from "./contestant.ts";

const [kubeconfig = ""] = Deno.args;
const access = accessOf(await loadKubeconfig([kubeconfig]), { allowed: ALL_CREDENTIAL_OPTIONS });
const held = new Map<string, ListItem>();
const following = follow<ListItem>({
  client: createClient(access),
  type: types.CONFIG_MAP,
  selection: { namespace: "default" },
  convert: (object) => object,
  changed: ({ upserts, deletes }) => {
    for (const one of upserts) held.set(one.metadata.name, one);
    for (const { name } of deletes) held.delete(name);
  },
});
await following.synced;
answer(() =>
  JSON.stringify([...held].map(([name, { metadata }]) => [name, metadata.resourceVersion]))
);
