import assert from "node:assert/strict";
import { MeshError } from "../base/mod.ts";
import { queryPrometheus } from "./query.ts";

/** A server that gives one answer to each request, and keeps the last URL. */
function startServer(answer: string, status = 200) {
  const seen = { url: "" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    seen.url = request.url;
    return new Response(answer, { status });
  });
  return {
    seen,
    address: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const vector = (...result: unknown[]) =>
  JSON.stringify({ status: "success", data: { resultType: "vector", result } });

Deno.test("prometheus: an expression is sent whole, and its series are read", async () => {
  await using server = startServer(vector(
    { metric: { le: "5" }, value: [0, "1.5"] },
    { metric: {}, value: [0, "+Inf"] },
    { metric: {}, value: [0, "-Inf"] },
    { metric: {}, value: [0, "NaN"] },
  ));
  const expression = 'sum(rate(a{b=~"5..",c="ä&d"}[1m])) > 0';
  const found = await queryPrometheus({ address: server.address, expression, timeoutMs: 10_000 });
  assert.equal(new URL(server.seen.url).searchParams.get("query"), expression);
  assert.deepEqual(found[0], { labels: { le: "5" }, value: 1.5 });
  assert.deepEqual(found.slice(1).map(({ value }) => value), [Infinity, -Infinity, NaN]);
});

const WRONG = [
  "hello",
  "null",
  "{}",
  '{"status":"error","error":"parse error"}',
  '{"status":"success","data":{"resultType":"scalar","result":[0,"1"]}}',
  '{"status":"success","data":{"resultType":"vector"}}',
  '{"status":"success","data":{"resultType":"vector","result":[{"metric":{}}]}}',
];

for (const text of WRONG) {
  Deno.test(`prometheus: an answer of another form is refused: ${text}`, async () => {
    await using server = startServer(text);
    const question = { address: server.address, expression: "up", timeoutMs: 10_000 };
    await assert.rejects(queryPrometheus(question), (error) => {
      assert.ok(error instanceof MeshError);
      assert.equal(error.code, "prometheus-answer");
      assert.equal(error.message, `${server.address} did not answer as a Prometheus: ${text}`);
      return true;
    });
  });
}

Deno.test("prometheus: a server that is away, silent, or says too much", async () => {
  const ask = (address: string, timeoutMs: number) =>
    queryPrometheus({ address, expression: "up", timeoutMs });
  const code = "prometheus-unreachable";
  await assert.rejects(ask("http://127.0.0.1:1", 10_000), { code });
  await using large = startServer(vector({ metric: { a: "b".repeat(9 * 2 ** 20) } }));
  await assert.rejects(ask(large.address, 10_000), { code, message: /larger than 8388608 bytes/ });
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await assert.rejects(ask(`http://127.0.0.1:${silent.addr.port}`, 50), {
    code,
    message: /no answer within 0.05 s/,
  });
});

Deno.test("prometheus: the caller can end a question", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const end = new AbortController();
  const asked = queryPrometheus({
    address: `http://127.0.0.1:${silent.addr.port}`,
    expression: "up",
    timeoutMs: 60_000,
    signal: end.signal,
  });
  end.abort(new Error("interrupted"));
  await assert.rejects(asked, { code: "prometheus-unreachable", message: /interrupted/ });
});
