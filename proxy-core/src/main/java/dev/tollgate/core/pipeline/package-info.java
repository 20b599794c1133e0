/**
 * The client side of the gateway: a listener and the pipeline of one client connection.
 *
 * <p>{@code Gateway} binds, accepts, drains and closes. {@code DownstreamPipeline} adds the
 * handlers of a new connection in a fixed order (docs/life-of-a-request.md). A handler passes a
 * request on or refuses it:
 *
 * <ol>
 *   <li>{@code connection-limit} closes a connection above the limit, one without a proved key
 *       first.
 *   <li>{@code proxy-protocol}, if configured, closes connections of untrusted peers and those
 *       without a valid PROXY header.
 *   <li>{@code unproven} bounds the connections of an address that have not proved a key.
 *   <li>{@code tls}, if configured, decrypts.
 *   <li>{@code http} frames requests strictly: 400, and 413 for oversized heads.
 *   <li>{@code reply} writes every answer and decides whether the connection continues.
 *   <li>{@code request-id} gives the request its id.
 *   <li>{@code deadlines} closes connections of slow, idle or stalled clients.
 *   <li>{@code endpoint} matches method, path and content type: 404, 415. It answers preflights of
 *       browsers.
 *   <li>{@code overload} sheds load: 503.
 *   <li>{@code artifacts} authorizes downloads by signed URL: 404.
 *   <li>{@code auth} authenticates the key within its refusal budget: 429, 401, 403, 503.
 *   <li>{@code admit} counts the request in, and refuses what is certain to be refused: 503, 429,
 *       402.
 *   <li>{@code body} collects the body under the memory budget: 413, 503.
 *   <li>{@code exchange} hands the complete request to the exchange.
 * </ol>
 *
 * <p>The order is by cost: the head alone decides until {@code body}, and the key is checked before
 * any memory is spent on a request. Each handler wraps the request into the next record of {@code
 * RequestProgress}, so a handler receives only requests that passed those before it.
 *
 * <p>Another listener than the API's has the handlers up to {@code deadlines} and then one of its
 * own, {@code service}: it has heads judged by an {@code HttpService}, collects small bodies and
 * hands them to that service.
 *
 * <p>There is one way out. Handlers refuse through {@code RefusalWriter}, and the exchange answers
 * through {@code Downstream}; both write a {@code Reply} that {@code ReplyHandler} turns into bytes
 * and into the end of the request. A request that ends before the exchange has it is recorded
 * there.
 *
 * <p>The state of a connection is in {@code ClientConnection} and confined to its event loop. Reads
 * happen on demand only: a client that sends ahead is bounded by its socket.
 */
@NullMarked
package dev.tollgate.core.pipeline;

import org.jspecify.annotations.NullMarked;
