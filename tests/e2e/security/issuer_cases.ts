/**
 * Cases of several token issuers and of trust domain aliases.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call } from "../../../scripts/harness/mod.ts";
import type { Certificate } from "../../support/certificates.ts";
import { askTls, requestOf } from "../tls/bench.ts";
import { becomes, inPlain } from "./case.ts";
import { startIssuer } from "./servers.ts";
import type { TokenCase } from "./token_cases.ts";
import { authorization, policy, type SecurityWorld, SERVER } from "./world.ts";

/** A name by which the mesh's trust domain goes, too. */
export const ALIAS = "old.test";

/** A request by a caller of its own, with a certificate; its status, 0 for none. */
async function statusAs({ http }: SecurityWorld, as: Certificate): Promise<number> {
  const options = { as, alpn: ["mesh"] };
  const { text } = await askTls(SERVER, http, requestOf("shop.test"), options)
    .catch(() => ({ text: "" }));
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
}

export const ISSUER_CASES: readonly TokenCase[] = [
  {
    name: "each of two issuers is trusted by its own keys, and only for its own tokens",
    run: async (world, first) => {
      await using second = await startIssuer("https://issuer.test/second");
      await using impostor = await startIssuer(second.name);
      const rules = [first, second].map(({ name, jwks }) => ({ issuer: name, jwks }));
      const whole = { issuer: second.name, jwks: second.jwks, fromHeaders: [{ name: "x-second" }] };
      const ask = (headers: Record<string, string>) => () => inPlain(world, "/", { headers });
      const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
      const ann = await first.token({ sub: "ann" });
      const bob = await second.token({ sub: "bob" });
      const forged = await impostor.token({ sub: "bob" });
      const allowed = (who: string): string =>
        authorization("who", { rules: [{ from: [{ source: { requestPrincipals: [who] } }] }] });

      await world.apply(policy("RequestAuthentication", "tokens", { jwtRules: rules }));
      await becomes("the first issuer's token", 200, ask(bearer(ann)));
      await becomes("the second issuer's token", 200, ask(bearer(bob)));
      await becomes("one by a stranger's key", 401, ask(bearer(forged)));

      await world.apply(
        policy("RequestAuthentication", "tokens", { jwtRules: rules }),
        allowed(`${second.name}/*`),
      );
      await becomes("a token of whom no rule names", 403, ask(bearer(ann)));
      await becomes("a token of whom a rule names", 200, ask(bearer(bob)));

      // Two policies for one workload: all rules apply, each with its own token location.
      await world.apply(
        policy("RequestAuthentication", "first", { jwtRules: rules.slice(0, 1) }),
        policy("RequestAuthentication", "second", { jwtRules: [whole] }),
        allowed(`${second.name}/bob`),
      );
      await becomes("where it is not looked for", 401, ask(bearer(bob)));
      await becomes("where it is looked for", 200, ask({ "x-second": bob }));
      await becomes("where it is looked for, by a stranger", 401, ask({ "x-second": forged }));
      await becomes("nobody's", 403, ask({}));
      const url = `http://${SERVER}:${world.http}/`;
      const { echo } = await call(url, { host: "shop.test", headers: { "x-second": bob } });
      assert.equal(echo?.headers["x-second"], undefined, "the token went on");
    },
  },
  {
    name: "workloads of another name of the trust domain are let in as its own, strangers are not",
    run: async (world) => {
      const named = (domain: string): Promise<Certificate> =>
        world.authority.issue(domain, [`spiffe://${domain}/ns/web/sa/web`]);
      const [own, old, other] = [
        await named("cluster.local"),
        await named(ALIAS),
        await named("other.test"),
      ];
      await world.apply(
        policy("PeerAuthentication", "default", { mtls: { mode: "STRICT" } }),
        authorization("web", {
          rules: [{ from: [{ source: { principals: ["cluster.local/ns/web/sa/web"] } }] }],
        }),
      );
      await becomes("a workload of the mesh", 200, () => statusAs(world, own));
      await becomes("one of the domain's other name", 200, () => statusAs(world, old));
      assert.equal(await statusAs(world, other), 0, "one of another domain");
      await world.apply(
        authorization("nobody", {
          action: "DENY",
          rules: [{ from: [{ source: { principals: ["cluster.local/ns/web/*"] } }] }],
        }),
      );
      await becomes("who is forbidden by any name", 403, () => statusAs(world, old));
    },
  },
];
