/**
 * Redis: limits that all nodes share, and notifications of changed keys.
 *
 * <p>{@link SharedCounters} implement the port of counters: each acquisition is one call of a
 * script, as a {@link PendingAcquire} with a timeout. {@link RedisCircuit} keeps the {@link
 * ConnectionState}: after failures in a row Redis is not called, until a probe succeeds. {@link
 * LocalFallbackCounters} count on this node meanwhile, if so configured. {@link ReleaseQueue} sends
 * the ends of acquisitions, and keeps them while Redis is down.
 *
 * <p>Redis counts a node's running requests under an epoch, a key with a lease that heartbeats
 * renew, so that a killed node's slots become free. A new epoch follows each interruption: the node
 * restates its {@link ActivePermits} under it and drops the previous one, which clears whatever
 * calls with an unknown outcome left behind.
 */
@NullMarked
package dev.tollgate.server.redis;

import org.jspecify.annotations.NullMarked;
