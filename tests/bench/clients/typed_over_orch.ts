/**
 * Reads a ConfigMap again and again by the typed API of `@kubernetes/client-node`, whose requests are sent by
 * `lib/kit/orch`: KUBECONFIG.
 *
 * @module
 */
import {
  CoreV1Api,
  createConfiguration,
  ResponseContext,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import {
  accessOf,
  ALL_CREDENTIAL_OPTIONS,
  createClient,
  loadKubeconfig,
} from "../../../lib/kit/orch/mod.ts";
import { answer } from "./contestant.ts";

const [kubeconfig = ""] = Deno.args;
const access = accessOf(await loadKubeconfig([kubeconfig]), { allowed: ALL_CREDENTIAL_OPTIONS });
const client = createClient(access, { rate: { qps: 0, burst: 0 } });
const httpApi = wrapHttpLibrary({
  send: async (request) => {
    const text = await client.text({ path: request.getUrl().slice(access.server.length) });
    const body = {
      text: () => Promise.resolve(text),
      binary: () => Promise.reject(new TypeError()),
    };
    return new ResponseContext(200, { "content-type": "application/json" }, {
      ...body,
      stream: () => null as never,
    });
  },
});
const baseServer = new ServerConfiguration(access.server, {});
const api = new CoreV1Api(createConfiguration({ baseServer, httpApi }));
answer(async (question) => {
  const [, count, name = ""] = question.split(" ");
  for (let left = Number(count); left > 0; left--) {
    await api.readNamespacedConfigMap({ name, namespace: "default" });
  }
  return "";
});
