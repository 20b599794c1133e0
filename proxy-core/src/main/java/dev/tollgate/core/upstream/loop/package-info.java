/**
 * I/O handlers of event loops: they serve client sockets before upstream sockets, and drop stale
 * events.
 */
@NullMarked
package dev.tollgate.core.upstream.loop;

import org.jspecify.annotations.NullMarked;
