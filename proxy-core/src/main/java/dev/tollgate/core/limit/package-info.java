/**
 * Rate limits: bounds on requests and tokens per time, and on concurrent requests of a key
 * (docs/decisions/limits.md).
 *
 * <p>{@link LimitRules} are the configured limits, an immutable snapshot that a reload replaces.
 * {@link Limits} is what requests use: from the rules and a key's own limits it makes a {@link
 * LimitSet}, the {@link Bucket token buckets} of the key, its organization, the model and the whole
 * service, and the key's concurrency slots. {@link LimitSets} caches these sets by key and model.
 *
 * <p>A request makes one {@link Acquire} from its limit set: one request of each bucket that counts
 * requests, its estimated tokens, and one slot. {@link Counters} is the port that takes all of it
 * or nothing; the {@link AcquireResult} has the level of every bucket. A granted acquisition
 * becomes a {@link LimitPermit}, which the request ends exactly once: the slot is free again, and
 * the estimated tokens are corrected to the used ones, which may overdraw a bucket. A fallback to
 * another model acquires from that model's buckets separately.
 *
 * <p>{@link LocalCounters} counts in this process: a {@link LocalLimitSet} locks the {@link
 * LocalBuckets} of each owner in one global order and checks and takes from every {@link
 * LocalBucket} under those locks, and {@link ConcurrencySlots} counts running requests. With Redis,
 * nodes share their counters through another implementation of the port, which computes the same
 * numbers in the same resolution of microseconds.
 *
 * <p>{@link LimitFault} turns a refusal into the 429 that the client receives, {@link LimitFields}
 * writes the {@code x-ratelimit-*} header fields, and {@link LimitDetails} the JSON details. {@link
 * RefusalCache} remembers keys whose bucket of requests is empty, so that their next requests are
 * refused from their headers without counting.
 *
 * <p>{@link RefusalBudgets} bound how many requests of a key may be refused in a time: each request
 * holds a {@link RefusalToken} from its headers until it is admitted or refused.
 */
@NullMarked
package dev.tollgate.core.limit;

import org.jspecify.annotations.NullMarked;
