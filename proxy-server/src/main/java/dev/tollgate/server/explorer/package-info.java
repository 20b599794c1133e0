/**
 * The request view, which the explorer reads: its projection from the request log and the
 * settlements, its check, the queries on it, and the arithmetic of a request's charge.
 *
 * <p>{@link dev.tollgate.server.explorer.RequestProjector} keeps it up to date, {@link
 * dev.tollgate.server.explorer.RequestQueries} and {@link
 * dev.tollgate.server.explorer.UsageQueries} read it.
 */
@NullMarked
package dev.tollgate.server.explorer;

import org.jspecify.annotations.NullMarked;
