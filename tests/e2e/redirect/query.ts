/**
 * A DNS client as a program: `query.ts udp|tcp SERVER NAME` prints the records of the answer as JSON.
 *
 * @module
 */
import { askTcp, askUdp, decode, makeQuery } from "../../support/dns_client.ts";

const [transport, hostname = "", name = ""] = Deno.args;
const query = makeQuery(name, "A");
const answer = transport === "tcp"
  ? await askTcp(53, query, hostname)
  : await askUdp(53, query, { hostname, timeout: 5000 });
console.log(JSON.stringify(answer === undefined ? [] : decode(answer).records));
