/**
 * A nameserver as a program; it prints its port.
 *
 * @module
 */
import { respond, startNameserver } from "../../support/dns_client.ts";

const server = await startNameserver("127.0.0.1", (message) => [respond(message, "192.0.2.1")]);
console.log(`port ${server.port}`);
