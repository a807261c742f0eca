import assert from "node:assert/strict";
import type { TokenReviewResult } from "../../kit/orch/mod.ts";
import { SignJWT } from "jose";
import { AuthnError, type ReviewToken, tokenReviewVerifier } from "./mod.ts";

const SECRET = new TextEncoder().encode("a key of this test, which no verifier knows");
const AUDIENCES = ["mesh-ca", "other"];

function accepted(username: string, extra: Record<string, string[]> = {}): TokenReviewResult {
  return {
    authenticated: true,
    user: { username, uid: "u", groups: [], extra },
    audiences: ["mesh-ca"],
  };
}

/** A verifier over a played API server, with a clock that the test sets. */
function verifier(answer: ReviewToken) {
  const state = { now: 1_000_000, asked: 0 };
  const verify = tokenReviewVerifier({
    trustDomain: "cluster.local",
    audiences: AUDIENCES,
    clock: () => state.now,
    reviewOf: (cluster) =>
      cluster === "unknown" ? undefined : (token, audiences) => {
        state.asked++;
        return answer(token, audiences);
      },
    kept: 3,
  });
  return { state, verify };
}

Deno.test("a reviewed token gives its service account and its pod", async () => {
  const extra = {
    "authentication.kubernetes.io/pod-name": ["cart-1"],
    "authentication.kubernetes.io/pod-uid": ["p1"],
  };
  const { verify } = verifier((_, audiences) => {
    assert.deepEqual(audiences, AUDIENCES);
    return Promise.resolve(accepted("system:serviceaccount:shop:cart", extra));
  });
  const account = { trustDomain: "cluster.local", namespace: "shop", serviceAccount: "cart" };
  const pod = { cluster: "c2", namespace: "shop", name: "cart-1", uid: "p1" };
  assert.deepEqual(await verify("t", "c2"), { ...account, pod });
});

Deno.test("refused: other users, refused tokens, unknown clusters, giant tokens", async () => {
  const refusing: readonly (readonly [TokenReviewResult, RegExp])[] = [
    [accepted("admin"), /admin, which is no service account/],
    [accepted("system:serviceaccount:shop"), /no service account/],
    [accepted("system:serviceaccount:a:b:c"), /no service account/],
    [{ authenticated: false, reason: "token has expired" }, /mesh-ca or other.*expired/],
  ];
  for (const [result, says] of refusing) {
    const { verify } = verifier(() => Promise.resolve(result));
    await assert.rejects(verify("s3cr3t", undefined), (error: Error) => {
      assert.ok(error instanceof AuthnError);
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /s3cr3t/);
      return true;
    });
  }
  const { verify, state } = verifier(() => Promise.resolve(accepted("system:serviceaccount:a:b")));
  await assert.rejects(verify("t", "unknown"), /unknown cluster/);
  await assert.rejects(verify("x".repeat(17_000), undefined), /longer than/);
  assert.equal(state.asked, 0);
});

Deno.test("results are kept for a short time, by token and cluster", async () => {
  const { verify, state } = verifier((token) =>
    Promise.resolve(
      token === "bad"
        ? { authenticated: false, reason: "no" }
        : accepted(`system:serviceaccount:shop:${token}`),
    )
  );
  await Promise.all([verify("a", undefined), verify("a", undefined)]);
  assert.equal(state.asked, 1, "callers share a review");
  await verify("a", "c2");
  assert.equal(state.asked, 2);
  state.now += 9_999;
  await verify("a", undefined);
  assert.equal(state.asked, 2);
  state.now += 1;
  await verify("a", undefined);
  assert.equal(state.asked, 3);
  for (let i = 0; i < 3; i++) await assert.rejects(verify("bad", undefined));
  assert.equal(state.asked, 4);
  state.now += 1_000;
  await assert.rejects(verify("bad", undefined));
  assert.equal(state.asked, 5, "refusals are kept for 1 s");
  // More tokens than are kept.
  for (const token of ["c", "d", "e"]) await verify(token, undefined);
  await verify("a", undefined);
  assert.equal(state.asked, 9);
});

/** A jump of the clock, ms → the number of reviews of one token before and after it. */
const JUMPS: readonly (readonly [number, number])[] = [
  [0, 1],
  [9_000, 1],
  [3_600_000, 2],
  [-1, 2],
  [-3_600_000, 2],
];

for (const [jump, reviews] of JUMPS) {
  Deno.test(`a clock that jumps by ${jump} ms does not prolong the use of a result`, async () => {
    const { verify, state } = verifier(() =>
      Promise.resolve(accepted("system:serviceaccount:shop:cart"))
    );
    await verify("a", undefined);
    state.now += jump;
    await verify("a", undefined);
    assert.equal(state.asked, reviews);
  });
}

Deno.test("a server that does not answer is asked again; an expired token is not kept", async () => {
  let down = true;
  const { verify, state } = verifier(() =>
    down ? Promise.reject(new Error("refused")) : Promise.resolve(
      accepted("system:serviceaccount:shop:cart"),
    )
  );
  await assert.rejects(verify("a", undefined), /cannot verify the token: refused/);
  down = false;
  await verify("a", undefined);
  const token = await new SignJWT({}).setProtectedHeader({ alg: "HS256" })
    .setExpirationTime(Math.floor(state.now / 1000) + 2).sign(SECRET);
  await verify(token, undefined);
  const { asked } = state;
  state.now += 1_500;
  await verify(token, undefined);
  assert.equal(state.asked, asked);
  state.now += 1_000;
  await verify(token, undefined);
  assert.equal(state.asked, asked + 1);
});
