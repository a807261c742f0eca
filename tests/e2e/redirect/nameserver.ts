/**
 * A nameserver as a program: `nameserver.ts ADDRESS RECORD` answers every query with one address.
 *
 * @module
 */
import { respond, startNameserver } from "../../support/dns_client.ts";

const [address = "", record = ""] = Deno.args;
await startNameserver(address, (message) => [respond(message, record)], 53);
console.log("ready");
