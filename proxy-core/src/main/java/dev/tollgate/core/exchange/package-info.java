/**
 * Answers authenticated requests: the state machine of an inference request and the requests that
 * need no provider.
 *
 * <p>{@link dev.tollgate.core.exchange.Exchanges} parses a request, checks its models and plans its
 * route, all on the client's event loop. The result is a {@link
 * dev.tollgate.core.exchange.frame.RequestTask}: an {@code ImmediateReply}, an {@code
 * AccountQuery}, a job task, or an {@link dev.tollgate.core.exchange.Exchange} for everything that
 * a provider answers.
 *
 * <p>An exchange is always in one {@link dev.tollgate.core.exchange.frame.Phase}. First it makes
 * its {@code Holdings}: body, reservation and permit. {@code IdempotencyGuard} acquires the claim
 * on the request's idempotency key, if it has one; {@code Admission} reserves the worst case with
 * the ledger, acquires the permit of the limits, and fetches the images that the request names by
 * URL.
 *
 * <p>Then {@link dev.tollgate.core.exchange.attempt.ActiveAttempts} starts attempts, one after the
 * other or two in a race. {@code RetryState} chooses the next one. An {@link
 * dev.tollgate.core.exchange.attempt.Attempt} takes a connection, sends the encoded request and
 * reads the reply; {@link dev.tollgate.core.exchange.attempt.CurrentAttempt} is the one that serves
 * at the moment, with its model, stream and charge. Events go from the attempt through {@code
 * ActiveAttempts}, which resolves the race, and {@code Exchange} to {@link
 * dev.tollgate.core.exchange.frame.ClientReply}, one write per upstream read. {@code ReplyComposer}
 * makes heads, pings and the last part of the reply.
 *
 * <p>Every exchange ends through {@code Finish}, exactly once: body and permit are ended, the reply
 * of an idempotency key is stored, and the charge is settled in the journal. When the charge is
 * durable, the last part of the reply ({@code FinalReply}) is sent and the {@link
 * dev.tollgate.core.exchange.frame.RequestRecord} is written. A disconnect of the client leads to
 * the same end, at once or after the upstream is drained: {@code DisconnectDecision} decides.
 *
 * <p>All objects of a request are confined to its event loop. {@link
 * dev.tollgate.core.exchange.frame.RequestLoop} runs their steps: it asserts the loop, and ends the
 * request if a step throws. Acquired objects are <em>ended</em> exactly once; buffers are
 * <em>released</em>.
 */
@NullMarked
package dev.tollgate.core.exchange;

import org.jspecify.annotations.NullMarked;
