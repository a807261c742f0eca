import { type CommandSpec, usageError } from "../../../lib/kit/cli/mod.ts";
import { flag, outputFlag } from "./flags.ts";
import { DAEMON_FLAGS, FILE_FLAGS } from "./mesh_flags.ts";

const PROXY = {
  name: "proxy",
  description: "NAME.NAMESPACE of a workload or gateway, or NAMESPACE/app=LABEL of a client",
};

export const explain: CommandSpec = {
  name: "explain",
  summary: "Explain requests and the resources of proxies",
  description:
    "Says why a request goes where it goes or is denied, and which objects a resource is\n" +
    "made from: from files (--config-dir), or from a running daemon: that of --daemon or\n" +
    "--xds-address, otherwise the one in the cluster.",
  commands: [
    {
      name: "request",
      summary: "Explain the way of a request, hop by hop",
      description:
        "Walks the configuration that proxies are sent: listener, filter chain, tokens,\n" +
        "access, route, cluster, endpoints, mutual TLS; with the object and field behind each step.\n" +
        "The last line is the verdict: ALLOWED (status 0), DENIED (status 1), or UNKNOWN (status 2)\n" +
        "with what is not known and what to give, so that it is known.",
      examples: [
        "meshctl explain request --config-dir config/ --from front.web --to http://reviews.shop/items",
        "meshctl explain request --from web-1.shop --to reviews:9080/",
        "meshctl explain request --daemon localhost:8080 --from front.web --to reviews.shop:9080/",
        `meshctl explain request --config-dir config/ --from edge.shop --to a.test/ --tls --token '{"iss": "i"}'`,
      ],
      flags: [
        flag("from", "string", "The proxy that the request passes first: NAME.NAMESPACE"),
        flag("to", "string", "HOST[:PORT][/PATH], or a URL with http, https or tcp"),
        flag("method", "string", "HTTP method", { default: "GET" }),
        flag("header", "stringArray", "Header, NAME: VALUE; may be repeated"),
        flag("token", "string", "Bearer token, or the claims of a signed one as a JSON object"),
        flag("jwks", "string", "Key set (JWKS) of the token's issuer, where proxies fetch it", {
          complete: "file",
        }),
        flag("fetch-jwks", "bool", "Fetch the key sets that --config-dir names, within 5 seconds"),
        flag("jwks-ca", "string", "Authorities (PEM) of the servers of --fetch-jwks", {
          complete: "file",
        }),
        flag("tls", "bool", "Send the request over TLS"),
        flag("client", "string", "Address of the client of a gateway"),
        ...FILE_FLAGS,
        ...DAEMON_FLAGS,
        outputFlag(["text", "json"], "text"),
      ],
      run: async (call) => {
        const { explainRequest, withMeshSource } = await import(
          "../../../lib/insight/questions/mod.ts"
        );
        const { flags } = call;
        const [from, to] = [flags.string("from"), flags.string("to")];
        if (from === "" || to === "") throw usageError("--from and --to are required");
        const request = {
          ...{ from, to },
          method: flags.string("method"),
          headers: flags.list("header"),
          token: flags.string("token"),
          jwks: flags.string("jwks"),
          fetchJwks: flags.bool("fetch-jwks"),
          jwksAuthorities: flags.string("jwks-ca"),
          signal: call.signal,
          tls: flags.bool("tls"),
          client: flags.string("client"),
          output: flags.string("output"),
        };
        return await withMeshSource(call, (source) => explainRequest(request, source, call.io));
      },
    },
    {
      name: "proxy",
      summary: "List the resources of a proxy with the objects behind them",
      examples: [
        "meshctl explain proxy web-1.shop",
        "meshctl explain proxy reviews-v1.shop --config-dir config/",
      ],
      args: [PROXY],
      flags: [...FILE_FLAGS, ...DAEMON_FLAGS, outputFlag(["text", "json"], "text")],
      run: async (call) => {
        const { explainProxy, withMeshSource } = await import(
          "../../../lib/insight/questions/mod.ts"
        );
        const question = { name: call.args[0]!, output: call.flags.string("output") };
        return await withMeshSource(call, (source) => explainProxy(question, source, call.io));
      },
    },
    {
      name: "resource",
      summary: "Show the objects behind a listener, route, cluster or endpoint assignment",
      examples: [
        "meshctl explain resource reviews-v1.shop cluster 'outbound|80||a.test' --config-dir config/",
        "meshctl explain resource reviews-v1.shop listener virtualInbound --daemon localhost:8080",
      ],
      args: [
        PROXY,
        { name: "type", description: "listener, route, cluster, endpoint, or lds, rds, cds, eds" },
        { name: "name", description: "Name of the resource" },
      ],
      flags: [...FILE_FLAGS, ...DAEMON_FLAGS, outputFlag(["text", "json"], "text")],
      run: async (call) => {
        const { explainResource, withMeshSource } = await import(
          "../../../lib/insight/questions/mod.ts"
        );
        const [proxy, type, name] = call.args as readonly [string, string, string];
        const { flags, io } = call;
        const question = { proxy, type, name, output: flags.string("output") };
        return await withMeshSource(call, (source) => explainResource(question, source, io));
      },
    },
  ],
};
