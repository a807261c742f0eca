/**
 * Cases of tokens: accepted issuers, conditions, forwarding.
 *
 * @module
 */
import assert from "node:assert/strict";
import { call, eventually } from "../../../scripts/harness/mod.ts";
import type { Spec } from "../../support/manifest.ts";
import { becomes, inPlain } from "./case.ts";
import { type Issuer, startIssuer } from "./servers.ts";
import { authorization, policy, type SecurityWorld, SERVER } from "./world.ts";

/** A case that needs an issuer. */
export interface TokenCase {
  readonly name: string;
  readonly run: (world: SecurityWorld, issuer: Issuer) => Promise<void>;
}

function tokens(...jwtRules: readonly Spec[]): string {
  return policy("RequestAuthentication", "tokens", { jwtRules });
}

const withToken = (token: string, path = "/") => (world: SecurityWorld): Promise<number> =>
  inPlain(world, path, { headers: { authorization: `Bearer ${token}` } });

export const TOKEN_CASES: readonly TokenCase[] = [
  {
    name: "a token that is there must be good; one need not be there",
    run: async (world, issuer) => {
      const good = await issuer.token({ sub: "ann" });
      const old = await issuer.token({ sub: "ann" }, true);
      const forged = `${good.slice(0, -8)}AAAAAAAA`;
      const unsigned = `${btoa('{"alg":"none"}')}.${btoa(`{"iss":"${issuer.name}"}`)}.`
        .replaceAll("=", "");
      await world.apply(tokens({ issuer: issuer.name, jwks: issuer.jwks }));
      await becomes("a forged token", 401, () => withToken(forged)(world));
      await becomes("no token", 200, () => inPlain(world, "/"));
      await becomes("a good token", 200, () => withToken(good)(world));
      await becomes("an old token", 401, () => withToken(old)(world));
      await becomes("an unsigned token", 401, () => withToken(unsigned)(world));
    },
  },
  {
    name: "keys are fetched from an address",
    run: async (world, issuer) => {
      const good = await issuer.token({ sub: "ann" });
      await world.apply(
        tokens({ issuer: issuer.name, jwksUri: issuer.uri }),
        authorization("token", { rules: [{ from: [{ source: { requestPrincipals: ["*"] } }] }] }),
      );
      await becomes("a good token", 200, () => withToken(good)(world));
      await becomes("no token", 403, () => inPlain(world, "/"));
      assert.ok(issuer.fetches > 0);
    },
  },
  {
    name: "without keys no token is believed, until they are there",
    run: async (world, issuer) => {
      issuer.up = false;
      const good = await issuer.token({ sub: "ann" });
      const uri = `${issuer.uri}/late`;
      await world.apply(tokens({ issuer: issuer.name, jwksUri: uri }));
      await becomes("a token", 401, () => withToken(good)(world));
      assert.equal(await inPlain(world, "/"), 200);
      issuer.up = true;
      await becomes("the token when keys are there", 200, () => withToken(good)(world));
    },
  },
  {
    name: "keys of an issuer alone are found by discovery, and until then a warning names the rule",
    run: async (world) => {
      await using found = await startIssuer();
      found.up = false;
      const good = await found.token({ sub: "ann" });
      const warned = async (): Promise<boolean> => {
        const answer = await fetch(`${world.daemon.http}/debug/configz?problems=true`);
        const { warnings } = await answer.json() as { warnings: { code: string }[] };
        return warnings.some(({ code }) => code === "unknown-keys");
      };
      assert.match(found.name, /\/$/);
      await world.apply(tokens({ issuer: found.name }));
      await becomes("a token", 401, () => withToken(good)(world));
      assert.ok(await warned(), "there is no warning");
      found.up = true;
      await becomes("the token when keys are found", 200, () => withToken(good)(world));
      assert.equal(await warned(), false, "the warning stays");
    },
  },
  {
    name: "addresses inside are closed",
    run: async (world, issuer) => {
      const good = await issuer.token({ sub: "ann" });
      const before = issuer.fetches;
      const uri = issuer.uri.replace("127.0.0.1", "127.0.0.2");
      await world.apply(tokens({ issuer: issuer.name, jwksUri: uri }));
      await becomes("a token", 401, () => withToken(good)(world));
      assert.equal(issuer.fetches, before);
    },
  },
  {
    name: "rules on principals, audiences and claims",
    run: async (world, issuer) => {
      const { name } = issuer;
      const ann = await issuer.token({
        sub: "ann",
        aud: ["a", "b"],
        azp: "app",
        groups: ["dev"],
        org: { team: "red" },
        scope: "read write",
      });
      const bob = await issuer.token({
        sub: "bob",
        aud: "c",
        azp: ["till", "kiosk"],
        groups: "ops",
      });
      const rules: readonly (readonly [Spec, annIn: boolean, bobIn: boolean])[] = [
        [{ from: [{ source: { requestPrincipals: [`${name}/ann`] } }] }, true, false],
        [{ from: [{ source: { requestPrincipals: [`${name}/*`] } }] }, true, true],
        [{ when: [{ key: "request.auth.audiences", values: ["b"] }] }, true, false],
        [{ when: [{ key: "request.auth.audiences", values: ["c"] }] }, false, true],
        [{ when: [{ key: "request.auth.audiences", values: ["x", "a", "c"] }] }, true, true],
        [{ when: [{ key: "request.auth.audiences", notValues: ["c", "x"] }] }, true, false],
        [{ when: [{ key: "request.auth.presenter", values: ["app"] }] }, true, false],
        [{ when: [{ key: "request.auth.presenter", values: ["kiosk"] }] }, false, true],
        [{ when: [{ key: "request.auth.presenter", values: ["app", "till"] }] }, true, true],
        [{ when: [{ key: "request.auth.presenter", notValues: ["x", "till"] }] }, true, false],
        [{ when: [{ key: "request.auth.claims[groups]", values: ["dev"] }] }, true, false],
        [{ when: [{ key: "request.auth.claims[groups]", values: ["ops"] }] }, false, true],
        [{ when: [{ key: "request.auth.claims[org][team]", values: ["red"] }] }, true, false],
        [{ when: [{ key: "request.auth.claims[scope]", values: ["write"] }] }, true, false],
        [{ when: [{ key: "request.auth.principal", notValues: [`${name}/ann`] }] }, false, true],
      ];
      for (const [rule, annIn, bobIn] of rules) {
        await world.apply(
          tokens({ issuer: name, jwks: issuer.jwks }),
          authorization("token", { rules: [rule] }),
        );
        const what = JSON.stringify(rule);
        await becomes(`ann: ${what}`, annIn ? 200 : 403, () => withToken(ann)(world));
        await becomes(`bob: ${what}`, bobIn ? 200 : 403, () => withToken(bob)(world));
      }
    },
  },
  {
    name: "audiences of a rule",
    run: async (world, issuer) => {
      const mine = await issuer.token({ sub: "ann", aud: "shop" });
      const others = await issuer.token({ sub: "ann", aud: "bank" });
      const rule = { issuer: issuer.name, jwks: issuer.jwks, audiences: ["shop"] };
      await world.apply(tokens(rule));
      await becomes("a token for another", 403, () => withToken(others)(world));
      await becomes("a token for the shop", 200, () => withToken(mine)(world));
    },
  },
  {
    name: "places of tokens, and what goes on to the workload",
    run: async (world, issuer) => {
      const token = await issuer.token({ sub: "ann", email: "ann@shop.test" });
      await world.apply(
        tokens({
          issuer: issuer.name,
          jwks: issuer.jwks,
          fromHeaders: [{ name: "x-token", prefix: "t " }],
          fromParams: ["token"],
          fromCookies: ["token"],
          outputPayloadToHeader: "x-payload",
          outputClaimToHeaders: [{ header: "x-mail", claim: "email" }],
        }),
        authorization("token", { rules: [{ from: [{ source: { requestPrincipals: ["*"] } }] }] }),
      );
      const carriers: readonly (readonly [string, Record<string, string>])[] = [
        ["/", { "x-token": `t ${token}` }],
        [`/?token=${token}`, {}],
        ["/", { cookie: `a=b; token=${token}` }],
      ];
      for (const [path, headers] of carriers) {
        await becomes(
          `a token in ${path} ${Object.keys(headers)}`,
          200,
          () => inPlain(world, path, { headers }),
        );
      }
      await becomes("a token elsewhere", 403, () => withToken(token)(world));
      const url = `http://${SERVER}:${world.http}/`;
      const headers = { "x-token": `t ${token}` };
      const { echo } = await call(url, { host: "shop.test", headers });
      assert.equal(echo?.headers["x-mail"], "ann@shop.test");
      assert.equal(JSON.parse(atob(echo?.headers["x-payload"] ?? "")).sub, "ann");
      assert.equal(echo?.headers["x-token"], undefined, "the token went on");
    },
  },
  {
    name: "a token that is required",
    run: async (world, issuer) => {
      const token = await issuer.token({ sub: "ann" });
      const rule = { issuer: issuer.name, jwks: issuer.jwks, forwardOriginalToken: true };
      await world.apply(tokens({ ...rule, presence: "REQUIRED" }));
      await becomes("no token", 401, () => inPlain(world, "/"));
      await becomes("a token", 200, () => withToken(token)(world));
      await eventually("the token to go on", async () => {
        const headers = { authorization: `Bearer ${token}` };
        const { echo } = await call(`http://${SERVER}:${world.http}/`, {
          host: "shop.test",
          headers,
        });
        return echo?.headers.authorization === headers.authorization;
      });
    },
  },
];
